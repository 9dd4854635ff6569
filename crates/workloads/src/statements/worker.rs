//! Runs the statements on one connection and tells what came of each.

use std::ops::ControlFlow;
use std::sync::Arc;

use load::{Outcome, Sample, Turn, Worker};
use wire::{Connection, Done};

use super::checksum::Checksum;
use super::spec::Statement;
use super::status::{Calibration, Deltas, Status};
use crate::error::Error;
use crate::event::{seconds, ErrorEvent, Event, SqlError, StatementEvent};
use crate::workload::{Shared, SqlWorker};

/// ER_QUERY_TIMEOUT: killed because it took too long.
const KILLED: u16 = 3024;
/// CR_SERVER_LOST.
const LOST: u16 = 2013;
/// CR_MALFORMED_PACKET.
const MALFORMED: u16 = 2027;
/// CR_UNKNOWN_ERROR.
const UNKNOWN: u16 = 2000;
/// ER_BAD_FIELD_ERROR.
const NO_SUCH_COLUMN: u16 = 1054;
/// One connection and its worker.
pub struct StatementWorker {
    shared: Arc<Shared>,
    statements: Arc<[Statement]>,
    number: usize,
    phase: &'static str,
    /// `None` only when it was lost for good.
    connection: Option<Connection>,
    /// One a statement.
    checksums: Vec<Checksum>,
    calibration: Calibration,
    /// The op at hand.
    at: At,
}

/// What is known about the op at hand.
#[derive(Default)]
struct At {
    statement: usize,
    round: u64,
    before: Option<Status>,
    killed: bool,
    result: Option<Result<Done, SqlError>>,
}

impl StatementWorker {
    /// Connects worker `number`.
    pub fn connect(
        shared: Arc<Shared>,
        statements: Arc<[Statement]>,
        number: usize,
    ) -> Result<StatementWorker, Error> {
        let connection = shared.connector.connect(shared.limit())?;
        shared.slots[number].connected(connection.connection_id());
        let checksum =
            |statement: &Statement| Checksum::new(statement.compare.clone(), statement.ordered);
        Ok(StatementWorker {
            checksums: statements.iter().map(checksum).collect(),
            shared,
            statements,
            number,
            phase: "",
            connection: Some(connection),
            calibration: Calibration::default(),
            at: At::default(),
        })
    }

    /// Reads the status, if it is to be observed. On a broken connection the statement fails
    /// anyway, or has failed.
    fn status(&mut self) -> Option<Status> {
        if !self.shared.observe_status {
            return None;
        }
        Status::read(self.connection.as_mut()?).ok()
    }

    /// The outcome of what `query` returned.
    fn judge(&mut self, result: Result<Done, wire::Error>) -> Outcome {
        let missing = self.checksums[self.at.statement].missing();
        let result = match (result, missing) {
            (Ok(_), Some(column)) => Err(client_error(
                NO_SUCH_COLUMN,
                &format!("`compare` names column {column}, which the result doesn't have"),
            )),
            (Ok(done), None) => Ok(done),
            (Err(error), _) => Err(sql_error(error)),
        };
        let stopped = self.at.killed && self.shared.stop.is_set();
        let result = match result {
            _ if self.at.killed => Err(client_error(
                KILLED,
                &format!(
                    "killed after timeout_s = {}",
                    self.shared.timeout.as_secs_f64()
                ),
            )),
            other => other,
        };
        let outcome = match &result {
            _ if stopped => Outcome::Unfinished,
            Ok(_) => Outcome::Ok,
            Err(error) => Outcome::Failed(error.code),
        };
        self.at.result = Some(result);
        outcome
    }

    fn tell(&mut self, sample: &Sample, deltas: Option<(Deltas, Deltas)>) {
        let Some(result) = self.at.result.take() else {
            return;
        };
        let statement = &self.statements[self.at.statement];
        let checksum = &self.checksums[self.at.statement];
        let (done, error) = match result {
            Ok(done) => (Some(done), None),
            Err(error) => (None, Some(error)),
        };
        let (session_status, global_status) = deltas.unzip();
        self.shared
            .events
            .say(Event::Statement(Box::new(StatementEvent {
                phase: self.phase.to_owned(),
                round: self.at.round,
                connection: self.number,
                statement: statement.name.clone(),
                t_s: seconds(sample.started_ns),
                elapsed_ns: sample.service_ns(),
                outcome: if done.is_some() { "ok" } else { "failed" }.to_owned(),
                rows: done.map(|done| done.rows),
                bytes: done.map(|done| done.bytes),
                checksum: done.map(|done| format!("{:016x}", checksum.value(done.rows))),
                warnings: done.map(|done| done.warnings),
                error,
                session_status,
                global_status,
            })));
    }

