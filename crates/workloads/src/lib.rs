//! The workloads: what is sent to a server, and what is recorded about it.
//!
//! This crate has the parts of the plan and the event formats, the connections of a run, and one
//! folder per workload. A new workload is a new folder and one line in the crate `kinds`. This
//! crate imports `wire` and `load`; it knows nothing of command lines, signals or exit codes.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod accesslog;
pub mod account;
pub mod bounded;
mod calendar;
pub mod cost;
mod defaults;
mod error;
pub mod event;
pub mod fill;
pub mod ledger;
mod line;
pub mod linkbench;
mod nearest;
mod notes;
pub mod observe;
pub mod oltp;
pub mod plan;
pub mod queries;
pub mod refusal;
pub mod script;
pub mod session;
pub mod slap;
pub mod statements;
pub mod token;
pub mod tpcc;
pub mod watchdog;
mod workload;

pub use error::{Error, Scope};
pub use nearest::nearest;
pub use workload::{connect_all, Shared, Spec, SqlWorker, UseWorkload, Workload};
