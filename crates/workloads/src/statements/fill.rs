//! The phase `load`: creates each table, sends its rows, runs what comes after.
//!
//! Rows go in by LOAD DATA LOCAL INFILE, made while they are sent and never held. Where the server
//! refuses local files they go in by INSERT with many rows. A row that the server changed or left
//! out ends the run: tables that differ between arms would make every comparison worthless.

use std::io;
use std::time::{Duration, Instant};

use load::Clock;
use wire::Connection;

use super::generate::{Layout, Rows};
use super::spec::Table;
use crate::error::{Error, Scope};
use crate::event::{seconds, ErrorEvent, Event, PhaseEvent, PhaseState};
use crate::workload::Shared;

/// How many bytes of rows are made before they are handed to the connection.
const PIECE_BYTES: usize = 256 * 1024;
/// Well under the smallest default of max_allowed_packet, 1 MiB in MySQL 5.5.
const INSERT_BYTES: usize = 256 * 1024;
/// Progress is told at most this often.
const PROGRESS_EVERY: Duration = Duration::from_millis(500);
/// The server or the account doesn't take LOAD DATA LOCAL.
const REFUSES_LOCAL_FILES: [u16; 3] = [1148, 3948, 4166];

/// Makes all tables, one after the other.
pub fn fill(shared: &Shared, connection: &mut Connection, tables: &[Table]) -> Result<(), Error> {
    for table in tables {
        if shared.stop.is_set() {
            return Err(Error::Stopped);
        }
        let mut filler = Filler {
            shared,
            table,
            told: None,
        };
        filler.run(connection)?;
    }
    Ok(())
}

struct Filler<'a> {
    shared: &'a Shared,
    table: &'a Table,
    told: Option<Instant>,
}

impl Filler<'_> {
    fn run(&mut self, connection: &mut Connection) -> Result<(), Error> {
        let rows = Rows::new(self.shared.seed, self.table);
        self.sql(connection, "CREATE TABLE", &self.table.create)?;
        let loaded = match self.load_data(connection, &rows) {
            Err(Error::Load { source, .. })
                if source
                    .code()
                    .is_some_and(|code| REFUSES_LOCAL_FILES.contains(&code)) =>
            {
                self.shared.events.say(Event::Error(ErrorEvent {
                    scope: Scope::Load,
                    message: format!("{source}; rows go in by INSERT, which is slower"),
                    hint: source.hint().to_owned(),
                    fatal: false,
                }));
                self.insert(connection, &rows)
            }
            other => other,
        }?;
        if loaded != self.table.rows {
            let message = format!("{loaded} of {} rows went in", self.table.rows);
            return Err(Error::Rows {
                table: self.table.name.clone(),
                message,
            });
        }
        self.tell(loaded, true);
        for (number, sql) in self.table.after.iter().enumerate() {
            self.sql(connection, &format!("statement after[{number}]"), sql)?;
        }
        Ok(())
    }

    /// Runs one statement; a stop breaks it off.
    fn sql(&self, connection: &mut Connection, doing: &str, sql: &str) -> Result<u64, Error> {
        let done = self.guarded(|| connection.execute_sql(sql));
        Ok(done
            .map_err(|source| self.failed(doing, source))?
            .affected_rows)
    }

    fn guarded<T>(&self, run: impl FnOnce() -> Result<T, wire::Error>) -> Result<T, wire::Error> {
        let slot = self.shared.load_slot();
        slot.begin();
        let result = run();
        slot.end();
        result
    }

    fn failed(&self, doing: &str, source: wire::Error) -> Error {
        if self.shared.stop.is_set() {
            return Error::Stopped;
        }
        Error::Load {
            table: self.table.name.clone(),
            doing: doing.to_owned(),
            source,
        }
    }

    /// Sends all rows as one LOAD DATA; returns how many the server took.
    fn load_data(&mut self, connection: &mut Connection, rows: &Rows) -> Result<u64, Error> {
        // All generated text is ASCII, so latin1 names it whatever the columns' own sets are.
        let sql = format!(
            "LOAD DATA LOCAL INFILE 'dyno' INTO TABLE {} CHARACTER SET latin1",
            quoted(&self.table.name)
        );
        let shared = self.shared;
        let slot = shared.load_slot();
        let mut next = 0;
        slot.begin();
        let done = connection.load_data(&sql, &mut |piece: &mut Vec<u8>| {
            if shared.stop.is_set() {
                return Err(io::Error::other("the run is to stop"));
            }
            while next < self.table.rows && piece.len() < PIECE_BYTES {
                rows.write(next, Layout::Lines, piece);
                next += 1;
            }
            self.tell(next, false);
            Ok(next < self.table.rows)
        });
        slot.end();
        let done = done.map_err(|source| self.failed("LOAD DATA", source))?;
        self.refuse_warnings(connection, done.warnings)?;
        Ok(done.affected_rows)
    }

    /// Sends all rows by INSERT; returns how many the server took.
    fn insert(&mut self, connection: &mut Connection, rows: &Rows) -> Result<u64, Error> {
        let head = format!("INSERT INTO {} VALUES ", quoted(&self.table.name)).into_bytes();
        let mut sql = Vec::with_capacity(2 * INSERT_BYTES);
        let (mut next, mut taken) = (0, 0);
        while next < self.table.rows {
            if self.shared.stop.is_set() {
                return Err(Error::Stopped);
            }
            sql.clear();
            sql.extend_from_slice(&head);
            while next < self.table.rows && sql.len() < INSERT_BYTES {
                rows.write(next, Layout::Values, &mut sql);
                next += 1;
            }
            sql.pop();
            let done = self.guarded(|| connection.query(&sql, &mut wire::Discard));
            let done = done.map_err(|source| self.failed("INSERT", source))?;
            self.refuse_warnings(connection, done.warnings)?;
            taken += done.affected_rows;
            self.tell(next, false);
        }
        Ok(taken)
    }

    /// A warning here means that the server changed a value.
    fn refuse_warnings(&self, connection: &mut Connection, warnings: u64) -> Result<(), Error> {
        if warnings == 0 {
            return Ok(());
        }
        let first = connection
            .query_strings("SHOW WARNINGS LIMIT 1")
            .map_err(|source| self.failed("SHOW WARNINGS", source))?;
        let first = first
            .into_iter()
            .flatten()
            .next_back()
            .flatten()
            .unwrap_or_default();
        let message = format!("the server changed rows ({warnings} warnings, the first: {first})");
        Err(Error::Rows {
            table: self.table.name.clone(),
            message,
        })
    }

    fn tell(&mut self, rows: u64, always: bool) {
        let due = self
            .told
            .is_none_or(|told| told.elapsed() >= PROGRESS_EVERY);
        if due || always {
            self.told = Some(Instant::now());
            self.shared.events.say(Event::Phase(PhaseEvent {
                phase: "load".to_owned(),
                state: PhaseState::Progress,
                t_s: seconds(self.shared.clock.now_ns()),
                table: Some(self.table.name.clone()),
                rows: Some(rows),
                rows_total: Some(self.table.rows),
            }));
        }
    }
}

fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
