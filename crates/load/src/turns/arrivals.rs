//! When the ops of an open load are due: one list for all workers, made ahead of time by one
//! thread.
//!
//! Whoever is free takes the next arrival by its number and looks up when it is due. The numbers
//! and the times depend only on the seed and the profile, not on who takes them or when.

use std::sync::atomic::{AtomicU64, Ordering};

use super::profile::Profile;
use crate::share::Share;
use crate::stream::{Purpose, Stream};

/// How far ahead arrivals are made; a power of two.
const AHEAD: usize = 1 << 18;
/// Stands in place of a time: there is no such arrival.
const NEVER: u64 = u64::MAX;

/// The gaps between arrivals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gaps {
    /// Exponential: independent users.
    Poisson,
    /// Equal.
    Fixed,
}

/// Computes due times one after another: the inverse of the profile's integral at n, or at the sum
/// of n exponentials (an inhomogeneous Poisson process by time change; Cinlar 1975).
#[derive(Debug, Clone)]
struct Maker {
    share: Share,
    profile: Profile,
    gaps: Gaps,
    stream: Stream,
    made: u64,
    mass: f64,
}

impl Maker {
    /// The next one that is done here. All are computed, so that they are the same anywhere.
    fn next_ns(&mut self) -> Option<u64> {
        loop {
            let index = self.made;
            let due_ns = self.next_of_all_ns()?;
            if self.share.has(index) {
                return Some(due_ns);
            }
        }
    }

    fn next_of_all_ns(&mut self) -> Option<u64> {
        let mass = match self.gaps {
            Gaps::Fixed => self.made as f64,
            Gaps::Poisson => {
                // 1 - u lies in (0, 1], so the logarithm is finite.
                self.mass -= (1.0 - self.stream.unit()).ln();
                self.mass
            }
        };
        self.made += 1;
        self.profile.when_ns(mass)
    }
}

/// The arrivals of a phase that are done here, as nanoseconds after its start.
#[derive(Debug)]
pub struct Arrivals {
    share: Share,
    /// Written by the maker, read by workers: the place of arrival n is n modulo the length.
    due_ns: Vec<AtomicU64>,
    /// How many have been written.
    made: AtomicU64,
    /// How many have been taken.
    taken: AtomicU64,
}

/// The side that makes and counts arrivals. It walks the same list twice, because what is due may
/// be far beyond what was made ahead when the server doesn't keep up.
#[derive(Debug)]
pub struct ArrivalMaker {
    maker: Maker,
    is_over: bool,
    counter: Maker,
    /// The first arrival not yet counted; `None` if all are.
    uncounted_ns: Option<u64>,
    counted: u64,
}

impl Arrivals {
    /// The list and its maker. Nothing is made yet.
    pub fn new(profile: Profile, gaps: Gaps, seed: u64, share: Share) -> (Arrivals, ArrivalMaker) {
        let list = Arrivals {
            share,
            due_ns: (0..AHEAD).map(|_| AtomicU64::new(NEVER)).collect(),
            made: AtomicU64::new(0),
            taken: AtomicU64::new(0),
        };
        let maker = Maker {
            share,
            profile,
            gaps,
            stream: Purpose::new(seed, "arrivals").stream(0),
            made: 0,
            mass: 0.0,
        };
        let mut counter = maker.clone();
        let uncounted_ns = counter.next_ns();
        let maker = ArrivalMaker {
            maker,
            is_over: false,
            counter,
            uncounted_ns,
            counted: 0,
        };
        (list, maker)
    }

    /// Takes the next arrival and returns its number.
    pub fn take(&self) -> u64 {
        self.taken.fetch_add(1, Ordering::Relaxed)
    }

    /// When the arrival that was just taken is due; `None` if the phase has none left. A caller
    /// that outruns the maker waits for it here.
    pub fn due_ns(&self, number: u64) -> Option<u64> {
        while self.made.load(Ordering::Acquire) <= number {
            std::thread::yield_now();
        }
        let due_ns = self.due_ns[place(number)].load(Ordering::Relaxed);
        (due_ns != NEVER).then_some(due_ns)
    }

    /// The number of an arrival in the list of all programs.
    pub fn index(&self, number: u64) -> u64 {
        self.share.index(number)
    }

    /// How many of `total` arrivals were taken.
    pub fn taken_of(&self, total: u64) -> u64 {
        self.taken.load(Ordering::Relaxed).min(total)
    }
}

impl ArrivalMaker {
    /// Makes arrivals as far ahead as there is room. A place is reused only once half the list has
    /// been taken since: nobody reads it any more.
    pub fn make(&mut self, list: &Arrivals) {
        let until = list.taken.load(Ordering::Relaxed) + (AHEAD / 2) as u64;
        let mut made = list.made.load(Ordering::Relaxed);
        while made < until {
            let due_ns = if self.is_over {
                None
            } else {
                self.maker.next_ns()
            };
            self.is_over |= due_ns.is_none();
            list.due_ns[place(made)].store(due_ns.unwrap_or(NEVER), Ordering::Relaxed);
            made += 1;
            list.made.store(made, Ordering::Release);
        }
    }

