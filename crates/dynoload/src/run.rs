//! A run from the outside: hello, the phases, errors, summary. Always all of it.
//!
//! Whatever happens, `hello` is the first event and `summary` the last.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kinds::load_plan::Plan;
use load::{Monotonic, Stop};
use nix::sys::resource::{getrlimit, setrlimit, Resource};
use nix::unistd::Pid;
use wire::Connection;
use workloads::cost::client;
use workloads::event::{ErrorEvent, Event, Events, Hello, PhaseSummary, Summary};
use workloads::plan::PlanError;
use workloads::refusal::Reported;
use workloads::session::Connector;
use workloads::watchdog::Watchdog;
use workloads::{Error, Scope, Shared, Spec, UseWorkload, Workload};

use crate::exit::Exit;
use crate::gate::Gate;
use crate::phases::{Phases, Record};
use crate::signals::{self, Signals};
use crate::writer::{Listener, Writer};

/// What the command line asked for.
pub struct Asked {
    /// The plan, if it could be read.
    pub plan: Result<Plan, PlanError>,
    /// Where events go, if not to standard output, or only to the listener.
    pub events: Option<PathBuf>,
    /// The listener in this process.
    pub listener: Option<Listener>,
    /// The process whose end also ends this one.
    pub end_with: Option<Pid>,
}

/// Runs a plan; everything that happened is in the events.
pub fn run(asked: Asked) -> Exit {
    let stop = Stop::new();
    let started = Writer::start(asked.events.as_deref(), asked.listener, stop.clone());
    let (events, writer) = match started {
        Ok(started) => started,
        Err(error) => {
            error.report();
            return Exit::Events;
        }
    };
    let exit = match asked.plan {
        Ok(plan) => run_plan(&plan, asked.end_with, &stop, events),
        Err(error) => {
            events.say(Event::Hello(Hello::now(None)));
            events.say(Event::Error(ErrorEvent {
                scope: Scope::Plan,
                message: error.to_string(),
                hint: error.hint().to_owned(),
                fatal: true,
            }));
            say_summary(&events, false, Vec::new(), (0, 0), Exit::Plan)
        }
    };
    match writer.finish() {
        Ok(()) => exit,
        Err(error) => {
            error.report();
            Exit::Events
        }
    }
}

fn run_plan(plan: &Plan, end_with: Option<Pid>, stop: &Stop, events: Events) -> Exit {
    match listen(end_with, stop) {
        Ok(signals) => run_to_end(plan, &signals, stop, &events),
        Err(error) => {
            events.say(Event::Hello(Hello::now(None)));
            events.say(Event::Error(ErrorEvent::fatal(&error)));
            say_summary(&events, false, Vec::new(), (0, 0), Exit::from_error(&error))
        }
    }
}

fn listen(end_with: Option<Pid>, stop: &Stop) -> Result<Signals, Error> {
    allow_descriptors();
    let signals = Signals::listen(stop)?;
    if let Some(parent) = end_with {
        if !signals::die_with_parent(parent)? {
            stop.set();
        }
    }
    Ok(signals)
}

