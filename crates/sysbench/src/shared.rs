//! What all Lua states of a run share, and what each thread has for itself.
//!
//! Each thread has one state, so a thread's own data is found through the thread: callbacks from
//! Lua need no handle that a script could break.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};

use crate::db::{Driven, Session};
use crate::options::{Options, Settings};
use crate::pace::Pace;
use crate::random::Random;
use crate::recording::Recording;
use crate::stats::{Base, Buckets, Stats};

/// Where the script comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Its name on the command line: a file or a module.
    Named(String),
    /// Read from standard input.
    Text(Vec<u8>),
}

/// What all threads share.
#[derive(Debug)]
pub struct Shared {
    pub settings: Settings,
    pub argv: Vec<String>,
    pub source: Source,
    /// Texts of scripts that are found before those on disk, by path.
    pub files: BTreeMap<String, String>,
    pub command: Option<String>,
    /// Known once the script has been loaded for the first time.
    pub options: OnceLock<Options>,
    /// True if the script declares no options, and so sees them all as globals.
    pub is_legacy: AtomicBool,
    pub stats: Stats,
    /// The last checkpoint.
    pub base: Mutex<Base>,
    /// Done when the warm-up is over.
    pub warmup: Once,
    pub pace: Pace,
    /// Seed of all random numbers, `--rand-seed` or the time.
    pub seed: u64,
    /// True once a script asked for a database driver: reports then have its counters.
    pub uses_sql: AtomicBool,
    /// Connections made so far: the next one takes the next server of the list.
    pub connections: AtomicUsize,
    /// With `--dyno-events`.
    pub recording: Option<Recording>,
    /// True once a script did what may block other than through its connection.
    pub blocks: AtomicBool,
    /// Under the load engine.
    pub driven: Option<Driven>,
}

impl Shared {
    /// For a command of a script; `seed` is that of all random numbers.
    pub fn new(
        argv: Vec<String>,
        source: Source,
        command: Option<String>,
        settings: Settings,
        seed: u64,
    ) -> Shared {
        let (time_s, warmup_s) = (settings.time_s, settings.warmup_s);
        Shared {
            argv,
            source,
            files: BTreeMap::new(),
            command,
            options: OnceLock::new(),
            is_legacy: AtomicBool::new(false),
            stats: Stats::new(settings.threads),
            base: Mutex::default(),
            warmup: Once::new(),
            pace: Pace::new(time_s, warmup_s, settings.events, settings.rate, seed),
            seed,
            uses_sql: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
            recording: None,
            blocks: AtomicBool::new(false),
            driven: None,
            settings,
        }
    }

    /// True if no event may be retried any more.
    pub fn is_up(&self) -> bool {
        self.is_stopped() || self.pace.is_up()
    }

    /// True once the load engine stops the run.
    pub fn is_stopped(&self) -> bool {
        let driven = self.driven.as_ref();
        driven.is_some_and(|driven| driven.stop.is_set())
    }

    /// An event of worker `number` ended, with this latency. The first one after the warm-up ends
    /// that: a thread of its own would be late on a busy host, and the report would count less
    /// than the recording.
    pub fn ended(&self, number: usize, latency_ns: u64) {
        let warms_up = self.settings.warmup_s > 0 && !self.warmup.is_completed();
        if warms_up || self.recording.is_some() {
            let ended_ns = self.pace.now_ns();
            if warms_up && ended_ns > self.pace.warmup_ns() {
                self.end_warmup();
            }
            if let Some(recording) = &self.recording {
                recording.note(latency_ns, ended_ns);
            }
        }
        self.stats.worker(number).end(latency_ns);
    }

    /// Forgets what was counted so far; only the first call does.
    pub fn end_warmup(&self) {
        self.warmup.call_once(|| {
            // However late the first call is, what is counted began at 0: no event ended since.
            self.stats.checkpoint(&mut self.last(), 0, &[]);
            if let Some(recording) = &self.recording {
                recording.begin(&self.stats);
            }
        });
    }

