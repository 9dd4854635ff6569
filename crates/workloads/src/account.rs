//! What a worker did besides its ops: statements by class, retries, reconnects. Not latencies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wire::Done;

/// Statements that were answered, by the kind of answer. The classes are sysbench's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statements {
    /// Answered with a result set.
    pub read: u64,
    /// Changed rows.
    pub write: u64,
    /// Everything else: BEGIN, COMMIT, and writes that hit nothing.
    pub other: u64,
}

impl Statements {
    /// Counts one answer.
    #[inline]
    pub fn count(&mut self, done: &Done) {
        if done.result_sets > 0 {
            self.read += 1;
        } else if done.affected_rows > 0 {
            self.write += 1;
        } else {
            self.other += 1;
        }
    }
}

/// What a workload counts, by its own names.
pub type Counters = BTreeMap<&'static str, u64>;

/// One worker's account of a phase, or the sum of several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Account {
    /// Statements answered.
    pub statements: Statements,
    /// Transactions retried, by the error number that caused the retry.
    pub retries: BTreeMap<u16, u64>,
    /// Connections made in place of lost ones.
    pub reconnects: u64,
    /// What the workload counted.
    pub counters: Counters,
}

impl Account {
    /// Adds another account.
    pub fn merge(&mut self, other: &Account) {
        let Account {
            statements:
                Statements {
                    read,
                    write,
                    other: rest,
                },
            retries,
            reconnects,
            counters,
        } = other;
        self.statements.read += read;
        self.statements.write += write;
        self.statements.other += rest;
        for (&code, count) in retries {
            *self.retries.entry(code).or_default() += count;
        }
        self.reconnects += reconnects;
        for (&name, count) in counters {
            *self.counters.entry(name).or_default() += count;
        }
    }
}
