//! One worker: a Lua state with its connections, and the script's events as ops.

use std::collections::BTreeMap;
use std::mem;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use load::{OpState, Outcome, Turn, Worker};
use wire::Connection;
use workloads::account::{Account, Statements};
use workloads::event::{ErrorEvent, Event};
use workloads::refusal::{KILLED, UNKNOWN};
use workloads::{Error as RunError, Scope, Shared as RunShared, SqlWorker};

use crate::lua::{Events, Progress, ScriptError, State};
use crate::run::make_room;
use crate::shared::{self, Own, Shared};
use crate::stats::Counter;

/// How long to try to begin again after a failure.
const RENEW_FOR: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);

/// A Lua state that isn't bound to a thread: what it has of its own is kept beside it, and is the
/// thread's while a function runs.
struct Seat {
    own: Option<Box<Own>>,
    events: Option<Events>,
    state: Option<State>,
}

impl Seat {
    /// A new state, stopped before its first event.
    fn take(shared: &Arc<Shared>, number: usize) -> Result<Seat, String> {
        let begun = begin(shared, number);
        let own = shared::park();
        let (state, events) = begun?;
        Ok(Seat {
            own,
            events: Some(events),
            state: Some(state),
        })
    }

    fn enter<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(own) = self.own.take() {
            shared::enter(own);
        }
        let done = action(self);
        self.own = shared::park();
        done
    }

    fn go_on(&mut self, has_event: bool) -> Result<Progress, ScriptError> {
        self.enter(|seat| match &seat.events {
            Some(events) => events.go_on(has_event),
            None => Ok(Progress::Over),
        })
    }

    /// The number of the error that ended the events, if a server gave it.
    fn fatal(&self) -> Option<u16> {
        let sessions = self
            .own
            .iter()
            .flat_map(|own| own.sessions.iter().flatten());
        sessions.filter_map(|session| session.fatal).next_back()
    }

    fn connection(&mut self) -> Option<&mut Connection> {
        let own = self.own.as_mut()?;
        let mut sessions = own.sessions.iter_mut().flatten();
        sessions.find_map(|session| session.connection())
    }
}

impl Drop for Seat {
    /// Lua's own objects are finalised with the thread's data in place.
    fn drop(&mut self) {
        self.enter(|seat| {
            seat.events = None;
            seat.state = None;
        });
    }
}

fn begin(shared: &Arc<Shared>, number: usize) -> Result<(State, Events), String> {
    let state = State::ready(shared, number).map_err(|error| error.to_string())?;
    if state.has("thread_init") {
        let called = state.call("thread_init", number);
        called.map_err(|error| format!("thread_init: {error}"))?;
    }
    let events = state.events(number);
    let events = events.map_err(|error| format!("thread_run: {error}"))?;
    Ok((state, events))
}

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
            accounted: Account::default(),
        })
    }

    fn judge(&mut self, stopped: Result<Progress, ScriptError>, killed: bool) -> Outcome {
        let is_stopped = self.run.stop.is_set();
        let problem = match stopped {
            Ok(Progress::Event) if !killed => return Outcome::Ok,
            Ok(Progress::Event) => "it took too long".to_owned(),
            Ok(Progress::Over) => "the script ended its loop".to_owned(),
            Err(error) => error.to_string(),
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
    // Scripts may block anywhere.
    const BLOCKS: bool = true;

    fn next_op(&mut self, _turn: Turn) -> u16 {
        if mem::take(&mut self.is_new_thread) {
            make_room(self.run.connections);
        }
        self.ignored = self.script.stats.worker(self.number).retried();
        0
    }

    fn begin_op(&mut self) -> OpState {
        let slot = self.run.slot(self.number);
        slot.begin();
        let stopped = self.seat.go_on(true);
        let killed = slot.end();
        let ignored = self.script.stats.worker(self.number).retried() - self.ignored;
        self.retries = u16::try_from(ignored).unwrap_or(u16::MAX);
        OpState::Ended(self.judge(stopped, killed))
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
        Ok(())
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
        if !self.is_broken && self.seat.go_on(false).is_ok() {
            let number = self.number;
            self.seat.enter(|seat| {
                let state = seat.state.as_ref();
                if let Some(state) = state.filter(|state| state.has("thread_done")) {
                    // The run is over: what fails here changes no figure.
                    let _ = state.call("thread_done", number);
                }
            });
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
