//! What ids and values of `k` are drawn from: sysbench's distributions, with its formulas.
//!
//! u is a uniform number in [0, 1), a new one each time; the range is a..=b with n = b - a + 1
//! values and the width t = b - a:
//! - uniform: all values equally often.
//! - gaussian: a + floor(n * mean of `iter` u). A bell around the middle (Bates distribution).
//! - special: in `res` of 100 cases a value of the hot zone in the middle,
//!   a + floor(u * (t * pct / 100 + 1) + t / 2 - t * pct / 200), else
//!   a + floor(t * mean of `iter` u). One u both decides and places the hot value, so that only the
//!   upper `res` % of the zone are hit, as in sysbench.
//! - pareto: a + floor(n * u^(ln h / ln(1 - h))): the share h of the values has the share 1 - h of
//!   the draws, the lowest values most.
//! - zipfian: value a + r - 1 with a probability proportional to r^-exp; see `zipfian`.

mod zipfian;

use load::Stream;
use serde::{Deserialize, Serialize};

use crate::plan::PlanError;
use zipfian::Zipfian;

/// How values are distributed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Distribution {
    /// All values equally often. In braces, so that unknown keys are refused here too.
    Uniform {},
    /// A bell around the middle.
    Gaussian {
        /// How many uniform numbers are averaged.
        #[serde(default = "iter")]
        iter: u32,
    },
    /// Mostly from a small zone in the middle.
    Special {
        /// How many uniform numbers are averaged outside the zone.
        #[serde(default = "iter")]
        iter: u32,
        /// Size of the zone in percent of the range.
        #[serde(default = "pct")]
        pct: u32,
        /// Percent of the draws that go there.
        #[serde(default = "res")]
        res: u32,
    },
    /// Mostly the lowest values, by a power law.
    Pareto {
        /// The share of the values that has the share 1 - h of the draws.
        #[serde(default = "h")]
        h: f64,
    },
    /// Mostly the lowest values, by Zipf's law.
    Zipfian {
        /// The exponent.
        #[serde(default = "exp")]
        exp: f64,
    },
}

fn iter() -> u32 {
    12
}

fn pct() -> u32 {
    1
}

fn res() -> u32 {
    75
}

fn h() -> f64 {
    0.2
}

fn exp() -> f64 {
    0.8
}

impl Default for Distribution {
    fn default() -> Distribution {
        Distribution::Special {
            iter: iter(),
            pct: pct(),
            res: res(),
        }
    }
}

impl Distribution {
    /// Checks what types can't say.
    pub(crate) fn check(&self, path: &str) -> Result<(), PlanError> {
        let within = |key: &str, value: f64, allowed: bool, range: &str| {
            if allowed {
                return Ok(());
            }
            let message = format!("`{key}` is {value}");
            let hint = format!("give a number {range}");
            Err(PlanError::new(path, &message, &hint))
        };
        let iterations = |iter: u32| {
            let allowed = (1..=1000).contains(&iter);
            within("iter", f64::from(iter), allowed, "from 1 to 1000")
        };
        match *self {
            Distribution::Uniform {} => Ok(()),
            Distribution::Gaussian { iter } => iterations(iter),
            Distribution::Special { iter, pct, res } => {
                iterations(iter)?;
                let (is_pct, is_res) = ((1..=100).contains(&pct), res < 100);
                within("pct", f64::from(pct), is_pct, "from 1 to 100")?;
                within("res", f64::from(res), is_res, "from 0 to 99")
            }
            Distribution::Pareto { h } => {
                let range = "above 0 and below 1";
                within("h", h, h > 0.0 && h < 1.0, range)
            }
            Distribution::Zipfian { exp } => {
                let allowed = (0.0..=10.0).contains(&exp);
                within("exp", exp, allowed, "from 0 to 10")
            }
        }
    }
}

/// Draws from a range of values.
#[derive(Debug, Clone)]
pub struct Sampler {
    min: i64,
    /// How many values, n.
    count: u64,
    shape: Shape,
}

/// A distribution with everything precomputed that is the same for each draw.
#[derive(Debug, Clone)]
enum Shape {
    Uniform,
    Gaussian { iter: u32 },
    Special { iter: u32, cold: f64, zone: f64 },
    Pareto { power: f64 },
    Zipfian(Zipfian),
}

impl Sampler {
    /// Values from `min` to `max`, both included.
    pub fn new(distribution: &Distribution, min: i64, max: i64) -> Sampler {
        assert!(min <= max, "a range must hold at least one value");
        let count = max.abs_diff(min) + 1;
        let shape = match *distribution {
            Distribution::Uniform {} => Shape::Uniform,
            Distribution::Gaussian { iter } => Shape::Gaussian { iter },
            Distribution::Special { iter, pct, res } => Shape::Special {
                iter,
                cold: f64::from(100 - res) / 100.0,
                zone: f64::from(pct) / 100.0,
            },
            Distribution::Pareto { h } => Shape::Pareto {
                power: h.ln() / (1.0 - h).ln(),
            },
            Distribution::Zipfian { exp } => Shape::Zipfian(Zipfian::new(count, exp)),
        };
        Sampler { min, count, shape }
    }

    /// The next value.
    pub fn draw(&self, stream: &mut Stream) -> i64 {
        let count = self.count as f64;
        let width = (self.count - 1) as f64;
        let place = match &self.shape {
            Shape::Uniform => stream.below(self.count),
            Shape::Gaussian { iter } => (count * mean(stream, *iter)) as u64,
            Shape::Special { iter, cold, zone } => {
                let u = stream.unit();
                if u < *cold && width > 0.0 {
                    (width * mean(stream, *iter)) as u64
                } else {
                    let hot = width * zone;
                    (u * (hot + 1.0) + width / 2.0 - hot / 2.0) as u64
                }
            }
            Shape::Pareto { power } => (count * stream.unit().powf(*power)) as u64,
            Shape::Zipfian(zipfian) => zipfian.draw(stream) - 1,
        };
        // Rounding may reach the end of the range, which isn't part of it.
        self.min.wrapping_add(place.min(self.count - 1) as i64)
    }
}

fn mean(stream: &mut Stream, iter: u32) -> f64 {
    (0..iter).map(|_| stream.unit()).sum::<f64>() / f64::from(iter)
}

#[cfg(test)]
mod tests;
