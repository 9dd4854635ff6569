//! Runs a script on one connection, without ever waiting for the server: each step is sent, and the
//! next one follows when its answer has arrived. The whole op is retried if the server asks for
//! that.

use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;
use std::sync::Arc;

use load::{OpState, Outcome, Turn, Worker};
use wire::{Connection, Done, Encoding};

use super::ear::Ear;
use super::refused::Refused;
use super::say::{Prepared, Say};
use super::Script;
use crate::account::Account;
use crate::error::Error;
use crate::event::{ErrorEvent, Event};
use crate::line::{Line, Mended};
use crate::refusal::{code_of, KILLED, LOST};
use crate::session::run_session;
use crate::workload::{Shared, SqlWorker};

/// Ops are numbered by phase: each phase starts at a multiple of this. No phase has that many ops.
const PHASE_OPS: u64 = 1 << 40;

/// One script and its connection.
pub struct ScriptWorker<S> {
    shared: Arc<Shared>,
    script: S,
    link: Link,
    prepared: Vec<Prepared>,
    account: Account,
    /// How many phases began, so that no phase repeats the ops of the previous one.
    phases: u64,
    at: At,
    /// The step sent last.
    said: usize,
    /// What ended the previous op, if it failed.
    failure: Option<wire::Error>,
    /// Those of the current op.
    retries: u16,
    killed: bool,
    /// Result sets begun by the answer to the current step.
    sets: usize,
}

/// The peer of the script.
enum Link {
    Server(Box<Line>),
    /// None: commands are written and discarded.
    Noop(Vec<u8>),
}

/// The state of the current op.
enum At {
    /// Waits for this step's answer.
    Step(usize),
    /// Waits for the answer to ROLLBACK; then the op ends with this error, or is retried.
    Rollback { refused: wire::Error, again: bool },
}

impl<S: Script> ScriptWorker<S> {
    /// Connects worker `number` and prepares its statements.
    pub fn connect(shared: Arc<Shared>, number: usize, script: S) -> Result<Self, Error> {
        let link = if shared.noop {
            Link::Noop(Vec::new())
        } else {
            Link::Server(Box::new(Line::connect(Arc::clone(&shared), number)?))
        };
        let mut worker = ScriptWorker {
            shared,
            script,
            link,
            prepared: Vec::new(),
            account: Account::default(),
            phases: 0,
            at: At::Step(0),
            said: 0,
            failure: None,
            retries: 0,
            killed: false,
            sets: 0,
        };
        worker.prepare()?;
        Ok(worker)
    }

    /// Runs the script's session statements and prepares all others, on the current connection,
    /// which isn't polled yet.
    fn prepare(&mut self) -> Result<(), Error> {
        self.prepared.clear();
        if let Link::Server(line) = &mut self.link {
            let Some(connection) = line.connection() else {
                return Ok(());
            };
            run_session(&self.script.session(), connection)?;
        }
        for sql in self.script.prepared() {
            let prepared = match &mut self.link {
                Link::Noop(_) => Prepared {
                    id: 0,
                    params: sql.matches('?').count() as u16,
                },
                Link::Server(line) => {
                    let Some(connection) = line.connection() else {
                        return Ok(());
                    };
                    let made = connection.prepare(&sql);
                    let made = made.map_err(|source| Error::Prepare {
                        statement: sql,
                        source,
                    })?;
                    Prepared {
                        id: made.id(),
                        params: made.params() as u16,
                    }
                }
            };
            self.prepared.push(prepared);
        }
        Ok(())
    }

    /// Switches the connection between blocking commands and a non-blocking op.
    fn set_polled(&mut self, polled: bool) {
        if let Link::Server(line) = &mut self.link {
            if let Some(connection) = line.connection() {
                // A socket that refuses this is broken, as its next command will show.
                let _ = connection.set_polled(polled);
            }
        }
    }

    /// Sends step `step`; with it or with a later one the op may be done.
    fn say(&mut self, mut step: usize) -> OpState {
        loop {
            self.said = step;
            match self.send(step) {
                Ok(Sent::Waits) => {
                    self.at = At::Step(step);
                    return OpState::Waits;
                }
                Ok(Sent::Answered(done)) => self.account.statements.count(&done),
                Ok(Sent::Nothing) => return self.end(Ok(())),
                Err(error) => return self.refused(error),
            }
            step += 1;
        }
    }

