//! Which id a request asks for: a rank drawn by some law, and the place that a shuffle gives it.
//!
//! Zipf's law by the method of J. Gray, P. Sundaresan, S. Englert, K. Baclawski and P. Weinberger,
//! "Quickly generating billion-record synthetic databases", SIGMOD 1994, with the original's
//! approximation of its sum, so that each id has the same share as in the original.

use load::Stream;

use super::shuffle::{Seed, Shuffle};

/// With this many ids or more the sum is approximated.
const APPROXIMATE_FROM: u64 = 100_000;

/// How ranks are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Law {
    /// Low ranks much more often than high ones; the shape is below 1.
    Zipf(f64),
    /// All equally often.
    Uniform,
}

/// A law over a number of ranks.
#[derive(Debug, Clone)]
enum Ranks {
    Zipf(Zipf),
    Uniform(u64),
}

/// Chooses ids.
#[derive(Debug, Clone)]
pub struct Access {
    ranks: Ranks,
    shuffle: Shuffle,
}

impl Access {
    /// Over `n` ids.
    pub fn new(law: Law, seed: Seed, n: u64) -> Access {
        let ranks = match law {
            Law::Zipf(shape) => Ranks::Zipf(Zipf::new(n, shape)),
            Law::Uniform => Ranks::Uniform(n),
        };
        Access {
            ranks,
            shuffle: Shuffle::new(seed, n),
        }
    }

    /// An id, from 0.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        let rank = match &self.ranks {
            Ranks::Zipf(zipf) => zipf.rank(stream.unit()),
            Ranks::Uniform(n) => stream.below(*n),
        };
        self.shuffle.place(rank)
    }
}

#[derive(Debug, Clone)]
struct Zipf {
    n: f64,
    alpha: f64,
    eta: f64,
    sum: f64,
    /// The sum for the first two ranks, unscaled.
    two: f64,
}

impl Zipf {
    fn new(n: u64, shape: f64) -> Zipf {
        let sum = harmonic(n, shape);
        let two = 1.0 + 0.5_f64.powf(shape);
        let n = n as f64;
        Zipf {
            n,
            alpha: 1.0 / (1.0 - shape),
            eta: (1.0 - (2.0 / n).powf(1.0 - shape)) / (1.0 - two / sum),
            sum,
            two,
        }
    }

    /// The rank at `u`, from 0 up to 1.
    fn rank(&self, u: f64) -> u64 {
        let scaled = u * self.sum;
        if scaled < 1.0 {
            0
        } else if scaled < self.two {
            1
        } else {
            let rank = self.n * (self.eta * u - self.eta + 1.0).powf(self.alpha);
            rank.min(self.n - 1.0) as u64
        }
    }
}

/// The sum of k^-shape for k from 1 to n.
fn harmonic(n: u64, shape: f64) -> f64 {
    if n < APPROXIMATE_FROM {
        return (1..=n).map(|k| (k as f64).powf(-shape)).sum();
    }
    let rest = 1.0 - shape;
    (n as f64).powf(rest) / rest + 0.58 - 1.0 / rest
}

#[cfg(test)]
mod tests {
    use load::Purpose;

    use super::*;

    fn shares(n: u64, shape: f64, tops: &[u64]) -> Vec<f64> {
        let zipf = Zipf::new(n, shape);
        let mut stream = Purpose::new(3, "test").stream(0);
        let draws = 400_000;
        let ranks: Vec<u64> = (0..draws).map(|_| zipf.rank(stream.unit())).collect();
        let within = |top| ranks.iter().filter(|&&rank| rank < top).count() as f64;
        tops.iter()
            .map(|&top| within(top) / f64::from(draws))
            .collect()
    }

    #[test]
    fn the_sum_is_that_of_the_original() {
        for (shape, at_1e7, at_1e8) in [
            (0.8, 121.174, 194.63),
            (0.741, 247.7, 452.44),
            (0.625, 1122.4, 2664.58),
            (0.606, 1451.8, 3599.71),
        ] {
            let near = |n, expected: f64| (harmonic(n, shape) / expected - 1.0).abs() < 3e-4;
            assert!(near(10_000_000, at_1e7), "{shape}");
            assert!(near(100_000_000, at_1e8), "{shape}");
        }
    }

    #[test]
    fn top_ids_have_their_shares() {
        let n = 10_000_000;
        let tops = [1, n / 1000, n / 100, n / 10, n / 2];
        for (shape, expected) in [
            (0.8, [0.00825, 0.225, 0.377, 0.618, 0.866]),
            (0.741, [0.00404, 0.157, 0.295, 0.545, 0.834]),
            (0.625, [0.00089, 0.073, 0.177, 0.421, 0.771]),
            (0.606, [0.00069, 0.065, 0.162, 0.403, 0.761]),
        ] {
            for (found, wanted) in shares(n, shape, &tops).into_iter().zip(expected) {
                // Four standard deviations, plus the last digit given.
                let bound = 4.0 * (wanted * (1.0 - wanted) / 400_000.0_f64).sqrt() + 6e-4;
                assert!((found - wanted).abs() < bound, "{shape}: {found} {wanted}");
            }
        }
    }

    #[test]
    fn every_id_is_within_the_range() {
        for n in [2, 3, 1023, 1025, 100_000] {
            for law in [Law::Zipf(0.8), Law::Uniform] {
                let access = Access::new(law, Seed::Nodes, n);
                let mut stream = Purpose::new(4, "test").stream(0);
                assert!((0..2000).all(|_| access.draw(&mut stream) < n));
            }
        }
    }
}
