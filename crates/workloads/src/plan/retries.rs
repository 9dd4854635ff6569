//! The retries of a plan.

use serde::{Deserialize, Serialize};

/// Which refusals are answered by rerunning the whole transaction, with the same inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retries {
    /// Error numbers: deadlock, record changed and lock wait timeout, unless others are given.
    pub codes: Vec<u16>,
    /// How often one op is rerun at most.
    pub limit: u16,
}

impl Default for Retries {
    fn default() -> Retries {
        Retries {
            codes: vec![1213, 1020, 1205],
            limit: 100,
        }
    }
}
