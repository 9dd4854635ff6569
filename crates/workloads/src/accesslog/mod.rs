//! The workload `accesslog`: a web server's access log, written row by row.
//!
//! `spec` is its plan, `visits` who requests what, `rows` how that looks as a row, `pool` the texts
//! that are repeated, `file` the rows of a real log, `insert` what is sent to the server. To read a
//! log, use the workload `statements`: one of its tables may have the same rows.

mod file;
mod insert;
mod pool;
mod rows;
mod spec;
mod visits;
mod workload;

pub use file::FileRows;
pub use rows::MadeRows;
pub use spec::AccessLog;
pub use workload::Writer;
