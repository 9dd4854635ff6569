//! The workload `sysbench`: the events of any script, as ops under the load engine.
//!
//! `spec` is its plan, `script` loads it and runs its `prepare`, `worker` does the events.

mod script;
mod seat;
mod spec;
mod worker;

pub use spec::Scripted;
