//! Random numbers as drawn by scripts: unsigned, 32 bits, with wrapping arithmetic.
//!
//! The distributions are those of the workload `oltp`; only their ends are handled here.

use std::sync::atomic::{AtomicU32, Ordering};

use load::{Purpose, Stream};
use workloads::oltp::{Distribution, Sampler};

use crate::options::Settings;

/// Samplers that are expensive to create are kept; scripts draw from few ranges.
const KEPT_MAX: usize = 16;

/// The distributions, numbered for the preludes of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Uniform,
    Gaussian,
    Special,
    Pareto,
    Zipfian,
}

impl Shape {
    fn named(name: &str) -> Shape {
        match name {
            "uniform" => Shape::Uniform,
            "gaussian" => Shape::Gaussian,
            "pareto" => Shape::Pareto,
            "zipfian" => Shape::Zipfian,
            _ => Shape::Special,
        }
    }
}

/// The random numbers of one Lua state.
#[derive(Debug)]
pub struct Random {
    stream: Stream,
    default: Shape,
    /// Gaussian, special, pareto, zipfian.
    distributions: [Distribution; 4],
    kept: Vec<(Shape, u32, Sampler)>,
}

impl Random {
    /// For the state of worker `number`.
    pub fn new(settings: &Settings, seed: u64, number: usize) -> Random {
        Random {
            stream: Purpose::new(seed, "sysbench").stream(number as u64),
            default: Shape::named(&settings.rand_type),
            distributions: [
                settings.gaussian.clone(),
                settings.special.clone(),
                settings.pareto.clone(),
                settings.zipfian.clone(),
            ],
            kept: Vec::new(),
        }
    }

    /// A value from `a` to `b`, with the distribution of `--rand-type`.
    pub fn default(&mut self, a: u32, b: u32) -> u32 {
        self.draw(self.default, a, b)
    }

    /// A value from `a` to `b`. If they are in the wrong order, the range wraps around.
    pub fn draw(&mut self, shape: Shape, a: u32, b: u32) -> u32 {
        let width = b.wrapping_sub(a);
        if width == u32::MAX {
            // sysbench counts the values in 32 bits: the count is zero.
            return a;
        }
        let place = match shape {
            Shape::Uniform => self.stream.below(u64::from(width) + 1) as i64,
            Shape::Gaussian => self.cheap(0, width),
            Shape::Special => self.cheap(1, width),
            Shape::Pareto | Shape::Zipfian => self.dear(shape, width),
        };
        a.wrapping_add(place as u32)
    }

    fn cheap(&mut self, distribution: usize, width: u32) -> i64 {
        let distribution = &self.distributions[distribution];
        Sampler::new(distribution, 0, i64::from(width)).draw(&mut self.stream)
    }

    fn dear(&mut self, shape: Shape, width: u32) -> i64 {
        let wanted = |kept: &(Shape, u32, Sampler)| kept.0 == shape && kept.1 == width;
        let index = match self.kept.iter().position(wanted) {
            Some(index) => index,
            None => {
                if self.kept.len() == KEPT_MAX {
                    self.kept.remove(0);
                }
                let distribution = if shape == Shape::Pareto { 2 } else { 3 };
                let distribution = &self.distributions[distribution];
                let sampler = Sampler::new(distribution, 0, i64::from(width));
                self.kept.push((shape, width, sampler));
                self.kept.len() - 1
            }
        };
        self.kept[index].2.draw(&mut self.stream)
    }

    /// A float in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.stream.unit()
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// Replaces `#` by a digit and `@` by a letter.
    pub fn fill(&mut self, template: &[u8], out: &mut [u8]) {
        for (out, template) in out.iter_mut().zip(template) {
            *out = match template {
                b'#' => b'0' + self.stream.below(10) as u8,
                b'@' => b'a' + self.stream.below(26) as u8,
                other => *other,
            };
        }
    }

