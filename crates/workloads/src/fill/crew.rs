//! All loaders together: their threads and connections, and the first error, which stops them all.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard};
use std::thread;

use wire::Connection;

use super::loader::Loader;
use super::progress::TableProgress;
use super::queue::Queue;
use super::table::{Source, Table};
use crate::error::Error;
use crate::workload::Shared;

/// What the loaders share.
#[derive(Debug)]
pub struct Crew<'a, S> {
    /// What all parts of the run share.
    pub shared: &'a Shared,
    /// The tables to create.
    pub tables: &'a [Table<S>],
    /// What is left to do.
    pub queue: Queue,
    /// One per table.
    pub progress: Vec<TableProgress>,
    /// True once the server has refused local files.
    pub refuses_local_files: AtomicBool,
    error: Mutex<Option<Error>>,
}

impl<'a, S: Source> Crew<'a, S> {
    /// Nothing is done yet.
    pub fn new(shared: &'a Shared, tables: &'a [Table<S>]) -> Crew<'a, S> {
        Crew {
            shared,
            tables,
            queue: Queue::new(tables.iter().map(|table| (table.rows, table.chunk_rows))),
            progress: tables
                .iter()
                .map(|table| TableProgress::new(table.rows_of(0..table.rows)))
                .collect(),
            refuses_local_files: AtomicBool::new(false),
            error: Mutex::new(None),
        }
    }

    /// Does all the work.
    pub fn run(self, first: &mut Connection) -> Result<(), Error> {
        let wanted = usize::try_from(self.queue.jobs()).unwrap_or(usize::MAX);
        let loaders = self.shared.loader_slots.len().min(wanted);
        thread::scope(|scope| {
            let crew = &self;
            for number in 1..loaders {
                scope.spawn(move || crew.connect_and_work(number));
            }
            crew.work(0, first);
        });
        if let Some(error) = self.error().take() {
            return Err(error);
        }
        if self.queue.is_done() {
            Ok(())
        } else {
            Err(Error::Stopped)
        }
    }

    /// True if nothing more needs to be done.
    pub fn is_over(&self) -> bool {
        self.shared.stop.is_set() || self.queue.is_closed()
    }

    fn connect_and_work(&self, number: usize) {
        // Without a limit, like the first one: an index of a large table may take any time.
        match self.shared.connector.connect(None) {
            Ok(mut connection) => {
                self.work(number, &mut connection);
                self.shared.connector.retire(connection);
            }
            Err(error) => self.fail(error),
        }
    }

    fn work(&self, number: usize, connection: &mut Connection) {
        let slot = &self.shared.loader_slots[number];
        slot.set_connection(connection.connection_id());
        let loader = Loader {
            crew: self,
            slot,
            connection,
        };
        if let Err(error) = loader.run() {
            self.fail(error);
        }
    }

    /// Reports only the first error: later ones are consequences of breaking off.
    fn fail(&self, error: Error) {
        self.error().get_or_insert(error);
        self.queue.close();
        for slot in self.shared.loader_slots.iter() {
            slot.break_off();
        }
    }

    fn error(&self) -> MutexGuard<'_, Option<Error>> {
        match self.error.lock() {
            Ok(error) => error,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}
