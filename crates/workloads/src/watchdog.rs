//! Breaks off statements that take too long, and all running ones if the run is to stop.
//!
//! It sends KILL QUERY from a separate connection. A worker only counts its statements in an atomic
//! number, odd while one runs; the watchdog looks at that number from its own thread, so the timed
//! path has no extra clock reads.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use load::Stop;

use crate::session::Connector;

/// How often a statement that didn't end is killed again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// One connection, as the watchdog sees it. Written only by its worker, except for `killed`.
#[derive(Debug, Default)]
pub struct Slot {
    connection_id: AtomicU32,
    /// Odd while a statement runs.
    turn: AtomicU64,
    /// The turn that was killed last.
    killed: AtomicU64,
    /// True once nothing may run here any more.
    is_broken_off: AtomicBool,
}

impl Slot {
    /// Sets which connection this is from now on.
    pub fn set_connection(&self, connection_id: u32) {
        self.connection_id.store(connection_id, Ordering::Release);
    }

    /// A statement begins.
    pub fn begin(&self) {
        self.turn.fetch_add(1, Ordering::SeqCst);
    }

    /// The statement ended. True if a KILL was sent or is on its way.
    pub fn end(&self) -> bool {
        let turn = self.turn.fetch_add(1, Ordering::SeqCst);
        self.killed.load(Ordering::SeqCst) == turn
    }

    /// From now on whatever runs or begins here is killed. It can't be taken back.
    pub fn break_off(&self) {
        self.is_broken_off.store(true, Ordering::Release);
    }

    /// Announces that this turn is to be killed; false if it ended meanwhile. Either the worker
    /// sees the announcement at the end of the turn, or this call sees the end, or both (which
    /// needs the single order of all accesses that SeqCst gives). So no worker continues with a
    /// connection that has a KILL on its way.
    fn condemn(&self, turn: u64) -> bool {
        self.killed.store(turn, Ordering::SeqCst);
        self.turn.load(Ordering::SeqCst) == turn
    }
}

/// The watchdog's thread. Ends when dropped.
#[derive(Debug)]
pub struct Watchdog {
    slots: Arc<[Slot]>,
    loader_slots: Arc<[Slot]>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Watches a slot for each of the `workers`, in which a statement may take `timeout`, and one
    /// for each of the `loaders`, in which it may take any time (the phase `load`). After `stop`,
    /// nothing may continue in any of them.
    pub fn start(
        workers: usize,
        loaders: usize,
        timeout: Duration,
        stop: Stop,
        connector: Arc<Connector>,
    ) -> Self {
        let make = |count| -> Arc<[Slot]> { (0..count).map(|_| Slot::default()).collect() };
        let (slots, loader_slots) = (make(workers), make(loaders));
        let done = Arc::new(AtomicBool::new(false));
        let watch = Watch {
            timeout,
            stop,
            connector,
            slots: Arc::clone(&slots),
            loader_slots: Arc::clone(&loader_slots),
        };
        let thread = thread::spawn({
            let done = Arc::clone(&done);
            move || watch.run(&done)
        });
        Watchdog {
            slots,
            loader_slots,
            done,
            thread: Some(thread),
        }
    }

    /// The slots of the workers.
    pub fn slots(&self) -> Arc<[Slot]> {
        Arc::clone(&self.slots)
    }

    /// The slots of the loaders.
    pub fn loader_slots(&self) -> Arc<[Slot]> {
        Arc::clone(&self.loader_slots)
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A panic in there has already been printed, and it doesn't affect the run's data.
            let _ = thread.join();
        }
    }
}

struct Watch {
    timeout: Duration,
    stop: Stop,
    connector: Arc<Connector>,
    slots: Arc<[Slot]>,
    loader_slots: Arc<[Slot]>,
}

impl Watch {
    fn run(&self, done: &AtomicBool) {
        let visit = (self.timeout / 20).clamp(Duration::from_millis(5), Duration::from_millis(50));
        let workers = self.slots.iter().map(|slot| (slot, Some(self.timeout)));
        let loaders = self.loader_slots.iter().map(|slot| (slot, None));
        let mut all: Vec<(&Slot, Option<Duration>, Seen)> = workers
            .chain(loaders)
            .map(|(slot, limit)| (slot, limit, Seen::new()))
            .collect();
        while !done.load(Ordering::Acquire) {
            for (slot, limit, seen) in &mut all {
                self.look(slot, *limit, seen);
            }
            thread::park_timeout(visit);
        }
    }

    fn look(&self, slot: &Slot, limit: Option<Duration>, seen: &mut Seen) {
        let turn = slot.turn.load(Ordering::Acquire);
        if turn != seen.turn {
            *seen = Seen {
                turn,
                since: Instant::now(),
                killed_at: None,
            };
        }
        let runs = turn % 2 == 1;
        let too_long = limit.is_some_and(|limit| seen.since.elapsed() >= limit);
        let unwanted = self.stop.is_set() || slot.is_broken_off.load(Ordering::Acquire);
        let overdue = too_long || unwanted;
        let killed_just_now = seen.killed_at.is_some_and(|at| at.elapsed() < AGAIN_AFTER);
        if runs && overdue && !killed_just_now && slot.condemn(turn) {
            seen.killed_at = Some(Instant::now());
            // A server that doesn't accept KILL accepts no other command either; then the
            // connection's own time limit ends the statement, so this failure has nothing to add.
            let _ = self
                .connector
                .kill_query(slot.connection_id.load(Ordering::Acquire));
        }
    }
}

/// What the watchdog remembers about a slot.
struct Seen {
    turn: u64,
    since: Instant,
    killed_at: Option<Instant>,
}

impl Seen {
    fn new() -> Seen {
        Seen {
            turn: 0,
            since: Instant::now(),
            killed_at: None,
        }
    }
}
