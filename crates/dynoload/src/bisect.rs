//! Finds the highest rate that holds, by bisection with confirmation. Pure: it says which rate to
//! try next and takes the result.
//!
//! A rate that holds is assumed to imply that every lower one holds. That isn't certain on a noisy
//! host, so the rate found is tried again, and is lowered by one step if it doesn't hold each time.

use workloads::event::{Limit, SearchResult};
use workloads::plan::Search;

/// More tries than any search needs that ends; a server with contradictory answers must not keep it
/// going.
const TRIES_MAX: u32 = 60;

/// What to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Try this rate.
    Try {
        /// Ops a second.
        rate_per_s: f64,
        /// True if it is the rate already found.
        confirming: bool,
    },
    /// The search is over.
    Over(SearchResult),
}

/// A search under way.
#[derive(Debug, Clone)]
pub struct Bisection {
    precision: f64,
    confirm: u32,
    min_per_s: f64,
    /// The highest rate that held, or the lowest of the search, which may not have been tried yet.
    low_per_s: f64,
    /// The lowest rate that didn't hold, or the highest of the search.
    high_per_s: f64,
    /// Why `high_per_s` is too high; `None` while it is only the end of the search range.
    limit: Option<Limit>,
    /// How often `low_per_s` held.
    held: u32,
    tries: u32,
}

impl Bisection {
    /// Nothing has been tried yet.
    pub fn new(search: &Search) -> Bisection {
        Bisection {
            precision: search.precision,
            confirm: search.confirm,
            min_per_s: search.rate_min_per_s,
            low_per_s: search.rate_min_per_s,
            high_per_s: search.rate_max_per_s,
            limit: None,
            held: 0,
            tries: 0,
        }
    }

    /// The next rate, or the result.
    pub fn next(&self) -> Next {
        let is_near = self.high_per_s <= self.low_per_s * (1.0 + self.precision);
        if !is_near && self.tries < TRIES_MAX {
            return Next::Try {
                rate_per_s: thousandths((self.low_per_s * self.high_per_s).sqrt()),
                confirming: false,
            };
        }
        // Nothing was too much so far: does the upper end of the search hold?
        if self.limit.is_none() && self.low_per_s < self.high_per_s && self.tries < TRIES_MAX {
            return Next::Try {
                rate_per_s: self.high_per_s,
                confirming: false,
            };
        }
        // Once when found, then as often as requested. The search's lowest rate may never have been
        // tried.
        if self.held <= self.confirm && self.tries < TRIES_MAX {
            return Next::Try {
                rate_per_s: self.low_per_s,
                confirming: self.held > 0,
            };
        }
        Next::Over(SearchResult {
            rate_per_s: (self.held > 0).then_some(self.low_per_s),
            limited_by: self.limit.unwrap_or(Limit::RateMax),
        })
    }

    /// How `rate_per_s` went: `None` if it held, else why not. Returns the result if this ends it.
    pub fn record(&mut self, rate_per_s: f64, broken: Option<Limit>) -> Option<SearchResult> {
        self.tries += 1;
        match broken {
            None if rate_per_s > self.low_per_s => {
                (self.low_per_s, self.held) = (rate_per_s, 1);
            }
            None => self.held += 1,
            Some(limit) => {
                if rate_per_s <= self.min_per_s {
                    return Some(SearchResult {
                        rate_per_s: None,
                        limited_by: Limit::RateMin,
                    });
                }
                self.limit = Some(limit);
                self.high_per_s = rate_per_s;
                if rate_per_s <= self.low_per_s {
                    // It held before but doesn't now: one step down, and all confirmations again.
                    let lower = thousandths(rate_per_s / (1.0 + self.precision));
                    (self.low_per_s, self.held) = (lower.max(self.min_per_s), 0);
                }
            }
        }
        None
    }
}

/// Rounded, so that the rate reported is the rate requested.
pub fn thousandths(rate_per_s: f64) -> f64 {
    (rate_per_s * 1e3).round() / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::plan::ArrivalKind;

    fn search(confirm: u32) -> Search {
        Search {
            quantile: 0.99,
            latency_ms: 20.0,
            error_share_max: 0.001,
            rate_min_per_s: 10.0,
            rate_max_per_s: 100_000.0,
            step_s: 1.0,
            precision: 0.05,
            confirm,
            distribution: ArrivalKind::Poisson,
        }
    }

    /// Runs a search against a server for which `holds` decides; returns the result and the tries.
    fn run(confirm: u32, mut holds: impl FnMut(f64, u32) -> bool) -> (SearchResult, u32) {
        let mut bisection = Bisection::new(&search(confirm));
        for nth in 0.. {
            let rate_per_s = match bisection.next() {
                Next::Over(result) => return (result, nth),
                Next::Try { rate_per_s, .. } => rate_per_s,
            };
            let broken = (!holds(rate_per_s, nth)).then_some(Limit::Latency);
            if let Some(result) = bisection.record(rate_per_s, broken) {
                return (result, nth);
            }
        }
        unreachable!()
    }

    #[test]
    fn the_highest_rate_that_holds_is_found_within_the_precision() {
        for capacity in [11.0, 123.4, 5000.0, 99_000.0] {
            let (result, tries) = run(2, |rate_per_s, _| rate_per_s <= capacity);
            let found = result.rate_per_s.unwrap();
            assert!(
                found <= capacity && found * 1.06 >= capacity,
                "{found} of {capacity}"
            );
            assert_eq!(result.limited_by, Limit::Latency);
            assert!(tries <= 12, "{tries} tries");
        }
    }

    #[test]
    fn the_ends_of_the_search_are_told_as_such() {
        let (most, _) = run(1, |_, _| true);
        assert_eq!(most.rate_per_s, Some(100_000.0));
        assert_eq!(most.limited_by, Limit::RateMax);
        let (least, _) = run(1, |_, _| false);
        assert_eq!((least.rate_per_s, least.limited_by), (None, Limit::RateMin));
    }

    #[test]
    fn what_holds_by_luck_once_gives_way() {
        // Rates of 1000 and more hold only the first time that one is tried.
        let mut lucky = true;
        let (result, _) = run(2, |rate_per_s, _| {
            rate_per_s < 900.0 || std::mem::take(&mut lucky)
        });
        let found = result.rate_per_s.unwrap();
        assert!((850.0..900.0).contains(&found), "{found}");
    }

    #[test]
    fn a_server_that_contradicts_itself_ends_the_search_too() {
        let (_, tries) = run(2, |_, nth| nth % 2 == 0);
        assert!(tries <= TRIES_MAX);
    }
}
