//! Deals out the loading work.
//!
//! A loader takes chunks of the first table that the fewest others work on; so each table has one
//! loader as long as there are enough tables, and its rows go in in order. The loader that takes a
//! table's first chunk creates it; nobody else takes from it until then.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// How often a waiting loader checks whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A part of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Which table.
    pub table: usize,
    /// Which rows.
    pub rows: Range<u64>,
    /// True if the table must be created first; then [`Queue::open`] lets others load it.
    pub creates: bool,
}

/// The work that is left.
#[derive(Debug)]
pub struct Queue {
    work: Mutex<Work>,
    changed: Condvar,
}

#[derive(Debug)]
struct Work {
    tables: Vec<TableWork>,
    is_closed: bool,
}

#[derive(Debug)]
struct TableWork {
    rows: u64,
    chunk_rows: u64,
    /// The first row that nobody has taken.
    next: u64,
    stage: Stage,
    /// How many chunks are being loaded.
    loading: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Creating,
    Open,
}

impl TableWork {
    /// A table without rows has a job too: it must be created.
    fn has_more(&self) -> bool {
        self.stage == Stage::New || self.next < self.rows
    }
}

impl Queue {
    /// Tables, each given by its number of rows and its rows per chunk.
    pub fn new(tables: impl Iterator<Item = (u64, u64)>) -> Queue {
        let progress = |(rows, chunk_rows): (u64, u64)| TableWork {
            rows,
            chunk_rows: chunk_rows.max(1),
            next: 0,
            stage: Stage::New,
            loading: 0,
        };
        Queue {
            work: Mutex::new(Work {
                tables: tables.map(progress).collect(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// The next job; `None` if there is none left or `stops` returns true. Waits while all that is
    /// left is in tables that others are creating.
    pub fn take(&self, stops: impl Fn() -> bool) -> Option<Job> {
        let mut work = self.work();
        loop {
            if work.is_closed || stops() || !work.tables.iter().any(TableWork::has_more) {
                return None;
            }
            let tables = work.tables.iter_mut().enumerate();
            let free = tables.filter(|(_, one)| one.has_more() && one.stage != Stage::Creating);
            if let Some((table, one)) = free.min_by_key(|(table, one)| (one.loading, *table)) {
                return Some(one.chunk(table));
            }
            work = match self.changed.wait_timeout(work, LOOK_EVERY) {
                Ok((work, _)) => work,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }

    /// Marks a table as created.
    pub fn open(&self, table: usize) {
        self.work().tables[table].stage = Stage::Open;
        self.changed.notify_all();
    }

    /// Marks a chunk of a table as loaded; true if it was the last one.
    pub fn done(&self, table: usize) -> bool {
        let one = &mut self.work().tables[table];
        one.loading -= 1;
        one.loading == 0 && !one.has_more()
    }

    /// Hands out no more jobs.
    pub fn close(&self) {
        self.work().is_closed = true;
        self.changed.notify_all();
    }

    /// True once [`Queue::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.work().is_closed
    }

    /// True if every row of every table has been loaded.
    pub fn is_done(&self) -> bool {
        let is_done = |one: &TableWork| one.loading == 0 && !one.has_more();
        self.work().tables.iter().all(is_done)
    }

    /// The total number of jobs.
    pub fn jobs(&self) -> u64 {
        let chunks = |one: &TableWork| one.rows.div_ceil(one.chunk_rows).max(1);
        self.work().tables.iter().map(chunks).sum()
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        // Nobody panics between two changes that belong together.
        match self.work.lock() {
            Ok(work) => work,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

impl TableWork {
    fn chunk(&mut self, table: usize) -> Job {
        let creates = self.stage == Stage::New;
        if creates {
            self.stage = Stage::Creating;
        }
        let from = self.next;
        self.next = from.saturating_add(self.chunk_rows).min(self.rows);
        self.loading += 1;
        Job {
            table,
            rows: from..self.next,
            creates,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    fn job(table: usize, rows: Range<u64>, creates: bool) -> Option<Job> {
        Some(Job {
            table,
            rows,
            creates,
        })
    }

    fn never() -> bool {
        false
    }

    #[test]
    fn one_loader_makes_table_after_table() {
        let queue = Queue::new([(5, 10), (0, 10), (10, 5)].into_iter());
        assert_eq!(queue.jobs(), 4);
        for (expected, is_last) in [
            (job(0, 0..5, true), true),
            (job(1, 0..0, true), true),
            (job(2, 0..5, true), false),
            (job(2, 5..10, false), true),
        ] {
            let taken = queue.take(never);
            assert_eq!(taken, expected);
            let taken = taken.unwrap();
            queue.open(taken.table);
            assert!(!queue.is_done());
            assert_eq!(queue.done(taken.table), is_last);
        }
        assert_eq!(queue.take(never), None);
        assert!(queue.is_done());
    }

    #[test]
    fn a_loader_stays_with_its_table() {
        let queue = Queue::new([(20, 10), (20, 10), (20, 10)].into_iter());
        assert_eq!(queue.take(never), job(0, 0..10, true));
        assert_eq!(queue.take(never), job(1, 0..10, true));
        queue.open(0);
        queue.open(1);
        assert!(!queue.done(1));
        assert_eq!(queue.take(never), job(1, 10..20, false));
        assert!(queue.done(1));
        assert_eq!(queue.take(never), job(2, 0..10, true));
        queue.open(2);
        assert!(!queue.done(0));
        assert_eq!(queue.take(never), job(0, 10..20, false));
    }

    #[test]
    fn nobody_takes_from_a_table_that_is_being_created() {
        let queue = Queue::new([(20, 10)].into_iter());
        let first = queue.take(never).unwrap();
        let opened = AtomicBool::new(false);
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let taken = queue.take(never);
                (taken, opened.load(Ordering::SeqCst))
            });
            thread::sleep(Duration::from_millis(20));
            opened.store(true, Ordering::SeqCst);
            queue.open(first.table);
            assert_eq!(other.join().unwrap(), (job(0, 10..20, false), true));
        });
    }

    #[test]
    fn who_waits_goes_when_the_queue_closes_or_the_run_stops() {
        for closes in [true, false] {
            let queue = Queue::new([(20, 10)].into_iter());
            queue.take(never).unwrap();
            let stops = AtomicBool::new(false);
            thread::scope(|scope| {
                let other = scope.spawn(|| queue.take(|| stops.load(Ordering::SeqCst)));
                if closes {
                    queue.close();
                } else {
                    stops.store(true, Ordering::SeqCst);
                }
                let since = Instant::now();
                assert_eq!(other.join().unwrap(), None);
                assert!(since.elapsed() < Duration::from_secs(5));
            });
            assert!(!queue.is_done());
        }
    }

    proptest! {
        #[test]
        fn every_row_is_loaded_once_in_a_created_table_whoever_loads(
            tables in prop::collection::vec((0_u64..50, 1_u64..20), 1..6), loaders in 1_usize..5
        ) {
            let queue = Queue::new(tables.iter().copied());
            let jobs = queue.jobs();
            let load = || {
                let mut taken = Vec::new();
                while let Some(job) = queue.take(never) {
                    if job.creates {
                        thread::yield_now();
                        queue.open(job.table);
                    }
                    taken.push((job.clone(), queue.done(job.table)));
                }
                taken
            };
            let mut all: Vec<(Job, bool)> = thread::scope(|scope| {
                let all: Vec<_> = (0..loaders).map(|_| scope.spawn(load)).collect();
                all.into_iter().flat_map(|one| one.join().unwrap()).collect()
            });
            prop_assert!(queue.is_done());
            prop_assert_eq!(all.len() as u64, jobs);
            all.sort_by_key(|(job, _)| (job.table, job.rows.start));
            for (table, &(rows, chunk_rows)) in tables.iter().enumerate() {
                let of_it: Vec<_> = all.iter().filter(|(job, _)| job.table == table).collect();
                let mut next = 0;
                for (job, _) in &of_it {
                    prop_assert_eq!(job.rows.start, next);
                    prop_assert_eq!(job.creates, next == 0);
                    prop_assert!(job.rows.end - next <= chunk_rows);
                    next = job.rows.end;
                }
                prop_assert_eq!(next, rows);
                prop_assert_eq!(of_it.iter().filter(|(_, last)| *last).count(), 1);
            }
        }
    }
}
