//! The workload `ledger`: rows that are inserted, updated, and inserted in pairs by a transaction,
//! and a file with everything that the server acknowledged.
//!
//! A row's content depends only on its id and version, so that whoever reads it can tell whether it
//! is whole. `spec` is the plan, `rows` the tables and their content, `clerk` what is sent.

mod clerk;
mod rows;
mod spec;
mod workload;

pub use spec::{Ledger, OpName};
