//! The bundled scripts without Lua: the workload `oltp` sends the server the same, on a few loops
//! instead of a thread per worker, for a third of the cost.
//!
//! Only for our own scripts, and only if nothing is requested that needs the script. If anything
//! prevents it, even a refused connection, the run is left to Lua, which reports it with sysbench's
//! texts.

use std::ops::ControlFlow;
use std::os::fd::BorrowedFd;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{channel, Receiver};
use std::sync::Arc;
use std::time::Duration;

use load::{run_phase, Limits, Monotonic, OpState, Outcome, Phase, Sample, Stop, Turn, Worker};
use workloads::event::{Event, Events};
use workloads::oltp::Oltp;
use workloads::plan::Retries;
use workloads::refusal::{Reported, KILLED};
use workloads::script::Refused;
use workloads::session::Connector;
use workloads::watchdog::Watchdog;
use workloads::{connect_all, Scope, SqlWorker, Workload};

use super::{failed, plan, Run};
use crate::db::{self, Failure};
use crate::log::{say, Level};
use crate::lua::State;
use crate::shared::Shared;
use crate::stats::Counter;

/// Longer than any run.
const FOREVER: Duration = Duration::from_secs(10 * 365 * 86_400);

/// Connected workers and what drives them.
pub(super) struct Crew {
    workers: Vec<Native>,
    stop: Stop,
    /// Breaks off what is running once the run is to stop.
    watchdog: Watchdog,
    refusals: Receiver<Event>,
}

impl Crew {
    /// Workers that are connected and have their statements prepared; `None` leaves the run to Lua.
    pub(super) fn assemble(shared: &Arc<Shared>, state: &State) -> Option<Crew> {
        let oltp = plan::oltp(shared, state)?;
        let threads = shared.settings.threads;
        let mut options = db::next_server(shared);
        let start_limit = Duration::from_secs(shared.settings.init_timeout_s.max(1));
        options.connect_timeout = options.connect_timeout.min(start_limit);
        let connector = Arc::new(Connector::with_options(options));
        let stop = Stop::new();
        let watched = Arc::clone(&connector);
        let answer = shared.settings.answer;
        let watchdog = Watchdog::start(threads, 1, answer, stop.clone(), watched);
        let (sender, refusals) = channel();
        let own = Arc::new(workloads::Shared {
            seed: shared.seed,
            timeout: answer,
            connections: threads,
            first: 0,
            of: threads,
            noop: false,
            retries: Retries {
                codes: shared.settings.login.ignored.clone(),
                limit: u16::MAX,
            },
            reported: Reported::default(),
            observe_status: false,
            connector,
            slots: watchdog.slots(),
            loader_slots: watchdog.loader_slots(),
            events: Events::new(sender),
            stop: stop.clone(),
            clock: Monotonic::start(),
        });
        let mut made = connect_all(&oltp, &own).ok()?;
        for worker in &mut made {
            worker.begin_phase("run").ok()?;
        }
        let keep = |(number, inner)| Native {
            inner,
            shared: Arc::clone(shared),
            stop: stop.clone(),
            number,
        };
        let workers = made.into_iter().enumerate().map(keep).collect();
        shared.uses_sql.store(true, Ordering::Relaxed);
        Some(Crew {
            workers,
            stop,
            watchdog,
            refusals,
        })
    }

    /// Waits for the start, and runs to the end.
    pub(super) fn work(self, run: &Run) {
        let threads = self.workers.len();
        run.gate.pass(threads);
        let phase = phase(&run.shared, self.stop);
        match run_phase(&phase, self.workers, |_| {}) {
            Ok(end) => end.workers.into_iter().for_each(Native::close),
            Err(error) => {
                say(Level::Fatal, &format!("the threads can't be made: {error}"));
                run.shared.pace.fail();
            }
        }
        drop(self.watchdog);
        for event in self.refusals.try_iter() {
            match event {
                // Reported when it happened, with its statement.
                Event::Error(refusal) if refusal.scope == Scope::Op => {}
                Event::Error(refusal) => say(Level::Fatal, &refusal.message),
                _ => {}
            }
        }
        run.gate.leave(threads);
    }
}

/// Reports it like a failed statement of a script, but without the script's line.
fn say_refused(refused: &Refused) {
    let call = match refused.is_prepared {
        true => "mysql_stmt_execute",
        false => "mysql_drv_query",
    };
    let failure = Failure::from(&refused.error);
    say(Level::Fatal, &failure.of_call(call, &refused.statement));
    failed("thread_run", &failure);
}

fn phase(shared: &Shared, stop: Stop) -> Phase<Monotonic> {
    let settings = &shared.settings;
    let forever_ns = FOREVER.as_nanos() as u64;
    let duration_ns = match settings.time_s {
        0 => forever_ns,
        time_s => (time_s + settings.warmup_s).saturating_mul(1_000_000_000),
    };
    let limits = Limits {
        ops: Some(settings.events).filter(|&events| events > 0),
        duration_ns: Some(duration_ns.min(forever_ns)),
    };
    // An event that is under way at the end is waited for, until the shutdown is forced.
    Phase {
        limit_ns: Some(settings.answer.as_nanos() as u64),
        ..Phase::closed(stop, limits, forever_ns)
    }
}

/// A worker of the workload that keeps sysbench's statistics.
struct Native {
    inner: <Oltp as Workload>::Worker,
    shared: Arc<Shared>,
    stop: Stop,
    number: usize,
}

impl Native {
    fn close(mut self) {
        self.inner.end_phase();
        self.inner.retire();
    }
}

impl Worker for Native {
    fn next_op(&mut self, turn: Turn) -> u16 {
        self.inner.next_op(turn)
    }

    fn begin_op(&mut self) -> OpState {
        self.shared.stats.worker(self.number).begin();
        self.inner.begin_op()
    }

    fn resume_op(&mut self) -> OpState {
        self.inner.resume_op()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.inner.descriptor()
    }

    fn is_sending(&self) -> bool {
        self.inner.is_sending()
    }

    fn give_up_op(&mut self) -> Outcome {
        self.inner.give_up_op()
    }

    fn retries(&self) -> u16 {
        self.inner.retries()
    }

    fn after_op(&mut self, sample: &Sample) {
        let stats = self.shared.stats.worker(self.number);
        let account = self.inner.account();
        stats.add(Counter::Read, account.statements.read);
        stats.add(Counter::Write, account.statements.write);
        stats.add(Counter::Other, account.statements.other);
        stats.add(Counter::Error, account.retries.values().sum());
        match sample.outcome {
            Outcome::Ok => self.shared.ended(self.number, sample.latency_ns()),
            Outcome::Failed(code) => {
                stats.abandon();
                if code == KILLED {
                    let answer_s = self.shared.settings.answer.as_secs();
                    say(
                        Level::Fatal,
                        &format!("no answer within {answer_s} seconds"),
                    );
                } else if let Some(refused) = self.inner.take_refused() {
                    say_refused(&refused);
                }
                self.shared.pace.fail();
                self.stop.set();
            }
            Outcome::Skipped | Outcome::Unfinished => stats.abandon(),
        }
    }

    fn needs_mending(&self) -> bool {
        self.inner.needs_mending()
    }

    fn mend(&mut self) -> ControlFlow<()> {
        // A lost connection isn't an error to ignore, so the run ends.
        ControlFlow::Break(())
    }
}
