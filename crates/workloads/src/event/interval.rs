//! The event of an interval: what ended in it, by op, outcome and tenth of a second.

use load::Interval;
use serde::{Deserialize, Serialize};

use super::seconds;
use crate::error::Error;

/// An interval ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalEvent {
    /// Name of the phase.
    pub phase: String,
    /// From 0.
    pub index: u64,
    /// Its start, in seconds since `hello`.
    pub t_s: f64,
    /// Its length.
    pub duration_s: f64,
    /// What ended in it.
    pub ops: Vec<IntervalOp>,
    /// Its tenths of a second, in order.
    pub bins: Vec<Bin>,
    /// Transactions that were retried in ops that ended in it.
    pub retries: u64,
    /// Open load: ops that were due but hadn't begun at its end.
    pub backlog: Option<u64>,
}

/// One op with one outcome in an interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalOp {
    /// Name of the op.
    pub op: String,
    /// `ok` or `failed`.
    pub outcome: String,
    /// How many.
    pub count: u64,
    /// HdrHistogram, V2 compressed, base64.
    pub histogram: String,
}

/// A tenth of a second, for stalls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bin {
    /// Ops that ended in it.
    pub ended: u64,
    /// How late this program itself was woken in it: a stall of the host, not of the server.
    pub heartbeat_late_ms: f64,
}

impl IntervalEvent {
    /// The event of an interval; `names` are the workload's op names.
    pub fn new(phase: &str, interval: &Interval<'_>, names: &[String]) -> Result<Self, Error> {
        let mut ops = Vec::new();
        for (op, class, op_tally) in interval.tally.ops() {
            ops.push(IntervalOp {
                op: names[usize::from(op)].clone(),
                outcome: class.name().to_owned(),
                count: op_tally.latency.count(),
                histogram: op_tally.latency.encode()?,
            });
        }
        let bins = interval.bins.iter().map(|bin| Bin {
            ended: bin.ended,
            heartbeat_late_ms: (bin.heartbeat_late_ns / 1000) as f64 / 1e3,
        });
        Ok(IntervalEvent {
            phase: phase.to_owned(),
            index: interval.index,
            t_s: seconds(interval.start_ns),
            duration_s: seconds(interval.duration_ns),
            ops,
            bins: bins.collect(),
            retries: interval.tally.retries,
            backlog: interval.backlog,
        })
    }
}
