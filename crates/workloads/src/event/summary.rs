//! The summary of a run: every phase's account, latencies and cost.

use std::collections::BTreeMap;

use load::{Counts, Histogram, PhaseEnd, Tally};
use serde::{Deserialize, Serialize};

use super::{seconds, Client};
use crate::account::{Account, Statements};
use crate::error::Error;

/// The whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// False if the run was broken off.
    pub complete: bool,
    /// The phases that began.
    pub phases: Vec<PhaseSummary>,
    /// What the run cost this process.
    pub client: Client,
}

/// The load model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// A fixed number of connections.
    Closed,
    /// Arrivals at a rate.
    Open,
}

/// The whole phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseSummary {
    /// Name of the phase.
    pub phase: String,
    /// From its first op's turn to its last op's end.
    pub elapsed_s: f64,
    /// The load model.
    pub model: Model,
    /// Connections at its start.
    pub connections: usize,
    /// The sum of the next four.
    pub scheduled: u64,
    /// Successful.
    pub ok: u64,
    /// Refused, by error number, which is a string as a key of JSON.
    pub failed: BTreeMap<String, u64>,
    /// Too late to begin.
    pub skipped: u64,
    /// Broken off or never begun.
    pub unfinished: u64,
    /// Latencies by op and outcome.
    pub ops: Vec<SummaryOp>,
    /// Transactions retried, by the error number that caused the retry.
    pub retries: BTreeMap<String, u64>,
    /// Connections made in place of lost ones.
    pub reconnects: u64,
    /// Statements answered, by class.
    pub statements: Statements,
    /// What the workload counted, by its own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Open load: how late ops began although a connection was free.
    pub send_lag: Option<SendLag>,
    /// Open load: the most ops that were due but hadn't begun.
    pub backlog_max: Option<u64>,
    /// From the phase's nominal end to its last op's end.
    pub drain_s: f64,
    /// What the phase cost this process.
    pub client: Option<PhaseClient>,
}

/// One op with one outcome in a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SummaryOp {
    /// Name of the op.
    pub op: String,
    /// `ok` or `failed`.
    pub outcome: String,
    /// How many.
    pub count: u64,
    /// Exact.
    pub min_ns: u64,
    /// Exact.
    pub max_ns: u64,
    /// Exact.
    pub mean_ns: u64,
    /// Upper end of its bucket.
    pub p50_ns: u64,
    /// Upper end of its bucket.
    pub p95_ns: u64,
    /// Upper end of its bucket.
    pub p99_ns: u64,
    /// Upper end of its bucket.
    pub p999_ns: u64,
    /// HdrHistogram, V2 compressed, base64.
    pub histogram: String,
}

/// How late ops began although a connection was free: the load generator's own fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SendLag {
    /// How many ops.
    pub count: u64,
    /// Upper end of its bucket.
    pub p50_ns: u64,
    /// Upper end of its bucket.
    pub p99_ns: u64,
    /// Exact.
    pub max_ns: u64,
}

/// What a phase cost the process that generated the load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseClient {
    /// Processor time in user mode.
    pub cpu_user_s: f64,
    /// Processor time in the kernel.
    pub cpu_system_s: f64,
}

impl SendLag {
    fn from_histogram(histogram: &Histogram) -> SendLag {
        SendLag {
            count: histogram.count(),
            p50_ns: histogram.quantile_ns(0.50),
            p99_ns: histogram.quantile_ns(0.99),
            max_ns: histogram.max_ns(),
        }
    }
}

impl PhaseSummary {
    /// The summary of the phase `load`, which has no ops: its progress events say what it did.
    pub fn of_load(phase: &str, elapsed_ns: u64) -> PhaseSummary {
        PhaseSummary {
            phase: phase.to_owned(),
            elapsed_s: seconds(elapsed_ns),
            model: Model::Closed,
            connections: 0,
            scheduled: 0,
            ok: 0,
            failed: BTreeMap::new(),
            skipped: 0,
            unfinished: 0,
            ops: Vec::new(),
            retries: BTreeMap::new(),
            reconnects: 0,
            statements: Statements::default(),
            counters: BTreeMap::new(),
            send_lag: None,
            backlog_max: None,
            drain_s: 0.0,
            client: None,
        }
    }

    /// The summary of a timed phase; `names` are the workload's op names.
    pub fn new<W>(
        phase: &str,
        end: &PhaseEnd<W>,
        connections: usize,
        account: &Account,
        client: Option<PhaseClient>,
        names: &[String],
    ) -> Result<PhaseSummary, Error> {
        let counts = &end.tally.counts;
        assert!(
            counts.is_balanced(),
            "an op is not accounted for: {counts:?}"
        );
        let Counts {
            scheduled,
            ok,
            failed,
            skipped,
            unfinished,
        } = counts;
        let Account {
            statements,
            retries,
            reconnects,
            counters,
        } = account;
        Ok(PhaseSummary {
            phase: phase.to_owned(),
            elapsed_s: seconds(end.end_ns - end.start_ns),
            model: if end.backlog_max.is_some() {
                Model::Open
            } else {
                Model::Closed
            },
            connections,
            scheduled: *scheduled,
            ok: *ok,
            failed: by_text(failed),
            skipped: *skipped,
            unfinished: *unfinished,
            ops: ops(&end.tally, names)?,
            retries: by_text(retries),
            reconnects: *reconnects,
            statements: *statements,
            counters: counters
                .iter()
                .map(|(&name, &count)| (name.to_owned(), count))
                .collect(),
            send_lag: end.send_lag.as_ref().map(SendLag::from_histogram),
            backlog_max: end.backlog_max,
            drain_s: seconds(end.drain_ns),
            client,
        })
    }
}

fn by_text(codes: &BTreeMap<u16, u64>) -> BTreeMap<String, u64> {
    codes
        .iter()
        .map(|(code, &count)| (code.to_string(), count))
        .collect()
}

fn ops(tally: &Tally, names: &[String]) -> Result<Vec<SummaryOp>, Error> {
    let mut ops = Vec::new();
    for (op, class, op_tally) in tally.ops() {
        let latency = &op_tally.latency;
        ops.push(SummaryOp {
            op: names[usize::from(op)].clone(),
            outcome: class.name().to_owned(),
            count: latency.count(),
            min_ns: latency.min_ns(),
            max_ns: latency.max_ns(),
            mean_ns: latency.mean_ns(),
            p50_ns: latency.quantile_ns(0.50),
            p95_ns: latency.quantile_ns(0.95),
            p99_ns: latency.quantile_ns(0.99),
            p999_ns: latency.quantile_ns(0.999),
            histogram: latency.encode()?,
        });
    }
    Ok(ops)
}