    /// How many arrivals are due at `after_start_ns` or before. Calls must be in order of time.
    pub fn due_until(&mut self, after_start_ns: u64) -> u64 {
        while self.uncounted_ns.is_some_and(|due| due <= after_start_ns) {
            self.counted += 1;
            self.uncounted_ns = self.counter.next_ns();
        }
        self.counted
    }

    /// How many arrivals the phase has.
    pub fn total(&mut self) -> u64 {
        self.due_until(u64::MAX)
    }
}

fn place(number: u64) -> usize {
    (number as usize) & (AHEAD - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::profile::RateStep;

    fn profile(duration_s: f64, rate_per_s: f64) -> Profile {
        Profile::new(&[RateStep {
            duration_s,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        }])
    }

    /// All arrivals in `list`, taken one by one.
    fn taken(list: &Arrivals, maker: &mut ArrivalMaker) -> Vec<u64> {
        let mut all = Vec::new();
        loop {
            maker.make(list);
            match list.due_ns(list.take()) {
                Some(due_ns) => all.push(due_ns),
                None => return all,
            }
        }
    }

    #[test]
    fn fixed_arrivals_are_where_arithmetic_puts_them() {
        let (list, mut maker) =
            Arrivals::new(profile(2.0, 1000.0), Gaps::Fixed, 1, Share::of_all(1));
        assert_eq!(maker.due_until(4_500_000), 5);
        let all = taken(&list, &mut maker);
        let expected: Vec<u64> = (0..2000).map(|n| n * 1_000_000).collect();
        assert_eq!(all, expected);
        assert_eq!((maker.total(), list.taken_of(2000)), (2000, 2000));
    }

    #[test]
    fn poisson_gaps_are_exponential() {
        // Kolmogorov-Smirnov test against 1 - exp(-rate t); 1.63 / sqrt(n) is the 1 % bound.
        let rate_per_s = 5000.0;
        let (list, mut maker) =
            Arrivals::new(profile(8.0, rate_per_s), Gaps::Poisson, 7, Share::of_all(1));
        let all = taken(&list, &mut maker);
        assert!(all.is_sorted());
        let mut gaps: Vec<f64> = all.windows(2).map(|p| (p[1] - p[0]) as f64 / 1e9).collect();
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let apart = gaps.iter().enumerate().map(|(place, gap)| {
            let expected = 1.0 - (-rate_per_s * gap).exp();
            (expected - place as f64 / n)
                .abs()
                .max((expected - (place + 1) as f64 / n).abs())
        });
        let furthest = apart.fold(0.0, f64::max);
        assert!(furthest < 1.63 / n.sqrt(), "{furthest} with n = {n}");
        // 40,000 expected, with a standard deviation of 200.
        assert!((39_200.0..40_800.0).contains(&n), "{n} gaps");
    }

    #[test]
    fn the_same_seed_gives_the_same_arrivals() {
        let all = |seed| {
            let (list, mut maker) =
                Arrivals::new(profile(1.0, 500.0), Gaps::Poisson, seed, Share::of_all(1));
            taken(&list, &mut maker)
        };
        assert_eq!(all(3), all(3));
        assert_ne!(all(3), all(4));
    }

    #[test]
    fn several_programs_have_the_instants_of_one() {
        for gaps in [Gaps::Fixed, Gaps::Poisson] {
            let of_share = |share: Share| {
                let (list, mut maker) = Arrivals::new(profile(1.0, 900.0), gaps, 3, share);
                let all = taken(&list, &mut maker);
                assert_eq!(maker.total(), all.len() as u64);
                let numbered = all.into_iter().enumerate();
                numbered
                    .map(|(own, due_ns)| (list.index(own as u64), due_ns))
                    .collect::<Vec<_>>()
            };
            let one = of_share(Share::of_all(7));
            let mut several: Vec<(u64, u64)> = [(0, 3), (3, 1), (4, 3)]
                .into_iter()
                .flat_map(|(first, count)| {
                    of_share(Share {
                        first,
                        count,
                        of: 7,
                    })
                })
                .collect();
            several.sort_unstable();
            assert_eq!(several, one);
        }
    }

    #[test]
    fn a_backlog_longer_than_the_list_is_counted() {
        let (list, mut maker) = Arrivals::new(profile(1.0, 1e6), Gaps::Fixed, 1, Share::of_all(1));
        maker.make(&list);
        assert_eq!(maker.due_until(999_999_000), 1_000_000);
        assert_eq!(list.taken_of(1_000_000), 0);
    }
}