/// Raises the limit of open files to what the system allows: a connection takes one, and the usual
/// limit is 1024. If it can't be raised, connecting reports what is missing.
pub fn allow_descriptors() {
    if let Ok((_, most)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}

fn say_summary(
    events: &Events,
    complete: bool,
    phases: Vec<PhaseSummary>,
    bytes: (u64, u64),
    exit: Exit,
) -> Exit {
    match client(bytes) {
        Ok(client) => {
            events.say(Event::Summary(Summary {
                complete,
                phases,
                client,
            }));
            exit
        }
        Err(error) => {
            events.say(Event::Error(ErrorEvent::fatal(&error)));
            Exit::from_error(&error)
        }
    }
}

/// Runs a plan and reports how it ended. A panic of this program is reported like any error.
fn run_to_end(plan: &Plan, signals: &Signals, stop: &Stop, events: &Events) -> Exit {
    let mut record = Record::default();
    let exit = match catch_unwind(AssertUnwindSafe(|| {
        connect_and_run(plan, stop, events, &mut record)
    })) {
        Ok(Ok(())) if record.gave_up => Exit::Lost,
        Ok(Ok(())) if record.cut_short => Exit::Signal,
        Ok(Ok(())) => Exit::Done,
        Ok(Err(Error::Stopped)) => Exit::Signal,
        Ok(Err(error)) => {
            events.say(Event::Error(ErrorEvent::fatal(&error)));
            Exit::from_error(&error)
        }
        Err(_) => {
            events.say(Event::Error(ErrorEvent {
                scope: Scope::Internal,
                message: "dynoload has a defect: the message of its panic is above".to_owned(),
                hint: "report it with the plan and that text".to_owned(),
                fatal: true,
            }));
            Exit::Defect
        }
    };
    // A signal that came during other trouble is still a signal.
    let exit = if exit != Exit::Done && signals.has_arrived() {
        Exit::Signal
    } else {
        exit
    };
    say_summary(
        events,
        exit == Exit::Done,
        record.phases,
        record.bytes,
        exit,
    )
}

/// Opens the files that a plan names, and closes them: problems show before anything is loaded.
pub fn open_files(plan: &Plan) -> Result<(), Error> {
    plan.workload.open(plan.seed, Forget)
}

struct Forget;

impl UseWorkload for Forget {
    type Output = ();

    fn use_workload<W: Workload + Sync>(self, _workload: &W) -> Result<(), Error> {
        Ok(())
    }
}

/// Connects, says hello, and runs the plan.
fn connect_and_run(
    plan: &Plan,
    stop: &Stop,
    events: &Events,
    record: &mut Record,
) -> Result<(), Error> {
    let connector = Connector::new(&plan.target, &plan.session, plan.workload.converses());
    let connected = connector.and_then(|connector| {
        let first = if plan.target.noop {
            None
        } else {
            Some(connector.login(None)?)
        };
        Ok((connector, first))
    });
    let version = connected.as_ref().ok();
    let version = version.and_then(|(_, first)| first.as_ref());
    let version = version.map(|connection| connection.server_version().to_owned());
    let clock = Monotonic::start();
    events.say(Event::Hello(Hello::now(version)));
    let (connector, mut first) = connected?;
    if let Some(connection) = &mut first {
        connector.begin_session(connection)?;
    }
    let connector = Arc::new(connector);
    let timeout = Duration::from_secs_f64(plan.timeout_s);
    let connections = plan.connections as usize;
    let loaders = plan.workload.loaders();
    let watchdog = Watchdog::start(
        connections,
        loaders,
        timeout,
        stop.clone(),
        Arc::clone(&connector),
    );
    let shared = Arc::new(Shared {
        seed: plan.seed,
        timeout,
        connections,
        first: plan.part().first as usize,
        of: plan.part().of as usize,
        noop: plan.target.noop,
        retries: plan.retries.clone(),
        reported: Reported::default(),
        observe_status: plan.observe.status,
        connector: Arc::clone(&connector),
        slots: watchdog.slots(),
        loader_slots: watchdog.loader_slots(),
        events: events.clone(),
        stop: stop.clone(),
        clock,
    });
    let done = plan.workload.open(
        plan.seed,
        RunPhases {
            plan,
            shared: &shared,
            record,
            first,
        },
    );
    record.bytes = connector.bytes();
    done
}

/// A run of the phases, on a first connection if there is a server.
struct RunPhases<'a> {
    plan: &'a Plan,
    shared: &'a Arc<Shared>,
    record: &'a mut Record,
    first: Option<Connection>,
}

impl UseWorkload for RunPhases<'_> {
    type Output = ();

    fn use_workload<W: Workload + Sync>(self, workload: &W) -> Result<(), Error> {
        let gate = self.plan.start.map(|_| Gate::open());
        let phases = Phases::new(self.plan, workload, self.shared, self.record);
        phases.behind(gate.as_ref()).run(self.first)
    }
}
