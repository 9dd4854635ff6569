//! A rate over time, and its inverse: when the n-th arrival is due.

/// A period with one rate, or with a rate that changes linearly to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateStep {
    /// How long, in seconds.
    pub duration_s: f64,
    /// Arrivals a second at its start.
    pub from_per_s: f64,
    /// Arrivals a second at its end.
    pub to_per_s: f64,
}

impl RateStep {
    /// Arrivals in the first `t_s` seconds of the step: the integral of the rate.
    fn mass(&self, t_s: f64) -> f64 {
        let slope = (self.to_per_s - self.from_per_s) / self.duration_s;
        t_s * (self.from_per_s + slope * t_s / 2.0)
    }

    /// The inverse of [`RateStep::mass`]: the root of the quadratic, in the form that stays exact
    /// when the slope is small.
    fn when_s(&self, mass: f64) -> f64 {
        let slope = (self.to_per_s - self.from_per_s) / self.duration_s;
        let root = (self.from_per_s * self.from_per_s + 2.0 * slope * mass).max(0.0);
        let denominator = self.from_per_s + root.sqrt();
        if denominator > 0.0 {
            (2.0 * mass / denominator).min(self.duration_s)
        } else {
            0.0
        }
    }
}

/// Steps one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    steps: Vec<RateStep>,
    /// Where each step begins, in seconds, and how many arrivals come before it.
    begins: Vec<(f64, f64)>,
    duration_s: f64,
    mass: f64,
}

impl Profile {
    /// A profile of these steps. Each has a length above 0 and rates of 0 or above.
    pub fn new(steps: &[RateStep]) -> Profile {
        let mut begins = Vec::with_capacity(steps.len());
        let (mut duration_s, mut mass) = (0.0, 0.0);
        for step in steps {
            assert!(step.duration_s > 0.0, "a step must have a length");
            begins.push((duration_s, mass));
            duration_s += step.duration_s;
            mass += step.mass(step.duration_s);
        }
        Profile {
            steps: steps.to_vec(),
            begins,
            duration_s,
            mass,
        }
    }

    /// The length of all steps.
    pub fn duration_ns(&self) -> u64 {
        nanoseconds(self.duration_s)
    }

    /// When, in nanoseconds after the start, the rate's integral reaches `mass`; `None` if it never
    /// does. Computed from the mass alone, so that rounding errors don't add up.
    pub fn when_ns(&self, mass: f64) -> Option<u64> {
        // Exactly at the end is already past the end.
        if mass >= self.mass {
            return None;
        }
        let after = self.begins.partition_point(|&(_, begin)| begin <= mass);
        let nth = after.checked_sub(1)?;
        let (begin_s, before) = self.begins[nth];
        let when_ns = nanoseconds(begin_s + self.steps[nth].when_s(mass - before));
        // The mass of all steps is a sum of fractions: its last digit must not create an arrival.
        (when_ns < self.duration_ns()).then_some(when_ns)
    }
}

fn nanoseconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn even(duration_s: f64, rate_per_s: f64) -> RateStep {
        RateStep {
            duration_s,
            from_per_s: rate_per_s,
            to_per_s: rate_per_s,
        }
    }

    #[test]
    fn an_even_rate_is_divided_evenly_without_drift() {
        let profile = Profile::new(&[even(1000.0, 3000.0)]);
        for n in [0_u64, 1, 3, 2_999_999] {
            let expected = u128::from(n) * 1_000_000_000 / 3000;
            let seen = u128::from(profile.when_ns(n as f64).unwrap());
            assert!(seen.abs_diff(expected) <= 1, "{n}: {seen}, not {expected}");
        }
        assert_eq!(profile.when_ns(3_000_000.0), None);
    }

    #[test]
    fn a_step_without_arrivals_is_passed_over() {
        let profile = Profile::new(&[even(1.0, 10.0), even(5.0, 0.0), even(1.0, 10.0)]);
        assert_eq!(profile.when_ns(9.0), Some(900_000_000));
        assert_eq!(profile.when_ns(10.0), Some(6_000_000_000));
        assert_eq!(profile.duration_ns(), 7_000_000_000);
    }

    proptest! {
        #[test]
        fn the_inverse_undoes_the_integral(
            from_per_s in 0.0_f64..1000.0, to_per_s in 0.0_f64..1000.0, share in 0.001_f64..1.0
        ) {
            let step = RateStep { duration_s: 10.0, from_per_s, to_per_s };
            let t_s = share * 10.0;
            let back_s = step.when_s(step.mass(t_s));
            // Near a rate of 0 many instants have the same mass.
            let again = step.mass(back_s);
            prop_assert!((again - step.mass(t_s)).abs() < 1e-6 * (1.0 + again));
        }

        #[test]
        fn arrivals_come_in_order(
            steps in prop::collection::vec((0.1_f64..5.0, 0.0_f64..200.0, 0.0_f64..200.0), 1..5)
        ) {
            let steps: Vec<RateStep> = steps
                .iter()
                .map(|&(duration_s, from_per_s, to_per_s)| RateStep {
                    duration_s,
                    from_per_s,
                    to_per_s,
                })
                .collect();
            let profile = Profile::new(&steps);
            let mut last = 0;
            for n in 0..5000 {
                let Some(due) = profile.when_ns(f64::from(n)) else {
                    prop_assert!(f64::from(n) >= profile.mass - 1e-9);
                    break;
                };
                prop_assert!(due >= last && due <= profile.duration_ns());
                last = due;
            }
        }
    }
}
