//! The parameters that follow from a plan's profile and properties.
//!
//! A profile is a set of properties with LinkBench's own names (`values`) and a few habits of the
//! program that had them; `read` turns both into numbers.

mod read;
mod values;

use serde::{Deserialize, Serialize};

use super::access::Law;
use super::neighbours::{Aim, Ends, Split};
use super::payload::{Alphabet, Size};
pub use read::PROPERTIES;
use values::values;

/// Whose workload it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The original with the effects of its defects: its figures are comparable with these.
    #[default]
    FbAsCoded,
    /// The original as its configuration says: choosing ids of writes, and dividing links.
    FbAsConfigured,
    /// The fork of 2017 with its own mix, sizes and degrees.
    #[serde(rename = "mc-2017")]
    Mc2017,
}

impl Profile {
    /// Its properties by name, with class names without their package.
    pub fn properties(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        values(self)
    }
}

/// Everything that determines how requests and rows are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// For each op, in order of number, the cumulative percentage of it and all before it.
    pub mix: [f64; 10],
    /// The share of lists that continue where an earlier one ended.
    pub history: f64,
    /// How many types of links there are.
    pub types: u64,
    pub split: Split,
    pub ends: Ends,
    /// How writes of links are done.
    pub writes: Writes,
    pub link_read: Choice,
    pub link_write: Choice,
    pub node_read: Law,
    pub node_update: Law,
    pub node_delete: Law,
    /// How many links a request for several asks for.
    pub several: Several,
    pub link_size: Size,
    pub node_size: Size,
    /// For links that are added, and for those that are loaded.
    pub link_add: Alphabet,
    pub link_update: Alphabet,
    pub node_add: Alphabet,
    pub node_update_data: Alphabet,
}

/// How links are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// By one statement that inserts or unhides the link, whether it is an add or an update.
    Upsert,
    /// By an INSERT for an add and an UPDATE for an update; each becomes the other if necessary.
    Apart,
}

/// How the id of a request for links is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// For requests that often ask for ids with many links.
    pub correlated: Law,
    /// For those that don't, and their share of requests.
    pub uncorrelated: Option<(f64, Law)>,
}

/// A geometric distribution, as the original draws it: one too high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Several {
    One,
    Geometric { min: u64, max: u64, p: f64 },
}

impl Several {
    /// The value at `u`, from 0 up to 1.
    pub fn at(&self, u: f64) -> u64 {
        match *self {
            Several::One => 1,
            Several::Geometric { min, max, p } => {
                let beyond = ((1.0 - u).ln() / (1.0 - p).ln()).ceil().max(0.0);
                let most = max.saturating_sub(1).max(1);
                (min.saturating_add(beyond as u64)).clamp(1, most)
            }
        }
    }
}

/// What the fork does differently.
fn habits(profile: Profile) -> (Split, Aim, Writes) {
    match profile {
        Profile::FbAsCoded => (Split::AsCoded, Aim::Range, Writes::Upsert),
        Profile::FbAsConfigured => (Split::Even, Aim::Range, Writes::Upsert),
        Profile::Mc2017 => (Split::Same, Aim::Coin, Writes::Apart),
    }
}
