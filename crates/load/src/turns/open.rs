//! The open load model: whoever is free takes the next arrival, and latency counts from when it was
//! due.

use std::sync::Arc;

use super::{Arrivals, Next, Turn};

/// The turns of one worker.
#[derive(Debug)]
pub struct Open {
    arrivals: Arc<Arrivals>,
    start_ns: u64,
    end_ns: u64,
    taken: u64,
    /// An arrival that was taken but isn't due yet: its number and its time.
    held: Option<(u64, u64)>,
    free_ns: u64,
}

impl Open {
    /// For a phase that began at `start_ns` and whose arrivals are all due before `end_ns`.
    pub fn new(arrivals: Arc<Arrivals>, start_ns: u64, end_ns: u64) -> Open {
        Open {
            arrivals,
            start_ns,
            end_ns,
            taken: 0,
            held: None,
            free_ns: start_ns,
        }
    }

    pub(super) fn next(&mut self, now_ns: u64) -> Next {
        let (index, due_ns) = match self.held {
            Some(held) => held,
            // What is left when the time is over is skipped: it stays in the list.
            None if now_ns >= self.end_ns => return Next::Over,
            None => {
                let index = self.arrivals.take();
                let Some(after_start_ns) = self.arrivals.due_ns(index) else {
                    // A phase lasts as long as its steps, even if the last of them has no arrivals.
                    return Next::Wait(self.end_ns);
                };
                self.taken += 1;
                (index, self.start_ns + after_start_ns)
            }
        };
        if due_ns > now_ns {
            self.held = Some((index, due_ns));
            return Next::Wait(due_ns);
        }
        self.held = None;
        Next::Take {
            turn: Turn {
                index: self.arrivals.index(index),
                nth: self.taken - 1,
            },
            due_ns: Some(due_ns),
            could_ns: due_ns.max(self.free_ns),
        }
    }

    pub(super) fn ended(&mut self, now_ns: u64) {
        self.free_ns = now_ns;
    }

    pub(super) fn give_back(&mut self) {
        if self.held.take().is_some() {
            self.taken -= 1;
        }
    }

    pub(super) fn taken_count(&self) -> u64 {
        self.taken
    }

    pub(super) fn left(&self) -> u64 {
        u64::from(self.held.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gaps, Profile, RateStep};
    use super::*;
    use crate::share::Share;

    fn arrivals(rate_per_s: f64) -> Arc<Arrivals> {
        let profile = Profile::new(&[RateStep {
            duration_s: 1.0,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        }]);
        let (list, mut maker) = Arrivals::new(profile, Gaps::Fixed, 1, Share::of_all(1));
        maker.make(&list);
        Arc::new(list)
    }

    #[test]
    fn an_arrival_is_waited_for_and_a_late_one_keeps_its_time() {
        let mut turns = Open::new(arrivals(4.0), 1000, 1_000_001_000);
        let take = |next| match next {
            Next::Take {
                turn,
                due_ns,
                could_ns,
            } => (turn.index, due_ns, could_ns),
            other => panic!("{other:?}"),
        };
        assert_eq!(take(turns.next(1000)), (0, Some(1000), 1000));
        assert_eq!(turns.next(2000), Next::Wait(250_001_000));
        assert_eq!(turns.left(), 1);
        assert_eq!(
            take(turns.next(250_001_500)),
            (1, Some(250_001_000), 250_001_000)
        );
        // The worker is busy until 600 ms, so the third begins late through no fault of its own.
        turns.ended(600_000_000);
        assert_eq!(
            take(turns.next(600_000_100)),
            (2, Some(500_001_000), 600_000_000)
        );
    }

    #[test]
    fn what_is_given_back_is_not_taken() {
        let mut turns = Open::new(arrivals(4.0), 0, 1_000_000_000);
        assert!(matches!(turns.next(0), Next::Take { .. }));
        turns.give_back();
        assert_eq!(turns.next(1), Next::Wait(250_000_000));
        assert_eq!((turns.taken_count(), turns.left()), (2, 1));
        turns.give_back();
        assert_eq!((turns.taken_count(), turns.left()), (1, 0));
    }

    #[test]
    fn after_the_last_arrival_the_end_is_waited_for() {
        let mut turns = Open::new(arrivals(1.0), 1000, 1_000_001_000);
        assert!(matches!(turns.next(1000), Next::Take { .. }));
        assert_eq!(turns.next(2000), Next::Wait(1_000_001_000));
        assert_eq!((turns.taken_count(), turns.left()), (1, 0));
        assert_eq!(turns.next(1_000_001_000), Next::Over);
    }

    #[test]
    fn what_is_left_when_the_time_is_over_stays_in_the_list() {
        let list = arrivals(1000.0);
        let mut turns = Open::new(Arc::clone(&list), 0, 1_000_000_000);
        assert!(matches!(turns.next(1), Next::Take { .. }));
        assert_eq!(turns.next(1_000_000_000), Next::Over);
        assert_eq!(
            (turns.taken_count(), turns.left(), list.taken_of(1000)),
            (1, 0, 1)
        );
    }
}
