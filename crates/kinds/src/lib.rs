//! All kinds of workloads by the names that plans use, and the plan as a whole.
//!
//! It stands above the workloads, so that a workload may be in a crate of its own.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod any;
pub mod load_plan;

pub use any::AnyWorkload;
