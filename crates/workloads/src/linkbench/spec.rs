//! The plan of the workload `linkbench`: its keys, their defaults and ranges.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::profile::{Parameters, Profile};
use crate::defaults::{innodb, number};
use crate::plan::{engine_name, in_range, PlanError, LOADERS_MAX};

/// The most ids that the original's shuffle supports.
const IDS_MAX: u32 = i32::MAX as u32;
/// The maximum of MySQL 5.5.
const PARTITIONS_MAX: u32 = 1024;

/// The workload `linkbench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linkbench {
    /// The scale: ids that have a node and may have links.
    #[serde(default = "number::<100_000>")]
    pub ids: u32,
    /// The first of them.
    #[serde(default = "number::<1>")]
    pub first_id: u32,
    /// Whose workload it is.
    #[serde(default)]
    pub profile: Profile,
    /// LinkBench properties that override those of the profile.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub properties: BTreeMap<String, String>,
    /// A data file of LinkBench; without it, the profile's table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<PathBuf>,
    /// When the index of lists is created.
    #[serde(default)]
    pub secondary_index: SecondaryIndex,
    /// The partitions of `linktable`; 0 for none.
    #[serde(default = "number::<16>")]
    pub partitions: u32,
    /// The storage engine.
    #[serde(default = "innodb")]
    pub engine: String,
    /// Appended to CREATE TABLE.
    #[serde(default)]
    pub create_options: String,
    /// How many connections fill the tables.
    #[serde(default = "number::<4>")]
    pub loaders: u32,
    /// Each acknowledged new node is appended to this file and synced: `ns id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_file: Option<PathBuf>,
}

/// When the index of lists is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondaryIndex {
    /// With its table.
    #[default]
    Before,
    /// After all rows are in.
    After,
}

impl Linkbench {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self) -> Result<(), PlanError> {
        engine_name(&self.engine)?;
        in_range("ids", self.ids, 2, IDS_MAX)?;
        in_range("first_id", self.first_id, 1, IDS_MAX)?;
        in_range("partitions", self.partitions, 0, PARTITIONS_MAX)?;
        in_range("loaders", self.loaders, 1, LOADERS_MAX)?;
        self.parameters().map(|_| ())
    }

    /// The parameters that follow from the profile and the properties.
    pub(crate) fn parameters(&self) -> Result<Parameters, PlanError> {
        Parameters::new(self.profile, &self.properties)
    }
}