    /// The last checkpoint.
    pub fn last(&self) -> MutexGuard<'_, Base> {
        self.base.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The script as it was named on the command line.
    pub fn script_name(&self) -> &str {
        match &self.source {
            Source::Named(name) => name,
            Source::Text(_) => "-",
        }
    }
}

/// What a thread has for itself.
pub struct Own {
    pub shared: Arc<Shared>,
    /// The number of the worker; for any other thread, the number that its scripts see.
    pub number: usize,
    pub random: Random,
    pub sessions: Vec<Option<Session>>,
    pub histograms: Vec<(Buckets, Vec<u64>)>,
    /// When the current event was due, and when it began to count.
    pub due_ns: u64,
    pub began_ns: u64,
}

impl Own {
    /// For the thread with this number.
    pub fn new(shared: Arc<Shared>, number: usize) -> Own {
        let random = Random::new(&shared.settings, shared.seed, number);
        Own {
            shared,
            number,
            random,
            sessions: Vec::new(),
            histograms: Vec::new(),
            due_ns: 0,
            began_ns: 0,
        }
    }

    /// Keeps a connection for a script; returns its number.
    pub fn keep(&mut self, session: Session) -> usize {
        match self.sessions.iter().position(Option::is_none) {
            Some(free) => {
                self.sessions[free] = Some(session);
                free
            }
            None => {
                self.sessions.push(Some(session));
                self.sessions.len() - 1
            }
        }
    }

    /// A connection that a script has.
    pub fn session(&mut self, id: usize) -> Option<&mut Session> {
        self.sessions.get_mut(id)?.as_mut()
    }
}

thread_local! {
    static OWN: Cell<Option<Box<Own>>> = const { Cell::new(None) };
}

/// Makes `own` this thread's data. Closes the connections of the previous one.
pub fn enter(own: Box<Own>) {
    OWN.set(Some(own));
}

/// Takes this thread's data, for a Lua state that goes to another thread: it must be entered there
/// before the state is used again.
pub fn park() -> Option<Box<Own>> {
    OWN.take()
}

/// Closes the connections of this thread.
pub fn leave() {
    if let Some(mut own) = park() {
        own.sessions.clear();
        enter(own);
    }
}

/// A thread's data while it is in use; goes back even if that panics.
struct Taken(Option<Box<Own>>);

impl Drop for Taken {
    fn drop(&mut self) {
        OWN.set(self.0.take());
    }
}

/// Runs `action` on this thread's own data. It must not call Lua.
pub fn with<T>(action: impl FnOnce(&mut Own) -> T) -> T {
    // `enter` is called before the thread's Lua state is created, and nothing undoes it. Taken out,
    // since `action` may stop for the server, and others use the thread meanwhile.
    let mut taken = Taken(park());
    let own = taken.0.as_mut();
    action(own.expect("a thread with a Lua state has its own"))
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_first_event_after_the_warm_up_ends_it_when_nobody_else_does() {
        let arguments = ["--warmup-time=1".to_owned()];
        let settings = Settings::new(&Options::read(&arguments).unwrap()).unwrap();
        let shared = Shared::new(vec![], Source::Text(vec![]), None, settings, 1);
        shared.pace.start();
        shared.ended(0, 1_000_000);
        sleep(Duration::from_millis(1100));
        shared.ended(0, 2_000_000);
        shared.ended(0, 3_000_000);
        shared.end_warmup();
        let (stat, fairness, _) = shared
            .stats
            .checkpoint(&mut shared.last(), 500_000_000, &[]);
        assert_eq!((stat.events, fairness.workers[0].events), (2, 2));
        assert_eq!((stat.latency_min_s, stat.latency_sum_s), (0.002, 0.005));
        assert_eq!(stat.time_interval_s, 0.5);
    }
}
