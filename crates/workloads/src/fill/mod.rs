//! The phase `load`: creates tables, sends their rows, runs what comes after; over several
//! connections at once.
//!
//! Rows go in by LOAD DATA LOCAL INFILE, made while they are sent and never held. Where the server
//! refuses local files they go in by INSERT with many rows. A row that the server changed or left
//! out ends the run: tables that differ between arms would make every comparison worthless.
//!
//! A workload says which tables; `queue` deals out the work, `loader` does it on one
//! connection, `progress` reports how far a table is, and `crew` is all connections together. The
//! session's settings are the plan's alone: nothing is relaxed for loading.

mod crew;
mod loader;
mod progress;
mod queue;
mod row;
mod table;

use wire::Connection;

use crate::error::Error;
use crate::workload::Shared;
use crew::Crew;

pub use row::Row;
pub(crate) use table::table_options;
pub use table::{Layout, Source, Table};

/// Makes all tables. `first` is the first loader's connection; there are as many loaders as
/// `shared.loader_slots`, or fewer where there isn't work for all, and the others connect here.
pub fn fill<S: Source>(
    shared: &Shared,
    first: &mut Connection,
    tables: &[Table<S>],
) -> Result<(), Error> {
    Crew::new(shared, tables).run(first)
}
