//! A run from the inside: the phase `load`, connecting, what is observed once, and the timed phases
//! in order.

use std::sync::Arc;

use kinds::load_plan::Plan;
use load::{run_share, Clock, Model, PhaseEnd, Share};
use wire::Connection;
use workloads::account::Account;
use workloads::cost::processor_time;
use workloads::event::{Event, IntervalEvent, PhaseClient, PhaseState, PhaseSummary};
use workloads::observe::{explain, settings};
use workloads::plan::{Phase, PhaseName};
use workloads::{connect_all, Error, Shared, Spec, SqlWorker, Workload};

use crate::gate::Gate;
use crate::model::{job, model};
use crate::observer::Observer;
use crate::search;

/// The results of a run so far. They outlive whatever ends the run.
#[derive(Debug, Default)]
pub struct Record {
    /// The phases that began.
    pub phases: Vec<PhaseSummary>,
    /// Bytes sent and received.
    pub bytes: (u64, u64),
    /// True if a connection was lost for good.
    pub gave_up: bool,
    /// True if a stop kept a phase from doing all of its work.
    pub cut_short: bool,
}

/// The phases of a plan with its workload.
pub struct Phases<'a, W> {
    pub(crate) plan: &'a Plan,
    workload: &'a W,
    names: Vec<String>,
    pub(crate) shared: &'a Arc<Shared>,
    record: &'a mut Record,
    gate: Option<&'a Gate>,
}

