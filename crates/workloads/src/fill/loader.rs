//! One connection's part: creates tables, sends chunks, and runs the steps that follow.

use std::io;
use std::ops::Range;
use std::sync::atomic::Ordering;

use wire::Connection;

use super::crew::Crew;
use super::queue::Job;
use super::table::{Layout, Source, Table};
use crate::error::{Error, Scope};
use crate::event::{ErrorEvent, Event};
use crate::watchdog::Slot;

/// How many bytes of rows are generated before they are handed to the connection.
const PIECE_BYTES: usize = 256 * 1024;
/// Well under the smallest default of max_allowed_packet, 1 MiB in MySQL 5.5.
const INSERT_BYTES: usize = 256 * 1024;
/// The server or the account doesn't accept LOAD DATA LOCAL.
const REFUSES_LOCAL_FILES: [u16; 3] = [1148, 3948, 4166];

/// A connection at work.
pub struct Loader<'a, S> {
    /// All loaders.
    pub crew: &'a Crew<'a, S>,
    /// The watchdog's view of the connection.
    pub slot: &'a Slot,
    /// The connection.
    pub connection: &'a mut Connection,
}

impl<S: Source> Loader<'_, S> {
    /// Works until no jobs are left.
    pub fn run(mut self) -> Result<(), Error> {
        let crew = self.crew;
        while let Some(job) = crew.queue.take(|| crew.shared.stop.is_set()) {
            let Job {
                table: number,
                rows,
                creates,
            } = job;
            let table = &crew.tables[number];
            if creates {
                self.sql(table, "CREATE TABLE", &table.create)?;
                crew.queue.open(number);
            }
            if !rows.is_empty() {
                self.send(number, rows)?;
            }
            if crew.queue.done(number) {
                crew.progress[number].add(crew.shared, table, 0, true);
                for (doing, sql) in &table.after {
                    self.sql(table, doing, sql)?;
                }
            }
        }
        Ok(())
    }

    /// Runs one statement; a stop breaks it off.
    fn sql(&mut self, table: &Table<S>, doing: &str, sql: &str) -> Result<(), Error> {
        if self.crew.is_over() {
            return Err(Error::Stopped);
        }
        self.slot.begin();
        let done = self.connection.execute_sql(sql);
        self.slot.end();
        match done {
            Ok(_) => Ok(()),
            Err(source) => Err(self.failed(table, doing, source)),
        }
    }

    fn failed(&self, table: &Table<S>, doing: &str, source: wire::Error) -> Error {
        if self.crew.shared.stop.is_set() {
            return Error::Stopped;
        }
        Error::Load {
            table: table.name.clone(),
            doing: doing.to_owned(),
            source,
        }
    }

    /// Sends rows the best way that the server accepts, and checks that all of them went in.
    fn send(&mut self, number: usize, rows: Range<u64>) -> Result<(), Error> {
        let refused = &self.crew.refuses_local_files;
        let loaded = if refused.load(Ordering::Relaxed) {
            self.insert(number, rows.clone())
        } else {
            match self.load_data(number, rows.clone()) {
                Err(Error::Load { source, .. }) if is_refusal(&source) => {
                    // Reported once: the others meet the same refusal.
                    if !refused.swap(true, Ordering::Relaxed) {
                        self.report_refusal(&source);
                    }
                    self.insert(number, rows.clone())
                }
                other => other,
            }
        }?;
        let table = &self.crew.tables[number];
        let sent = table.rows_of(rows.clone());
        if loaded == sent {
            return Ok(());
        }
        let mut message = format!("{loaded} of {sent} rows went in");
        if rows.end - rows.start != table.rows {
            message += &format!(" (rows {} to {})", rows.start + 1, rows.end);
        }
        Err(Error::Rows {
            table: table.name.clone(),
            message,
        })
    }

    fn report_refusal(&self, source: &wire::Error) {
        self.crew.shared.events.say(Event::Error(ErrorEvent {
            scope: Scope::Load,
            message: format!("{source}; rows go in by INSERT, which is slower"),
            hint: source.hint().to_owned(),
            fatal: false,
        }));
    }

    /// Sends rows with one LOAD DATA; returns how many the server took.
    fn load_data(&mut self, number: usize, rows: Range<u64>) -> Result<u64, Error> {
        let crew = self.crew;
        let table = &crew.tables[number];
        // All generated text is ASCII, so latin1 is right for any character set of the columns.
        let sql = format!(
            "LOAD DATA LOCAL INFILE 'dyno' INTO TABLE {} CHARACTER SET latin1",
            quoted(&table.name)
        );
        let mut next = rows.start;
        self.slot.begin();
        let done = self.connection.load_data(&sql, &mut |piece: &mut Vec<u8>| {
            if crew.is_over() {
                return Err(io::Error::other("the run is to stop"));
            }
            let from = next;
            while next < rows.end && piece.len() < PIECE_BYTES {
                table.source.write(next, Layout::Lines, piece);
                next += 1;
            }
            let made = table.rows_of(from..next);
            crew.progress[number].add(crew.shared, table, made, false);
            Ok(next < rows.end)
        });
        self.slot.end();
        let done = done.map_err(|source| self.failed(table, "LOAD DATA", source))?;
        self.refuse_warnings(table, done.warnings)?;
        Ok(done.affected_rows)
    }

    /// Sends rows with INSERT; returns how many the server took.
    fn insert(&mut self, number: usize, rows: Range<u64>) -> Result<u64, Error> {
        let crew = self.crew;
        let table = &crew.tables[number];
        let head = format!("INSERT INTO {} VALUES ", quoted(&table.name)).into_bytes();
        let mut sql = Vec::with_capacity(2 * INSERT_BYTES);
        let (mut next, mut taken) = (rows.start, 0);
        while next < rows.end {
            if crew.is_over() {
                return Err(Error::Stopped);
            }
            sql.clear();
            sql.extend_from_slice(&head);
            let from = next;
            while next < rows.end && sql.len() < INSERT_BYTES {
                table.source.write(next, Layout::Values, &mut sql);
                next += 1;
            }
            // A place may have no rows: an id without links.
            if sql.len() > head.len() {
                sql.pop();
                self.slot.begin();
                let done = self.connection.query(&sql, &mut wire::Discard);
                self.slot.end();
                let done = done.map_err(|source| self.failed(table, "INSERT", source))?;
                self.refuse_warnings(table, done.warnings)?;
                taken += done.affected_rows;
            }
            let made = table.rows_of(from..next);
            crew.progress[number].add(crew.shared, table, made, false);
        }
        Ok(taken)
    }

    /// A warning here means that the server changed a value.
    fn refuse_warnings(&mut self, table: &Table<S>, warnings: u64) -> Result<(), Error> {
        if warnings == 0 {
            return Ok(());
        }
        let first = self
            .connection
            .query_strings("SHOW WARNINGS LIMIT 1")
            .map_err(|source| self.failed(table, "SHOW WARNINGS", source))?;
        let first = first
            .into_iter()
            .flatten()
            .next_back()
            .flatten()
            .unwrap_or_default();
        let message = format!("the server changed rows ({warnings} warnings, the first: {first})");
        Err(Error::Rows {
            table: table.name.clone(),
            message,
        })
    }
}

fn is_refusal(error: &wire::Error) -> bool {
    let code = error.code();
    code.is_some_and(|code| REFUSES_LOCAL_FILES.contains(&code))
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
