//! The workload `tpcc`: TPC-C-like, following revision 5.11 of the specification; its clauses are
//! cited where they apply. It yields new orders per minute, but not an audited result.
//!
//! `spec` is its plan, `schema` the tables, `rows` their initial content, `nurand`, `text` and
//! `shuffle` what values are drawn from; `kind` which transaction comes next and how long terminals
//! wait, `txn` the five transactions, `terminal` one connection's part, `queue` deliveries in the
//! background. Whether the data is still right afterwards is checked elsewhere.

mod counts;
mod kind;
mod nurand;
mod queue;
mod rows;
mod schema;
mod shuffle;
mod spec;
mod terminal;
mod text;
mod txn;
mod workload;

pub use spec::Tpcc;
pub use workload::Company;