    fn send(&mut self, step: usize) -> Result<Sent, wire::Error> {
        let ScriptWorker {
            script,
            link,
            prepared,
            ..
        } = self;
        let mut encoding = Encoding::Text;
        self.sets = 0;
        match link {
            Link::Server(line) => {
                let connection = line.connection().ok_or(wire::Error::Lost {
                    during: "running a command",
                })?;
                let out = connection.compose()?;
                if !script.step(step, Say::new(out, prepared, &mut encoding)) {
                    return Ok(Sent::Nothing);
                }
                connection.start(encoding).map(|()| Sent::Waits)
            }
            Link::Noop(out) => {
                out.clear();
                let has_step = script.step(step, Say::new(out, prepared, &mut encoding));
                Ok(if has_step {
                    Sent::Answered(Done::default())
                } else {
                    Sent::Nothing
                })
            }
        }
    }

    /// The server refused a step: sends ROLLBACK, so that the next BEGIN doesn't commit the first
    /// half of this transaction, and then possibly reruns it.
    fn refused(&mut self, error: wire::Error) -> OpState {
        if error.is_fatal() {
            return self.end(Err(error));
        }
        let again = self.may_repeat(&error) && !self.shared.stop.is_set();
        if !self.script.is_transaction() {
            return self.after_rollback(error, again);
        }
        match self.roll_back() {
            Ok(()) => {
                self.at = At::Rollback {
                    refused: error,
                    again,
                };
                OpState::Waits
            }
            Err(lost) => self.end(Err(lost)),
        }
    }

    fn may_repeat(&self, error: &wire::Error) -> bool {
        let policy = &self.shared.retries;
        policy.codes.contains(&code_of(error)) && self.retries < policy.limit
    }

    fn roll_back(&mut self) -> Result<(), wire::Error> {
        let Link::Server(line) = &mut self.link else {
            return Ok(());
        };
        let connection = line.connection().ok_or(wire::Error::Lost {
            during: "rolling back",
        })?;
        wire::codec::command::query(connection.compose()?, b"ROLLBACK");
        connection.start(Encoding::Text)
    }

    fn after_rollback(&mut self, refused: wire::Error, again: bool) -> OpState {
        if !again {
            return self.end(Err(refused));
        }
        self.retries += 1;
        *self.account.retries.entry(code_of(&refused)).or_default() += 1;
        self.say(0)
    }

    fn end(&mut self, result: Result<(), wire::Error>) -> OpState {
        if let Link::Server(line) = &mut self.link {
            self.killed = line
                .connection_and_slot()
                .is_some_and(|(_, slot)| slot.end());
        }
        let is_stopped = self.shared.stop.is_set();
        let outcome = match &result {
            _ if self.killed && is_stopped => Outcome::Unfinished,
            _ if self.killed => Outcome::Failed(KILLED),
            Ok(()) => Outcome::Ok,
            // Without the stop it would have been repeated.
            Err(error) if is_stopped && self.may_repeat(error) => Outcome::Unfinished,
            Err(error) => Outcome::Failed(code_of(error)),
        };
        if let (Outcome::Failed(_), Err(error)) = (outcome, &result) {
            self.shared.report_refusal("an op failed", error);
        }
        self.script.ended(outcome == Outcome::Ok);
        self.failure = result.err();
        OpState::Ended(outcome)
    }

    /// What the last op failed with, once; `None` if the server refused nothing.
    pub fn take_refused(&mut self) -> Option<Refused> {
        let error = self.failure.take()?;
        Some(Refused::new(&mut self.script, self.said, error))
    }
}

/// The result of a step.
enum Sent {
    /// There was none: the op is done.
    Nothing,
    /// Waits for its answer.
    Waits,
    /// Its answer has arrived.
    Answered(Done),
}

