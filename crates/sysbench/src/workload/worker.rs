//! One worker: a Lua state with its connections, and the script's events as ops.

use std::collections::BTreeMap;
use std::mem;
use std::ops::ControlFlow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use load::{OpState, Outcome, Turn, Worker};
use wire::Connection;
use workloads::account::{Account, Statements};
use workloads::event::{ErrorEvent, Event};
use workloads::refusal::{KILLED, UNKNOWN};
use workloads::{Error as RunError, Scope, Shared as RunShared, SqlWorker};

use super::seat::Seat;
use crate::lua::{Pause, Progress, ScriptError};
use crate::run::make_room;
use crate::shared::Shared;
use crate::stats::Counter;

/// How long to try to begin again after a failure.
const RENEW_FOR: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// One worker.
pub struct LuaWorker {
    run: Arc<RunShared>,
    script: Arc<Shared>,
    number: usize,
    seat: Seat,
    /// For what isn't the script's, if the script keeps no connection.
    spare: Option<Connection>,
    /// True at the first op of a phase, which has a thread of its own.
    is_new_thread: bool,
    /// The last op failed, or was killed.
    is_broken: bool,
    retries: u16,
    ignored: u64,
    /// Whether the worker gives up its thread while it waits.
    shares_thread: bool,
    /// What it waits for then, apart from the connection, which the script has.
    descriptor: Option<OwnedFd>,
    is_sending: bool,
    /// What was accounted for so far.
    accounted: Account,
}

impl LuaWorker {
    /// Connects worker `number`, as far as the script does before its first event.
    pub fn begin(
        run: Arc<RunShared>,
        script: Arc<Shared>,
        number: usize,
    ) -> Result<LuaWorker, String> {
        Ok(LuaWorker {
            seat: Seat::take(&script, number)?,
            run,
            script,
            number,
            spare: None,
            is_new_thread: false,
            is_broken: false,
            retries: 0,
            ignored: 0,
            shares_thread: false,
            descriptor: None,
            is_sending: false,
            accounted: Account::default(),
        })
    }

    /// Whether to share a thread from now on: scripts that may block keep one each.
    fn take_place(&mut self) {
        let may_share = !self.script.blocks.load(Ordering::Relaxed);
        self.descriptor = match may_share && !self.run.noop {
            true => self.seat.share_thread(),
            false => None,
        };
        self.shares_thread = may_share && (self.run.noop || self.descriptor.is_some());
    }

    /// After a step of the op.
    fn take(&mut self, progress: Progress) -> OpState {
        let ended = match progress {
            Progress::Paused(Pause::Server { sending }) => {
                self.is_sending = sending;
                return OpState::Waits;
            }
            Progress::Paused(Pause::Event) => None,
            Progress::Over(result) => Some(result),
        };
        self.is_sending = false;
        let killed = self.run.slot(self.number).end();
        let ignored = self.script.stats.worker(self.number).retried() - self.ignored;
        self.retries = u16::try_from(ignored).unwrap_or(u16::MAX);
        OpState::Ended(self.judge(ended, killed))
    }

    fn judge(&mut self, ended: Option<Result<(), ScriptError>>, killed: bool) -> Outcome {
        let is_stopped = self.run.stop.is_set();
        let problem = match ended {
            None if !killed => return Outcome::Ok,
            None => "it took too long".to_owned(),
            Some(Ok(())) => "the script ended its loop".to_owned(),
            Some(Err(error)) => error.to_string(),
        };
        self.is_broken = true;
        if is_stopped {
            return Outcome::Unfinished;
        }
        let code = match killed {
            true => KILLED,
            false => self.seat.fatal().unwrap_or(UNKNOWN),
        };
        let message = format!("an op failed: {problem}");
        self.run.report_failure(code, message, "");
        Outcome::Failed(code)
    }

    /// All that the script did so far.
    fn total(&self) -> Account {
        let stats = self.script.stats.worker(self.number);
        Account {
            statements: Statements {
                read: stats.read(Counter::Read),
                write: stats.read(Counter::Write),
                other: stats.read(Counter::Other),
            },
            retries: stats.ignored(),
            reconnects: stats.read(Counter::Reconnect),
            ..Account::default()
        }
    }

