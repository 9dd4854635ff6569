//! The events of a run, for `--dyno-events`: in the same format as those of a plan's run, so that
//! the same code reads both.
//!
//! Every worker records its events here, a thread closes intervals, and the end writes the summary.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use load::{Intervals, Outcome, PhaseEnd, Sample};
use workloads::account::{Account, Statements};
use workloads::cost::{client, processor_time};
use workloads::event::{Event, Hello, IntervalEvent, PhaseClient, PhaseSummary, Summary};

use crate::stats::{Base, Stats};

const MEASURE: &str = "measure";
const INTERVAL_NS: u64 = 1_000_000_000;

/// Why there are no events, or no more of them.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file can't be created or written.
    #[error("{} can't be written: {source}", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    /// The counts can't be turned into an event.
    #[error(transparent)]
    Event(#[from] workloads::Error),
}

/// What is recorded while the run goes on.
#[derive(Debug)]
struct Notes {
    file: File,
    /// `None` after the end: late events aren't counted.
    intervals: Option<Intervals>,
    /// Counters and processor time when the measured part began.
    base: Base,
    cpu_s: Option<(f64, f64)>,
    backlog_max: Option<u64>,
}

/// The events of one run, and where they go.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    op: String,
    start_ns: u64,
    notes: Mutex<Notes>,
}

impl Recording {
    /// Records this script's events, from the end of the warm-up on.
    pub fn create(path: &str, op: &str, warmup_s: u64) -> Result<Recording, RecordingError> {
        let path = PathBuf::from(path);
        let file = File::create(&path).map_err(|error| unwritable(&path, error))?;
        let start_ns = warmup_s.saturating_mul(1_000_000_000);
        Ok(Recording {
            op: op.to_owned(),
            start_ns,
            notes: Mutex::new(Notes {
                file,
                intervals: Some(Intervals::new(start_ns, INTERVAL_NS)),
                base: Base::default(),
                cpu_s: None,
                backlog_max: None,
            }),
            path,
        })
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, notes: &mut Notes, event: &Event) -> Result<(), RecordingError> {
        // Numbers and strings under fixed names can always be written as JSON.
        let mut line = serde_json::to_vec(event).unwrap_or_default();
        line.push(b'\n');
        let written = notes.file.write_all(&line);
        written.map_err(|error| unwritable(&self.path, error))
    }

    /// Writes `hello`; the run has begun.
    pub fn hello(&self) -> Result<(), RecordingError> {
        self.write(&mut self.notes(), &Event::Hello(Hello::now(None)))
    }

    /// Counting starts here.
    pub fn begin(&self, stats: &Stats) {
        let mut notes = self.notes();
        stats.read(&mut notes.base, 0, &[]);
        notes.cpu_s = processor_time().ok();
    }

    /// An event ended; those of the warm-up don't count.
    pub fn note(&self, latency_ns: u64, ended_ns: u64) {
        let due_ns = ended_ns.saturating_sub(latency_ns);
        if ended_ns <= self.start_ns {
            return;
        }
        if let Some(intervals) = &mut self.notes().intervals {
            intervals.record(&Sample {
                op: 0,
                retries: 0,
                outcome: Outcome::Ok,
                intended_ns: due_ns,
                could_ns: due_ns,
                started_ns: due_ns,
                ended_ns,
            });
        }
    }

    /// Closes finished intervals. `late_ns`: how late this was called.
    pub fn tick(
        &self,
        now_ns: u64,
        late_ns: u64,
        backlog: Option<u64>,
    ) -> Result<(), RecordingError> {
        let mut notes = self.notes();
        notes.backlog_max = notes.backlog_max.max(backlog);
        let Some(mut intervals) = notes.intervals.take() else {
            return Ok(());
        };
        let mut closed = Vec::new();
        if now_ns > self.start_ns {
            intervals.heartbeat(now_ns, late_ns);
            if let Some(backlog) = backlog {
                intervals.backlog(now_ns, backlog);
            }
            intervals.close_until(now_ns, &mut |interval| closed.push(self.event(&interval)));
        }
        notes.intervals = Some(intervals);
        self.write_all(&mut notes, closed)
    }

    fn event(&self, interval: &load::Interval<'_>) -> Result<Event, RecordingError> {
        let names = std::slice::from_ref(&self.op);
        let event = IntervalEvent::new(MEASURE, interval, names);
        Ok(Event::Interval(event?))
    }

    fn write_all(
        &self,
        notes: &mut Notes,
        events: Vec<Result<Event, RecordingError>>,
    ) -> Result<(), RecordingError> {
        events
            .into_iter()
            .try_for_each(|event| self.write(notes, &event?))
    }

    /// Writes the last interval and the summary. `connections`: how many made load.
    pub fn finish(
        &self,
        stats: &Stats,
        now_ns: u64,
        connections: usize,
        complete: bool,
    ) -> Result<(), RecordingError> {
        let mut notes = self.notes();
        let Some(intervals) = notes.intervals.take() else {
            return Ok(());
        };
        let end_ns = now_ns.max(self.start_ns);
        let mut closed = Vec::new();
        let mut tally =
            intervals.finish(end_ns, &mut |interval| closed.push(self.event(&interval)));
        tally.counts.scheduled = tally.counts.ok;
        self.write_all(&mut notes, closed)?;
        let (stat, _) = stats.read(&mut notes.base, now_ns, &[]);
        let account = Account {
            statements: Statements {
                read: stat.reads,
                write: stat.writes,
                other: stat.other,
            },
            reconnects: stat.reconnects,
            ..Account::default()
        };
        let cost = notes.cpu_s.zip(processor_time().ok());
        let cost = cost.map(|(before, after)| PhaseClient {
            cpu_user_s: after.0 - before.0,
            cpu_system_s: after.1 - before.1,
        });
        let end: PhaseEnd<()> = PhaseEnd {
            workers: Vec::new(),
            start_ns: self.start_ns,
            end_ns,
            drain_ns: 0,
            tally,
            send_lag: None,
            backlog_max: notes.backlog_max,
            gave_up: false,
            ended_early: false,
        };
        let names = std::slice::from_ref(&self.op);
        let phase = PhaseSummary::new(MEASURE, &end, connections, &account, cost, names)?;
        // Bytes would have to cover all connections, which scripts open and close as they like.
        let client = client((0, 0))?;
        let summary = Event::Summary(Summary {
            complete,
            phases: vec![phase],
            client,
        });
        self.write(&mut notes, &summary)
    }
}

fn unwritable(path: &Path, source: io::Error) -> RecordingError {
    RecordingError::Unwritable {
        path: path.to_owned(),
        source,
    }
}