    /// Fills with characters from `0` to `z`.
    pub fn letters(&mut self, out: &mut [u8]) {
        for out in out {
            *out = b'0' + self.stream.below(u64::from(b'z' - b'0') + 1) as u8;
        }
    }
}

static DRAWN: AtomicU32 = AtomicU32::new(0);

/// A number that no thread of this process has drawn before, until all 32-bit numbers are used up.
pub fn unique() -> u32 {
    let index = DRAWN.fetch_add(1, Ordering::Relaxed);
    scatter(scatter(index).wrapping_add(0x3243_f6a8) ^ 0x5bf0_3635)
}

/// A permutation of all 32-bit numbers by quadratic residues modulo a prime that is 3 modulo 4:
/// the residues of the lower half are all different, and those of the upper half are their
/// negatives (J. Preshing, "How to Generate a Sequence of Unique Random Integers", 2012).
fn scatter(number: u32) -> u32 {
    const PRIME: u32 = 4_294_967_291;
    if number >= PRIME {
        return number;
    }
    let residue = (u64::from(number) * u64::from(number) % u64::from(PRIME)) as u32;
    if number <= PRIME / 2 {
        residue
    } else {
        PRIME - residue
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::options::Options;

    fn random(arguments: &[&str]) -> Random {
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        let settings = Settings::new(&Options::read(&arguments).unwrap()).unwrap();
        Random::new(&settings, 7, 0)
    }

    #[test]
    fn special_puts_three_quarters_of_the_draws_into_the_middle() {
        let mut random = random(&[]);
        let is_hot = |value: &u32| (498..=506).contains(value);
        let hot = (0..10_000)
            .map(|_| random.default(1, 1000))
            .filter(is_hot)
            .count();
        // The bell of the cold quarter adds a few.
        assert!((7350..7900).contains(&hot), "{hot} of 10000");
    }

    #[test]
    fn pareto_gives_the_first_value_most() {
        let mut random = random(&["--rand-type=pareto"]);
        let first = (0..10_000).filter(|_| random.default(1, 1000) == 1).count();
        assert!((3650..3980).contains(&first), "{first} of 10000");
    }

    #[test]
    fn ends_wrap_as_unsigned_numbers_do() {
        let mut random = random(&[]);
        let (low, high) = (-5_i32 as u32, -1_i32 as u32);
        for shape in [
            Shape::Uniform,
            Shape::Gaussian,
            Shape::Special,
            Shape::Pareto,
        ] {
            for _ in 0..100 {
                assert!((low..=high).contains(&random.draw(shape, low, high)));
                assert_eq!(random.draw(shape, 0, u32::MAX), 0);
                assert_eq!(random.draw(shape, 9, 9), 9);
            }
        }
    }

    #[test]
    fn dear_samplers_are_kept_and_stay_right() {
        let mut random = random(&[]);
        for width in 1..100_u32 {
            for _ in 0..10 {
                assert!(random.draw(Shape::Zipfian, 5, 5 + width) <= 5 + width);
            }
        }
        assert!(random.kept.len() <= KEPT_MAX);
    }

    #[test]
    fn templates_are_filled() {
        let mut out = [0; 7];
        random(&[]).fill(b"#-@-##x", &mut out);
        assert!(
            out[0].is_ascii_digit() && out[2].is_ascii_lowercase(),
            "{out:?}"
        );
        assert_eq!([out[1], out[3], out[6]], *b"--x");
        let mut out = [0; 500];
        random(&[]).letters(&mut out);
        assert!(out.iter().all(|byte| (b'0'..=b'z').contains(byte)));
    }

    #[test]
    fn unique_numbers_are() {
        let drawn: HashSet<u32> = (0..100_000).map(|_| unique()).collect();
        assert_eq!(drawn.len(), 100_000);
        let scattered: HashSet<u32> = (0..100_000).map(scatter).collect();
        assert_eq!(scattered.len(), 100_000);
    }
}
