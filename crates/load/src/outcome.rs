//! The outcome of an op, and the record of it that a worker hands over.

/// How one op ended. There are no other possibilities, and every scheduled op has one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Done, and as it should be.
    Ok,
    /// The server or the connection refused; the number is the server's error number, or the
    /// client's (2013: the connection was lost).
    Failed(u16),
    /// Its time was over before it could begin. Only an open load model skips ops.
    Skipped,
    /// Scheduled, but broken off or never begun because the run ended early.
    Unfinished,
}

/// The outcomes that have a latency worth keeping: each has its own histogram, so that failed ops,
/// which are often quick, can't flatter the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// [`Outcome::Ok`].
    Ok,
    /// [`Outcome::Failed`], whatever the number.
    Failed,
}

impl Class {
    /// The class of an outcome; `None` for an op that wasn't completed.
    pub fn from_outcome(outcome: Outcome) -> Option<Class> {
        match outcome {
            Outcome::Ok => Some(Class::Ok),
            Outcome::Failed(_) => Some(Class::Failed),
            Outcome::Skipped | Outcome::Unfinished => None,
        }
    }

    /// `ok` or `failed`, as events spell it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Ok => "ok",
            Class::Failed => "failed",
        }
    }
}

/// One op as it happened. Times are nanoseconds on the clock of the run.
///
/// When an op was due, when it could begin, when it began and when it ended are kept apart. In a
/// closed loop an op is due when it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Which op, as an index into the workload's list of names.
    pub op: u16,
    /// How often it was retried; its latency includes that.
    pub retries: u16,
    /// What became of it.
    pub outcome: Outcome,
    /// When it was due.
    pub intended_ns: u64,
    /// When it was due and its worker was free.
    pub could_ns: u64,
    /// When it began.
    pub started_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
}

impl Sample {
    /// From when the op was due until its end. This is what histograms hold: counting from the
    /// actual start would hide the wait that a stall causes (coordinated omission).
    pub fn latency_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.intended_ns)
    }

    /// How late the op began although due, with its worker free: the load generator's fault.
    pub fn send_lag_ns(&self) -> u64 {
        self.started_ns.saturating_sub(self.could_ns)
    }

    /// From the actual start until the end.
    pub fn service_ns(&self) -> u64 {
        self.ended_ns.saturating_sub(self.started_ns)
    }
}
