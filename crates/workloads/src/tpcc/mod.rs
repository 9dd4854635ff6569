//! The workload `tpcc`: TPC-C-like, by revision 5.11 of the specification, whose clauses are named
//! where they are met. What it yields is new orders a minute; an audited result it is not.
//!
//! `spec` is its plan, `schema` the tables, `rows` what is in them at first, `nurand`, `text` and
//! `shuffle` what values are drawn from; `kind` which transaction comes next and how long terminals
//! wait, `txn` the five transactions, `terminal` one connection's part, `queue` deliveries in the
//! background, `success` the file of acknowledged orders. Whether the data are still right
//! afterwards is checked elsewhere.

mod counts;
mod kind;
mod nurand;
mod queue;
mod rows;
mod schema;
mod shuffle;
mod spec;
mod success;
mod terminal;
mod text;
mod txn;
mod workload;

pub use spec::Tpcc;
pub use workload::Company;