impl<S: Script + 'static> Worker for ScriptWorker<S> {
    fn next_op(&mut self, turn: Turn) -> u16 {
        let index = self.phases * PHASE_OPS + turn.index;
        self.script.draw(Turn { index, ..turn })
    }

    fn begin_op(&mut self) -> OpState {
        self.retries = 0;
        if let Link::Server(line) = &mut self.link {
            match line.connection_and_slot() {
                Some((_, slot)) => slot.begin(),
                None => return OpState::Ended(Outcome::Failed(LOST)),
            }
        }
        self.say(0)
    }

    fn resume_op(&mut self) -> OpState {
        let Link::Server(line) = &mut self.link else {
            return OpState::Waits;
        };
        let Some(connection) = line.connection() else {
            return OpState::Ended(Outcome::Failed(LOST));
        };
        let script = &mut self.script;
        let mut ear = Ear::new(script.hears(), &mut self.sets, |set, row| {
            script.hear(set, row)
        });
        let answer = match connection.resume(&mut ear) {
            Ok(None) => return OpState::Waits,
            Ok(Some(done)) => Ok(done),
            Err(error) => Err(error),
        };
        match (std::mem::replace(&mut self.at, At::Step(0)), answer) {
            (At::Step(step), Ok(done)) => {
                self.account.statements.count(&done);
                match self.script.check(&done) {
                    Ok(()) => self.say(step + 1),
                    Err(wrong) => self.refused(wire::Error::Usage {
                        what: wrong.to_owned(),
                    }),
                }
            }
            (At::Step(_), Err(error)) => self.refused(error),
            (At::Rollback { refused, again }, Ok(_)) => self.after_rollback(refused, again),
            (At::Rollback { .. }, Err(error)) => self.end(Err(error)),
        }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.link {
            Link::Server(line) => line.descriptor(),
            Link::Noop(_) => None,
        }
    }

    fn is_sending(&self) -> bool {
        match &self.link {
            Link::Server(line) => line.is_sending(),
            Link::Noop(_) => false,
        }
    }

    fn give_up_op(&mut self) -> Outcome {
        // The server may still be working on it: closing the connection lets it notice.
        if let Link::Server(line) = &mut self.link {
            if let Some((_, slot)) = line.connection_and_slot() {
                slot.end();
            }
            line.hang_up();
        }
        Outcome::Failed(KILLED)
    }

    fn retries(&self) -> u16 {
        self.retries
    }

    fn pause_ns(&mut self) -> u64 {
        self.script.pause_ns()
    }

    fn needs_mending(&self) -> bool {
        match &self.link {
            Link::Server(line) => self.killed || line.is_broken(),
            Link::Noop(_) => false,
        }
    }

    fn mend(&mut self) -> ControlFlow<()> {
        let Link::Server(line) = &mut self.link else {
            return ControlFlow::Continue(());
        };
        if line.mend(self.killed)? == Mended::Same {
            return ControlFlow::Continue(());
        }
        self.killed = false;
        self.account.reconnects += 1;
        match self.prepare() {
            // The server went away again: the next op fails, and that restores the connection.
            Err(error) if !error.is_lost_connection() => {
                if self.shared.reported.is_first_end() {
                    let event = ErrorEvent::fatal(&error);
                    self.shared.events.say(Event::Error(event));
                }
                ControlFlow::Break(())
            }
            Ok(()) | Err(_) => {
                self.set_polled(true);
                ControlFlow::Continue(())
            }
        }
    }
}

impl<S: Script + 'static> SqlWorker for ScriptWorker<S> {
    fn begin_phase(&mut self, _phase: &'static str) -> Result<(), Error> {
        // An op that outlasted the previous phase was given up together with its connection.
        if let Link::Server(line) = &mut self.link {
            if line.renew(self.killed)? == Mended::New {
                self.killed = false;
                self.account.reconnects += 1;
                self.prepare()?;
            }
        }
        self.phases += 1;
        self.script.begin_phase();
        self.set_polled(true);
        Ok(())
    }

    fn end_phase(&mut self) {
        self.set_polled(false);
    }

    fn connection(&mut self) -> Option<&mut Connection> {
        match &mut self.link {
            Link::Server(line) => line.connection(),
            Link::Noop(_) => None,
        }
    }

    fn account(&mut self) -> Account {
        self.account.counters = self.script.take_counters();
        std::mem::take(&mut self.account)
    }

    fn retire(self) {
        if let Link::Server(mut line) = self.link {
            line.hang_up();
        }
    }
}