    /// Makes the connection anew if it broke or if a KILL was sent to it: that one may have come
    /// late, and must not hit the next statement.
    fn mend(&mut self) -> ControlFlow<()> {
        let broken = self.connection.as_ref().is_none_or(Connection::is_broken);
        if !broken && !self.at.killed {
            return ControlFlow::Continue(());
        }
        if let Some(connection) = self.connection.take() {
            self.shared.connector.retire(connection);
        }
        let shared = &self.shared;
        match shared
            .connector
            .reconnect(self.number, shared.limit(), &shared.stop)
        {
            Ok(connection) => {
                shared.slots[self.number].connected(connection.connection_id());
                self.connection = Some(connection);
                ControlFlow::Continue(())
            }
            Err(Error::Stopped) => ControlFlow::Break(()),
            Err(error) => {
                shared.events.say(Event::Error(ErrorEvent::fatal(&error)));
                ControlFlow::Break(())
            }
        }
    }
}

impl SqlWorker for StatementWorker {
    fn begin_phase(&mut self, phase: &'static str) -> Result<(), Error> {
        self.phase = phase;
        if let (true, Some(connection)) = (self.shared.observe_status, &mut self.connection) {
            self.calibration = Calibration::take(connection).map_err(|source| Error::Observe {
                what: "the status",
                source,
            })?;
        }
        Ok(())
    }

    fn connection(&mut self) -> Option<&mut Connection> {
        self.connection.as_mut()
    }

    fn retire(mut self) {
        if let Some(connection) = self.connection.take() {
            self.shared.connector.retire(connection);
        }
    }
}

impl Worker for StatementWorker {
    fn next_op(&mut self, turn: Turn) -> u16 {
        let statements = self.statements.len() as u64;
        self.at = At {
            statement: (turn.nth % statements) as usize,
            round: turn.nth / statements,
            ..At::default()
        };
        self.checksums[self.at.statement].reset();
        self.at.before = self.status();
        self.at.statement as u16
    }

    fn run_op(&mut self) -> Outcome {
        let Some(connection) = &mut self.connection else {
            return Outcome::Failed(LOST);
        };
        let slot = &self.shared.slots[self.number];
        let sql = self.statements[self.at.statement].sql.as_bytes();
        slot.begin();
        let result = connection.query(sql, &mut self.checksums[self.at.statement]);
        self.at.killed = slot.end();
        self.judge(result)
    }

    fn after_op(&mut self, sample: &Sample) -> ControlFlow<()> {
        if sample.outcome == Outcome::Unfinished {
            return ControlFlow::Continue(());
        }
        let before = self.at.before.take();
        let after = self.status();
        let deltas = match (before, after) {
            (Some(before), Some(after)) => Some(self.calibration.correct(&before, &after)),
            (_, _) => None,
        };
        self.tell(sample, deltas);
        self.mend()
    }
}

fn sql_error(error: wire::Error) -> SqlError {
    match error {
        wire::Error::Server {
            code,
            sqlstate,
            message,
        } => SqlError {
            code,
            sqlstate,
            message,
        },
        error @ wire::Error::Timeout { .. } => client_error(KILLED, &error.to_string()),
        error @ (wire::Error::Lost { .. } | wire::Error::Io { .. }) => {
            client_error(LOST, &error.to_string())
        }
        error @ wire::Error::Protocol { .. } => client_error(MALFORMED, &error.to_string()),
        // The error type of `wire` may grow, and what remains can't happen in a query.
        other => client_error(UNKNOWN, &other.to_string()),
    }
}

fn client_error(code: u16, message: &str) -> SqlError {
    SqlError {
        code,
        sqlstate: "HY000".to_owned(),
        message: message.to_owned(),
    }
}
