//! The workload `slap`: the table and the statements that mysqlslap generates by itself.
//!
//! `spec` is its plan, `generate` the SQL, `rows` the content of the table, `cycle` what is sent to
//! the server. mysqlslap's command line uses the same SQL, and has its own crate.

mod cycle;
mod generate;
mod rows;
mod spec;
mod workload;

pub use generate::{Columns, Generate, LoadType, Primary, Statement};
pub use spec::Slap;
