//! The workload `queries`: named statements with drawn values, by their weights, on many
//! connections.
//!
//! `spec` is its plan, `sql` reads statements with named values, `values` draws them, and `ask` is
//! what is sent to the server. Its tables are those of `statements`.

mod ask;
mod spec;
mod sql;
mod values;
mod workload;

pub use ask::Ask;
pub use spec::{Draw, Literal, Queries, Query};
