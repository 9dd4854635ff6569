//! Named random streams: `(seed, purpose, index)` always gives the same stream.
//!
//! A purpose is a name such as `rows/t1/2`. Streams of different purposes are independent: drawing
//! more or less from one changes no other, and an op or a row depends only on its index and not on
//! who draws it.
//!
//! How a stream is derived, so that anybody can rebuild the rows:
//! `key = XXH3_64(purpose, seed)`; the stream of index i is SplitMix64 (Steele, Lea and Flood,
//! "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014) with the state
//! `mix(key + (i + 1) * GOLDEN)`. Not for secrets.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// 2^64 divided by the golden ratio, made odd: SplitMix64's step.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's finisher, a bijection of 64 bits.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A family of streams with one name, one for each index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Purpose {
    key: u64,
}

impl Purpose {
    /// The family of this name under this seed.
    pub fn new(seed: u64, name: &str) -> Purpose {
        Purpose {
            key: xxh3_64_with_seed(name.as_bytes(), seed),
        }
    }

    /// The stream of one index. Different indexes never share a state at their start.
    pub fn stream(self, index: u64) -> Stream {
        let step = index.wrapping_add(1).wrapping_mul(GOLDEN);
        Stream {
            state: mix(self.key.wrapping_add(step)),
        }
    }
}

/// A stream of random numbers. Small enough to be made again for each row.
#[derive(Debug, Clone)]
pub struct Stream {
    state: u64,
}

impl Stream {
    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// A uniform integer below `bound` (at least 1), without bias: Lemire, "Fast Random Integer
    /// Generation in an Interval", 2019.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a range must hold at least one value");
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            let low = wide as u64;
            // Few products have a low half below the bound, so the division is rarely needed.
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Uniform between `min` and `max`, both included.
    pub fn between(&mut self, min: i64, max: i64) -> i64 {
        assert!(min <= max, "a range must hold at least one value");
        let width = max.wrapping_sub(min) as u64;
        match width.checked_add(1) {
            Some(bound) => min.wrapping_add(self.below(bound) as i64),
            None => self.next_u64() as i64,
        }
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_the_published_numbers() {
        // The reference implementation's first outputs for the state 1234567.
        let mut stream = Stream { state: 1_234_567 };
        let drawn: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn streams_of_other_names_seeds_and_indexes_differ() {
        let first = |seed, name, index| Purpose::new(seed, name).stream(index).next_u64();
        let base = first(42, "rows/t1/1", 0);
        assert_eq!(base, first(42, "rows/t1/1", 0));
        assert_ne!(base, first(43, "rows/t1/1", 0));
        assert_ne!(base, first(42, "rows/t1/2", 0));
        assert_ne!(base, first(42, "rows/t1/1", 1));
    }

    #[test]
    fn ranges_are_kept_and_reached() {
        let mut stream = Purpose::new(1, "test").stream(0);
        let drawn: Vec<i64> = (0..1000).map(|_| stream.between(-2, 2)).collect();
        for value in -2..=2 {
            let count = drawn.iter().filter(|&&seen| seen == value).count();
            assert!(
                (120..280).contains(&count),
                "{value} came {count} times in 1000"
            );
        }
        assert!(drawn.iter().all(|value| (-2..=2).contains(value)));
        assert_eq!(stream.between(7, 7), 7);
        stream.between(i64::MIN, i64::MAX);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&stream.unit())));
    }
}
