//! Makes load: who does which op when, how long it took, and what became of it.
//!
//! This crate knows ops, not SQL: a [`Worker`] does an op, and everything here is about schedules,
//! clocks, outcomes, histograms and intervals. It imports none of the other crates of Dyno, and it
//! writes nothing anywhere; the caller is handed intervals and the tally of a phase.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clock;
mod histogram;
mod interval;
mod outcome;
mod phase;
mod schedule;
mod stop;
mod stream;
mod tally;
mod worker;

pub use clock::{Clock, Monotonic, Scripted};
pub use histogram::{Histogram, HistogramError, HIGHEST_NS, LOWEST_NS};
pub use interval::{Interval, Intervals};
pub use outcome::{Class, Outcome, Sample};
pub use phase::{run_phase, Phase, PhaseEnd};
pub use schedule::{Extent, Schedule, Turn};
pub use stop::Stop;
pub use stream::{Purpose, Stream};
pub use tally::{Counts, OpTally, Tally};
pub use worker::{run_worker, Worker, WorkerEnd};
