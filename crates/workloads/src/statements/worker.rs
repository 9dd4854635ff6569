//! Runs the statements on one connection and reports the result of each.

use std::ops::ControlFlow;
use std::sync::Arc;

use load::{OpState, Outcome, Sample, Turn, Worker};
use wire::{Connection, Done};

use super::checksum::Checksum;
use super::spec::Statement;
use super::status::{Calibration, Status};
use crate::account::Account;
use crate::error::Error;
use crate::event::{seconds, Event, SqlError, StatementEvent};
use crate::line::Line;
use crate::observe::Deltas;
use crate::refusal::{client_error, sql_error, KILLED, LOST};
use crate::workload::{Shared, SqlWorker};

/// ER_BAD_FIELD_ERROR.
const NO_SUCH_COLUMN: u16 = 1054;

/// One connection and its worker.
pub struct StatementWorker {
    shared: Arc<Shared>,
    statements: Arc<[Statement]>,
    number: usize,
    phase: &'static str,
    line: Line,
    /// One per statement.
    checksums: Vec<Checksum>,
    calibration: Calibration,
    /// The current op.
    at: At,
}

/// What is known about the current op.
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
        let line = Line::connect(Arc::clone(&shared), number)?;
        let checksum =
            |statement: &Statement| Checksum::new(statement.compare.clone(), statement.ordered);
        Ok(StatementWorker {
            checksums: statements.iter().map(checksum).collect(),
            shared,
            statements,
            number,
            phase: "",
            line,
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
        Status::read(self.line.connection()?).ok()
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

    fn report(&mut self, sample: &Sample, deltas: Option<(Deltas, Deltas)>) {
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
}

impl SqlWorker for StatementWorker {
    fn begin_phase(&mut self, phase: &'static str) -> Result<(), Error> {
        self.phase = phase;
        if let (true, Some(connection)) = (self.shared.observe_status, self.line.connection()) {
            self.calibration = Calibration::take(connection).map_err(|source| Error::Observe {
                what: "the status",
                source,
            })?;
        }
        Ok(())
    }

    fn connection(&mut self) -> Option<&mut Connection> {
        self.line.connection()
    }

    fn account(&mut self) -> Account {
        // Each statement has its own event.
        Account::default()
    }

    fn retire(mut self) {
        self.line.hang_up();
    }
}

impl Worker for StatementWorker {
    // A statement may take any time, and its status is read before and after it: so it has its own
    // thread.
    fn blocks(&self) -> bool {
        true
    }

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

    fn begin_op(&mut self) -> OpState {
        let Some((connection, slot)) = self.line.connection_and_slot() else {
            return OpState::Ended(Outcome::Failed(LOST));
        };
        let sql = self.statements[self.at.statement].sql.as_bytes();
        slot.begin();
        let result = connection.query(sql, &mut self.checksums[self.at.statement]);
        self.at.killed = slot.end();
        OpState::Ended(self.judge(result))
    }

    fn after_op(&mut self, sample: &Sample) {
        if sample.outcome == Outcome::Unfinished {
            return;
        }
        let before = self.at.before.take();
        let after = self.status();
        let deltas = match (before, after) {
            (Some(before), Some(after)) => Some(self.calibration.correct(&before, &after)),
            (_, _) => None,
        };
        self.report(sample, deltas);
    }

    fn needs_mending(&self) -> bool {
        self.at.killed || self.line.is_broken()
    }

    fn mend(&mut self) -> ControlFlow<()> {
        self.line.mend(self.at.killed).map_continue(|_| ())
    }
}
