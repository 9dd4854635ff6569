//! NURand, the specification's non-uniform random numbers (2.1.6), and its constants.

use load::{Purpose, Stream};

/// C for last names when the tables are filled; the same for all data, so that every run can keep
/// its distance from it.
pub const LAST_NAME_LOAD: u64 = 123;
/// A for last names, customer numbers and item numbers.
const A_LAST_NAME: u64 = 255;
const A_CUSTOMER: u64 = 1023;
const A_ITEM: u64 = 8191;
/// How far C for last names in a run may be from that of the load: from 65 to 119, but not these.
const DELTA: std::ops::RangeInclusive<u64> = 65..=119;
const NOT_DELTA: [u64; 2] = [96, 112];

/// Customers per district.
pub const CUSTOMERS: u64 = 3000;
/// Items.
pub const ITEMS: u64 = 100_000;

/// The constants of a run: one per kind, the same for all connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constants {
    last_name: u64,
    customer: u64,
    item: u64,
}

impl Constants {
    /// Those of a run under `seed`.
    pub fn of_run(seed: u64) -> Constants {
        let mut stream = Purpose::new(seed, "tpcc/constants").stream(0);
        let allowed = |c: &u64| {
            let delta = c.abs_diff(LAST_NAME_LOAD);
            DELTA.contains(&delta) && !NOT_DELTA.contains(&delta)
        };
        let names: Vec<u64> = (0..=A_LAST_NAME).filter(allowed).collect();
        Constants {
            last_name: names[stream.below(names.len() as u64) as usize],
            customer: stream.below(A_CUSTOMER + 1),
            item: stream.below(A_ITEM + 1),
        }
    }

    /// Those of the load, which only draws names.
    pub fn of_load() -> Constants {
        Constants {
            last_name: LAST_NAME_LOAD,
            customer: 0,
            item: 0,
        }
    }

    /// The number of a last name, from 0 to 999.
    pub fn last_name(&self, stream: &mut Stream) -> u32 {
        nurand(stream, A_LAST_NAME, self.last_name, 0, 999) as u32
    }

    /// A customer's number in the district, from 1.
    pub fn customer(&self, stream: &mut Stream) -> u32 {
        nurand(stream, A_CUSTOMER, self.customer, 1, CUSTOMERS) as u32
    }

    /// An item's number, from 1.
    pub fn item(&self, stream: &mut Stream) -> u32 {
        nurand(stream, A_ITEM, self.item, 1, ITEMS) as u32
    }
}

fn nurand(stream: &mut Stream, a: u64, c: u64, x: u64, y: u64) -> u64 {
    let both = stream.below(a + 1) | (x + stream.below(y - x + 1));
    (both + c) % (y - x + 1) + x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runs_names_keep_their_distance_from_the_loads() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..2000 {
            let delta = Constants::of_run(seed).last_name.abs_diff(LAST_NAME_LOAD);
            assert!(
                (65..=119).contains(&delta) && delta != 96 && delta != 112,
                "{delta}"
            );
            seen.insert(delta);
        }
        assert_eq!(seen.len(), 53, "every distance that is allowed comes");
        assert_eq!(Constants::of_run(7), Constants::of_run(7));
    }

    /// The exact share of each number from x to y, if `a` is a power of two minus 1.
    ///
    /// The low bits of a draw are the OR of two numbers: each result is counted with the number of
    /// ways to produce its bits.
    fn exact(a: u64, c: u64, x: u64, y: u64) -> Vec<f64> {
        let size = y - x + 1;
        let mut shares = vec![0.0; size as usize];
        for value in x..=y {
            let (low, high) = (value & a, value & !a);
            // Every number whose bits contain `low`: any superset within `a`.
            let free = a & !low;
            let ways = 2_f64.powi(low.count_ones() as i32);
            let mut extra = free;
            loop {
                let both = high | low | extra;
                shares[((both + c) % size) as usize] += ways / (a + 1) as f64 / size as f64;
                if extra == 0 {
                    break;
                }
                extra = (extra - 1) & free;
            }
        }
        shares
    }

    /// Pearson's statistic of drawn numbers against their exact shares, in standard deviations of
    /// its distribution; cells that expect fewer than 5 are merged.
    fn deviation(shares: &[f64], drawn: &[u64]) -> f64 {
        let n = drawn.iter().sum::<u64>() as f64;
        let (mut chi, mut cells) = (0.0, 0.0);
        let (mut expected, mut seen) = (0.0, 0.0);
        for (share, &count) in shares.iter().zip(drawn) {
            expected += share * n;
            seen += count as f64;
            if expected >= 5.0 {
                chi += (seen - expected) * (seen - expected) / expected;
                cells += 1.0;
                (expected, seen) = (0.0, 0.0);
            }
        }
        (chi - (cells - 1.0)) / (2.0 * (cells - 1.0_f64)).sqrt()
    }

    fn check(draw: impl Fn(&mut Stream) -> u64, a: u64, c: u64, (x, y): (u64, u64), n: u64) {
        let shares = exact(a, c, x, y);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        let mut drawn = vec![0; shares.len()];
        let purpose = Purpose::new(3, "nurand");
        for index in 0..n {
            drawn[(draw(&mut purpose.stream(index)) - x) as usize] += 1;
        }
        let off = deviation(&shares, &drawn);
        assert!(
            off.abs() < 4.5,
            "{off} standard deviations from the exact distribution"
        );
    }

    #[test]
    fn numbers_come_as_often_as_the_exact_distribution_says() {
        let run = Constants::of_run(11);
        check(
            |s| run.last_name(s).into(),
            255,
            run.last_name,
            (0, 999),
            300_000,
        );
        check(
            |s| run.customer(s).into(),
            1023,
            run.customer,
            (1, 3000),
            300_000,
        );
        check(
            |s| run.item(s).into(),
            8191,
            run.item,
            (1, 100_000),
            600_000,
        );
    }

    #[test]
    fn another_constant_is_another_distribution() {
        let run = Constants::of_run(11);
        let shares = exact(1023, run.customer + 1, 1, 3000);
        let mut drawn = vec![0; 3000];
        let purpose = Purpose::new(3, "nurand");
        for index in 0..300_000 {
            drawn[run.customer(&mut purpose.stream(index)) as usize - 1] += 1;
        }
        assert!(
            deviation(&shares, &drawn) > 10.0,
            "the test sees a wrong constant"
        );
    }
}
