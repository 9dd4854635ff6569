//! A run from inside: the phase `load`, what is observed once, and the timed phases in order.

use std::sync::Arc;
use std::time::Duration;

use load::{run_phase, Clock, Extent, Phase as LoadPhase, PhaseEnd, Tally};
use wire::Connection;
use workloads::event::{Event, IntervalEvent, PhaseState, PhaseSummary};
use workloads::observe::{explain, settings};
use workloads::plan::{Phase, PhaseName, Plan};
use workloads::{Error, Shared, SqlWorker, Workload};

/// After a stop, how long running statements have to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a run has come to so far. It outlives whatever ends the run.
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
    plan: &'a Plan,
    workload: &'a W,
    names: Vec<String>,
    shared: &'a Arc<Shared>,
    record: &'a mut Record,
}

impl<'a, W: Workload> Phases<'a, W> {
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
        }
    }

    /// Runs all phases; `first` is a connection with its `session` statements done.
    pub fn run(&mut self, first: Connection) -> Result<(), Error> {
        let mut phases = self.plan.phases.iter().peekable();
        if phases
            .next_if(|phase| phase.name == PhaseName::Load)
            .is_some()
        {
            self.load(first)?;
        } else {
            self.shared.connector.retire(first);
        }
        if phases.peek().is_none() {
            return Ok(());
        }
        let connections = 0..self.plan.connections as usize;
        let mut workers = connections
            .map(|number| self.workload.worker(self.shared, number))
            .collect::<Result<Vec<W::Worker>, Error>>()?;
        if let Some(connection) = workers.first_mut().and_then(SqlWorker::connection) {
            self.observe(connection)?;
        }
        for phase in phases {
            if self.shared.stop.is_set() {
                self.record.cut_short = true;
                break;
            }
            workers = self.phase(phase, workers)?;
        }
        workers.into_iter().for_each(SqlWorker::retire);
        Ok(())
    }

    fn load(&mut self, mut connection: Connection) -> Result<(), Error> {
        let shared = self.shared;
        shared.load_slot().connected(connection.connection_id());
        let phase = PhaseName::Load.as_str();
        let start_ns = shared.clock.now_ns();
        shared.events.phase(phase, PhaseState::Begin, start_ns);
        let filled = self.workload.fill(shared, &mut connection);
        shared.connector.retire(connection);
        let end_ns = shared.clock.now_ns();
        shared.events.phase(phase, PhaseState::End, end_ns);
        // The phase has no ops; what it did is in its progress and on the server.
        let done = PhaseSummary::new(phase, end_ns - start_ns, &Tally::default(), &[])?;
        self.record.phases.push(done);
        filled
    }

    fn observe(&self, connection: &mut Connection) -> Result<(), Error> {
        let events = &self.shared.events;
        if self.plan.observe.settings {
            events.say(Event::Settings(settings(connection)?));
        }
        if self.plan.observe.explain {
            for (name, sql) in self.workload.statements() {
                if let Some(plan) = explain(connection, name, sql)? {
                    events.say(Event::Explain(plan));
                }
            }
        }
        Ok(())
    }

    fn phase(
        &mut self,
        phase: &Phase,
        mut workers: Vec<W::Worker>,
    ) -> Result<Vec<W::Worker>, Error> {
        let Shared {
            clock,
            stop,
            events,
            ..
        } = &**self.shared;
        let name = phase.name.as_str();
        for worker in &mut workers {
            worker.begin_phase(name)?;
        }
        let in_round = self.workload.ops_per_round() * workers.len() as u64;
        let extent = match (phase.rounds, phase.duration_s) {
            (Some(rounds), _) => Extent::Ops(rounds * in_round),
            (None, duration_s) => Extent::Duration(nanoseconds(duration_s.unwrap_or(0.0))),
        };
        let interval_ns = nanoseconds(self.plan.interval_s);
        let (clock, stop) = (*clock, stop.clone());
        let job = LoadPhase {
            clock,
            stop,
            extent,
            interval_ns,
            patience: PATIENCE,
        };
        events.phase(name, PhaseState::Begin, clock.now_ns());
        let mut encoded = Ok(());
        let end = run_phase(&job, workers, |interval| {
            match IntervalEvent::new(name, &interval, &self.names) {
                Ok(event) => events.say(Event::Interval(event)),
                Err(error) => encoded = Err(error),
            }
        });
        let PhaseEnd {
            workers,
            start_ns,
            end_ns,
            tally,
            gave_up,
        } = end;
        events.phase(name, PhaseState::End, end_ns);
        let elapsed_ns = end_ns - start_ns;
        let is_whole = tally.counts.unfinished == 0
            && match extent {
                Extent::Ops(_) => true,
                Extent::Duration(duration_ns) => elapsed_ns >= duration_ns,
            };
        self.record.cut_short |= job.stop.is_set() && !is_whole;
        self.record.gave_up |= gave_up;
        self.record
            .phases
            .push(PhaseSummary::new(name, elapsed_ns, &tally, &self.names)?);
        encoded.map(|()| workers)
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}
