//! The phase `load`: creates tables, sends their rows, and runs the steps that follow, over several
//! connections at once.
//!
//! Rows go in by LOAD DATA LOCAL INFILE, generated while they are sent and never stored. If the
//! server refuses local files, they go in by multi-row INSERT. A row that the server changed or
//! left out ends the run: tables that differ between arms would make every comparison worthless.
//!
//! A workload defines the tables; `queue` deals out the work, `loader` does it on one connection,
//! `progress` reports how far a table is, and `crew` is all connections together. The session's
//! settings are only those of the plan: nothing is relaxed for loading.

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
pub(crate) use table::{in_latin1, table_options};
pub use table::{Layout, Source, Table};

/// Creates and fills all tables. `first` is the first loader's connection; there are as many
/// loaders as `shared.loader_slots`, or fewer if there isn't work for all; the others connect here.
pub fn fill<S: Source>(
    shared: &Shared,
    first: &mut Connection,
    tables: &[Table<S>],
) -> Result<(), Error> {
    Crew::new(shared, tables).run(first)
}
