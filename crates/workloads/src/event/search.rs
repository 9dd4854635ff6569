//! The events of a search for the highest rate that meets an objective.

use serde::{Deserialize, Serialize};

/// A rate was tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchStep {
    /// Requested ops a second.
    pub rate_per_s: f64,
    /// Achieved ops a second.
    pub achieved_per_s: f64,
    /// The objective's quantile of the latency, from when ops were due; `None` if no op was done.
    pub quantile_ms: Option<f64>,
    /// Share of the ops that failed, were skipped or didn't finish.
    pub error_share: f64,
    /// Ops that were due but hadn't begun at the end.
    pub backlog_end: u64,
    /// True if the objective was met.
    pub held: bool,
    /// True if the rate had been found before and was tried again.
    pub confirming: bool,
}

/// What kept the rate from being higher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The latency's quantile.
    Latency,
    /// Failed ops.
    Errors,
    /// The server didn't keep up: ops were left over.
    Backlog,
    /// Nothing: the highest rate of the search held.
    RateMax,
    /// Even the lowest rate of the search didn't hold.
    RateMin,
}

/// The search ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchResult {
    /// The highest rate that held each time it was tried; `None` if none did.
    pub rate_per_s: Option<f64>,
    /// What kept it from being higher.
    pub limited_by: Limit,
}