impl<'a, W: Workload + Sync> Phases<'a, W> {
    /// Nothing runs yet.
    pub fn new(
        plan: &'a Plan,
        workload: &'a W,
        shared: &'a Arc<Shared>,
        record: &'a mut Record,
    ) -> Phases<'a, W> {
        Phases {
            plan,
            workload,
            names: workload.ops(),
            shared,
            record,
            gate: None,
        }
    }

    /// Timed phases wait there before they begin.
    pub fn behind(self, gate: Option<&'a Gate>) -> Phases<'a, W> {
        Phases { gate, ..self }
    }

    /// Runs all phases; `first` is a connection with its `session` statements done, if there is a
    /// server.
    pub fn run(mut self, first: Option<Connection>) -> Result<(), Error> {
        let mut phases = self.plan.phases.iter().peekable();
        let loads = phases.next_if(|phase| phase.name == PhaseName::Load);
        match (loads, first) {
            (Some(_), Some(first)) => self.load(first)?,
            (None, Some(first)) => self.shared.connector.retire(first),
            (_, None) => {}
        }
        if phases.peek().is_none() {
            return Ok(());
        }
        let mut workers = self.connect()?;
        if let Some(connection) = workers.first_mut().and_then(SqlWorker::connection) {
            self.observe(connection)?;
        }
        let mut observer = match self.plan.workload.is_load() && self.shared.observe_status {
            true => Some(Observer::connect(self.shared)?),
            false => None,
        };
        for phase in phases {
            if self.shared.stop.is_set() {
                self.record.cut_short = true;
                break;
            }
            workers = self.timed(phase, workers, observer.as_mut())?;
        }
        observer.into_iter().for_each(Observer::retire);
        workers.into_iter().for_each(SqlWorker::retire);
        Ok(())
    }

    fn load(&mut self, mut connection: Connection) -> Result<(), Error> {
        let shared = self.shared;
        let phase = PhaseName::Load.as_str();
        let start_ns = shared.clock.now_ns();
        shared.events.phase(phase, PhaseState::Begin, start_ns);
        let filled = self.workload.fill(shared, &mut connection);
        shared.connector.retire(connection);
        let end_ns = shared.clock.now_ns();
        shared.events.phase(phase, PhaseState::End, end_ns);
        let done = PhaseSummary::of_load(phase, end_ns - start_ns);
        self.record.phases.push(done);
        filled
    }

    fn connect(&self) -> Result<Vec<W::Worker>, Error> {
        let Shared { events, clock, .. } = self.shared.as_ref();
        events.phase("connect", PhaseState::Begin, clock.now_ns());
        let workers = connect_all(self.workload, self.shared)?;
        events.phase("connect", PhaseState::End, clock.now_ns());
        Ok(workers)
    }

    fn observe(&self, connection: &mut Connection) -> Result<(), Error> {
        let events = &self.shared.events;
        if self.plan.observe.settings {
            events.say(Event::Settings(settings(connection)?));
        }
        if self.plan.observe.explain {
            for (name, sql) in self.workload.statements(self.shared.seed) {
                if let Some(plan) = explain(connection, &name, &sql)? {
                    events.say(Event::Explain(plan));
                }
            }
        }
        Ok(())
    }

    /// One timed phase, from its status before to its status after.
    fn timed(
        &mut self,
        phase: &Phase,
        workers: Vec<W::Worker>,
        mut observer: Option<&mut Observer>,
    ) -> Result<Vec<W::Worker>, Error> {
        let name = phase.name.as_str();
        if let Some(observer) = &mut observer {
            observer.read_before()?;
        }
        let clock = &self.shared.clock;
        let events = &self.shared.events;
        // A listener may ask for the end as soon as it sees the begin.
        self.shared.stop.forget_enough();
        let release = self.release(name);
        let workers = match &phase.search {
            Some(wanted) => {
                release()?;
                search::run(self, wanted, workers)?
            }
            None => {
                let in_round = self.workload.ops_per_round() * u64::from(self.plan.part().of);
                let model = model(phase, self.plan.seed, in_round);
                self.drive(name, model, workers, phase.until.is_some(), release)?
                    .workers
            }
        };
        events.phase(name, PhaseState::End, clock.now_ns());
        // A stop doesn't wait for a server that may hang.
        if let Some(observer) = observer.filter(|_| !self.shared.stop.is_set()) {
            observer.read_after(name)?;
        }
        Ok(workers)
    }

    /// Begins a phase whose connections are ready: at once, or when the others begin it, too.
    fn release(&self, name: &'static str) -> impl FnOnce() -> Result<(), Error> + 'a {
        let (gate, shared) = (self.gate, self.shared);
        move || {
            let Shared { events, clock, .. } = shared.as_ref();
            let Some(gate) = gate else {
                events.phase(name, PhaseState::Begin, clock.now_ns());
                return Ok(());
            };
            events.phase(name, PhaseState::Ready, clock.now_ns());
            let late_ns = gate.wait(&shared.stop)?;
            events.begun_late(name, clock.now_ns(), late_ns);
            Ok(())
        }
    }

    /// Drives a load of this model, reports its intervals, and keeps its summary. `until_signal`: a
    /// signal may end it. `release`: what is done when its workers are ready, before they begin.
    pub(crate) fn drive(
        &mut self,
        name: &'static str,
        model: Model,
        mut workers: Vec<W::Worker>,
        until_signal: bool,
        release: impl FnOnce() -> Result<(), Error>,
    ) -> Result<PhaseEnd<W::Worker>, Error> {
        for worker in &mut workers {
            worker.begin_phase(name)?;
        }
        let connections = workers.len();
        let (must_last_ns, enough_ops) = match &model {
            Model::Closed { limits, .. } => (limits.duration_ns, limits.ops),
            Model::Open { profile, .. } => (Some(profile.duration_ns()), None),
        };
        let job = job(self.plan, self.shared, model, until_signal);
        let events = &self.shared.events;
        let before = processor_time().ok();
        let mut encoded = Ok(());
        let part = self.plan.part();
        let share = Share {
            first: part.first.into(),
            count: connections as u64,
            of: part.of.into(),
        };
        let mut released = Ok(());
        let begin = || {
            released = release();
            if released.is_err() {
                job.stop.set();
            }
        };
        let ran = run_share(
            &job,
            workers,
            share,
            begin,
            |interval| match IntervalEvent::new(name, &interval, &self.names) {
                Ok(event) => events.say(Event::Interval(event)),
                Err(error) => encoded = Err(error),
            },
        );
        let mut end = ran.map_err(|source| Error::Resources { source })?;
        released?;
        encoded?;
        let client = before
            .zip(processor_time().ok())
            .map(|(before, after)| PhaseClient {
                cpu_user_s: micros(after.0 - before.0),
                cpu_system_s: micros(after.1 - before.1),
            });
        let mut account = Account::default();
        for worker in &mut end.workers {
            worker.end_phase();
            account.merge(&worker.account());
        }
        let counts = &end.tally.counts;
        let lasted_ns = end.end_ns - end.start_ns;
        // With several limits, the first one reached ends a phase.
        let is_whole = counts.unfinished == 0
            && (end.ended_early
                || must_last_ns.is_none_or(|duration_ns| lasted_ns >= duration_ns)
                || enough_ops.is_some_and(|ops| counts.scheduled >= share.own(ops)));
        self.record.cut_short |= job.stop.is_set() && !is_whole;
        self.record.gave_up |= end.gave_up;
        let summary = PhaseSummary::new(name, &end, connections, &account, client, &self.names)?;
        self.record.phases.push(summary);
        Ok(end)
    }
}

/// To the microsecond, the resolution of processor time.
fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}
