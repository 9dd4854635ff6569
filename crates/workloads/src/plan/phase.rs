//! The phases of a plan: how long, how much, and with which load model.

use serde::{Deserialize, Serialize};

/// One phase of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Which one.
    pub name: PhaseName,
    /// How often each connection does everything once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u64>,
    /// How many ops over all connections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops: Option<u64>,
    /// For how many seconds new ops begin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// `signal`: SIGUSR1 also ends it as if its time were over; its time is then a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Open load: when ops are due. Without it the load is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Closed load: the pause after each op.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// Closed load: the connections begin one after another over this many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp_s: Option<f64>,
    /// With the name `search`: what to search for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Search>,
}

/// All phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// Creates the tables and fills them.
    Load,
    /// Like `measure`, but not to be reported.
    Warmup,
    /// What is reported.
    Measure,
    /// Looks for the highest rate that meets an objective.
    Search,
}

impl PhaseName {
    /// As the formats spell it.
    pub fn as_str(self) -> &'static str {
        match self {
            PhaseName::Load => "load",
            PhaseName::Warmup => "warmup",
            PhaseName::Measure => "measure",
            PhaseName::Search => "search",
        }
    }
}

/// What can end a phase in addition to its own limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Until {
    /// A signal to the process.
    Signal,
}

/// How arrivals or pauses are distributed around their mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrivalKind {
    /// Exponential gaps: independent users.
    Poisson,
    /// Equal gaps.
    Fixed,
}

/// When ops are due in an open load. The phase lasts as long as all steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// The gaps between ops.
    #[serde(default = "poisson")]
    pub distribution: ArrivalKind,
    /// In order.
    pub steps: Vec<RateStep>,
}

fn poisson() -> ArrivalKind {
    ArrivalKind::Poisson
}

/// A period with one rate, or with a rate that changes linearly to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// How long.
    pub duration_s: f64,
    /// Ops a second, at the step's start.
    pub rate_per_s: f64,
    /// Ops a second at its end; by default the same as at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_per_s: Option<f64>,
}

/// How pauses are distributed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkKind {
    /// All the same.
    Constant,
    /// Exponential.
    Exponential,
}

/// The pause after each op of a closed load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Think {
    /// How pauses are distributed.
    pub distribution: ThinkKind,
    /// Their mean.
    pub mean_s: f64,
}

/// The search for the highest rate that meets an objective, by bisection of the rate's logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// This quantile of the latency …
    #[serde(default = "p99")]
    pub quantile: f64,
    /// … must not be above this.
    pub latency_ms: f64,
    /// And at most this share of all ops may fail or be skipped.
    #[serde(default = "one_in_a_thousand")]
    pub error_share_max: f64,
    /// The lowest rate of the search.
    #[serde(default = "ten")]
    pub rate_min_per_s: f64,
    /// The highest rate.
    #[serde(default = "hundred_thousand")]
    pub rate_max_per_s: f64,
    /// How long each rate is tried.
    #[serde(default = "five")]
    pub step_s: f64,
    /// The search ends when a rate that holds and one that doesn't are this close, as a share.
    #[serde(default = "one_in_twenty")]
    pub precision: f64,
    /// How often the rate found is tried again; it must hold each time.
    #[serde(default = "two")]
    pub confirm: u32,
    /// The gaps between ops.
    #[serde(default = "poisson")]
    pub distribution: ArrivalKind,
}

fn p99() -> f64 {
    0.99
}

fn one_in_a_thousand() -> f64 {
    0.001
}

fn ten() -> f64 {
    10.0
}

fn hundred_thousand() -> f64 {
    100_000.0
}

fn five() -> f64 {
    5.0
}

fn one_in_twenty() -> f64 {
    0.05
}

fn two() -> u32 {
    2
}