    fn renew(&mut self) -> Result<(), RunError> {
        let since = Instant::now();
        loop {
            if self.run.stop.is_set() {
                return Err(RunError::Stopped);
            }
            let message = match Seat::take(&self.script, self.number) {
                Ok(seat) => {
                    self.seat = seat;
                    self.take_place();
                    return Ok(());
                }
                Err(message) => message,
            };
            if since.elapsed() > RENEW_FOR {
                return Err(RunError::Script {
                    message: format!("connection {} can't go on: {message}", self.number),
                    scope: Scope::Connect,
                    hint: "look at the server's error log".to_owned(),
                });
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Worker for LuaWorker {
    fn blocks(&self) -> bool {
        !self.shares_thread
    }

    fn next_op(&mut self, _turn: Turn) -> u16 {
        if mem::take(&mut self.is_new_thread) && self.blocks() {
            make_room(self.run.connections);
        }
        self.ignored = self.script.stats.worker(self.number).retried();
        0
    }

    fn begin_op(&mut self) -> OpState {
        let slot = self.run.slot(self.number);
        slot.begin();
        let progress = self.seat.go_on(true);
        self.take(progress)
    }

    fn resume_op(&mut self) -> OpState {
        let progress = self.seat.go_on(true);
        self.take(progress)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref().map(OwnedFd::as_fd)
    }

    fn is_sending(&self) -> bool {
        self.is_sending
    }

    fn give_up_op(&mut self) -> Outcome {
        // This closes the connection, so that the server notices.
        self.seat.give_up();
        self.run.slot(self.number).end();
        (self.is_sending, self.is_broken) = (false, true);
        Outcome::Failed(KILLED)
    }

    fn retries(&self) -> u16 {
        self.retries
    }

    fn needs_mending(&self) -> bool {
        self.is_broken
    }

    fn mend(&mut self) -> ControlFlow<()> {
        self.is_broken = false;
        match self.renew() {
            Ok(()) => ControlFlow::Continue(()),
            Err(RunError::Stopped) => ControlFlow::Break(()),
            Err(error) => {
                if self.run.reported.is_first_end() {
                    self.run.events.say(Event::Error(ErrorEvent::fatal(&error)));
                }
                ControlFlow::Break(())
            }
        }
    }
}

impl SqlWorker for LuaWorker {
    fn begin_phase(&mut self, _phase: &'static str) -> Result<(), RunError> {
        self.is_new_thread = true;
        // An op that outlasted the previous phase was given up.
        match mem::take(&mut self.is_broken) {
            true => self.renew(),
            false => {
                self.take_place();
                Ok(())
            }
        }
    }

    fn end_phase(&mut self) {
        self.seat.keep_thread();
    }

    fn connection(&mut self) -> Option<&mut Connection> {
        if self.run.noop {
            return None;
        }
        if let Some(connection) = self.seat.connection() {
            return Some(connection);
        }
        if self.spare.is_none() {
            self.spare = self.run.connector.connect(self.run.limit()).ok();
        }
        self.spare.as_mut()
    }

    fn account(&mut self) -> Account {
        let total = self.total();
        let since = difference(&total, &self.accounted);
        self.accounted = total;
        since
    }

    fn retire(mut self) {
        if let Some(spare) = self.spare.take() {
            self.run.connector.retire(spare);
        }
        if !self.is_broken && matches!(self.seat.go_on(false), Progress::Over(Ok(()))) {
            self.seat.call_last("thread_done", self.number);
        }
    }
}

fn difference(total: &Account, before: &Account) -> Account {
    let retries: BTreeMap<u16, u64> = (total.retries.iter())
        .map(|(&code, &count)| (code, count - before.retries.get(&code).unwrap_or(&0)))
        .filter(|&(_, count)| count > 0)
        .collect();
    Account {
        statements: Statements {
            read: total.statements.read - before.statements.read,
            write: total.statements.write - before.statements.write,
            other: total.statements.other - before.statements.other,
        },
        retries,
        reconnects: total.reconnects - before.reconnects,
        ..Account::default()
    }
}
