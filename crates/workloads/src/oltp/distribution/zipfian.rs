//! Zipf's law: rank r of 1..=n with a probability proportional to r^-e, for any e from 0 on.
//!
//! By rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
//! from monotone discrete distributions", ACM TOMACS 6(3), 1996. The bars of the distribution lie
//! under the curve h(x) = x^-e; a point under the curve is drawn by inverting its integral H, and
//! is kept if it lies under the bar of the nearest rank. No table is needed; few draws fail.

use load::Stream;

/// Ranks from 1.
#[derive(Debug, Clone)]
pub(super) struct Zipfian {
    ranks: f64,
    exponent: f64,
    /// H at the left end, such that the bar of rank 1 is covered exactly.
    left: f64,
    /// H at the right end.
    right: f64,
    /// A point this close to its rank from below is always under the bar.
    sure: f64,
}

impl Zipfian {
    pub(super) fn new(ranks: u64, exponent: f64) -> Zipfian {
        let ranks = ranks as f64;
        Zipfian {
            ranks,
            exponent,
            left: integral(1.5, exponent) - 1.0,
            right: integral(ranks + 0.5, exponent),
            sure: 2.0 - inverse(integral(2.5, exponent) - height(2.0, exponent), exponent),
        }
    }

    pub(super) fn draw(&self, stream: &mut Stream) -> u64 {
        let exponent = self.exponent;
        loop {
            let area = self.right + stream.unit() * (self.left - self.right);
            let point = inverse(area, exponent);
            let rank = point.round().clamp(1.0, self.ranks);
            let is_under_bar = rank - point <= self.sure
                || area >= integral(rank + 0.5, exponent) - height(rank, exponent);
            if is_under_bar {
                return rank as u64;
            }
        }
    }
}

/// h(x) = x^-e.
fn height(x: f64, exponent: f64) -> f64 {
    (-exponent * x.ln()).exp()
}

/// H(x), the integral of h from 1 to x: (x^(1-e) - 1) / (1 - e), or ln x if e is 1.
fn integral(x: f64, exponent: f64) -> f64 {
    let log = x.ln();
    log * growth((1.0 - exponent) * log)
}

/// The x for which H(x) is `area`: (1 + (1 - e) area)^(1 / (1 - e)), or exp(area) if e is 1.
fn inverse(area: f64, exponent: f64) -> f64 {
    // Rounding may exceed the domain of the logarithm.
    let scaled = ((1.0 - exponent) * area).max(-1.0);
    (area * decline(scaled)).exp()
}

/// (exp(x) - 1) / x, which is 1 at 0.
fn growth(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.exp_m1() / x
    } else {
        1.0 + x / 2.0
    }
}

/// ln(1 + x) / x, which is 1 at 0.
fn decline(x: f64) -> f64 {
    if x.abs() > 1e-8 {
        x.ln_1p() / x
    } else {
        1.0 - x / 2.0
    }
}
