//! Makes load: who does which op and when, how long it took, and how it ended.
//!
//! This crate knows ops, not SQL: a [`Worker`] does an op, and everything here is about load
//! models, clocks, outcomes, histograms and intervals. It imports none of the other crates of Dyno,
//! and it writes nothing anywhere; the caller is handed intervals and the tally of a phase.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clock;
mod drive;
mod histogram;
mod interval;
mod outcome;
mod phase;
mod share;
mod stop;
mod stream;
mod tally;
mod turns;
mod until;
mod worker;

pub use clock::{Clock, Monotonic, Scripted};
pub use drive::yield_to_the_server;
pub use histogram::{Histogram, HistogramError, HIGHEST_NS, LOWEST_NS};
pub use interval::{Bin, Interval, Intervals, BIN_NS};
pub use outcome::{Class, Outcome, Sample};
pub use phase::{run_phase, run_share, Model, Phase, PhaseEnd};
pub use share::Share;
pub use stop::Stop;
pub use stream::{Purpose, Stream};
pub use tally::{Counts, OpTally, Tally};
pub use turns::{Gaps, Limits, Pauses, Profile, RateStep, Think, Turn};
pub use worker::{OpState, Worker};
