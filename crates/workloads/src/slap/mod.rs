//! The workload `slap`: the table and the statements that mysqlslap makes up by itself.
//!
//! `spec` is its plan, `generate` the SQL, `rows` what the table holds, `cycle` what is sent to the
//! server. The command line of mysqlslap has the same SQL, and a crate of its own.

mod cycle;
mod generate;
mod rows;
mod spec;
mod workload;

pub use generate::{Columns, Generate, LoadType, Primary, Statement};
pub use spec::Slap;
