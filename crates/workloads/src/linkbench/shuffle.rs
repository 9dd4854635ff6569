//! Which id has which rank: ids are dealt into groups, and each group is rotated.
//!
//! Bit for bit as in the original, so that an id has as many links there as here. That needs its
//! random numbers too: the linear congruential generator that Java's documentation of
//! `java.util.Random` specifies, which is used for nothing else.

/// The number of groups; fewer if there are fewer ids.
const GROUPS: u64 = 1024;
const MULTIPLIER: u64 = 0x5_DEEC_E66D;
const INCREMENT: u64 = 0xB;
const MASK: u64 = (1 << 48) - 1;

/// What a shuffle is for, by the seed that LinkBench gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// How many links an id has, and requests that prefer ids with many.
    Links,
    /// Requests for links that don't depend on how many there are.
    Uncorrelated,
    /// Requests for nodes.
    Nodes,
}

impl Seed {
    fn value(self) -> u64 {
        match self {
            Seed::Links => 20_343_988_438_726_021,
            Seed::Uncorrelated => 53_238_253_823_453,
            Seed::Nodes => 4_766_565_305_853_767_165,
        }
    }
}

/// A one-to-one map of 0..n to itself.
#[derive(Debug, Clone)]
pub struct Shuffle {
    /// The size of a group; the first groups have one more.
    places: u32,
    longer: u32,
    /// By how many places each group is rotated.
    turns: Vec<u32>,
}

impl Shuffle {
    /// Of `n` numbers, at least 1 and below 2^31.
    pub fn new(seed: Seed, n: u64) -> Shuffle {
        let groups = GROUPS.min(n);
        let places = (n / groups) as u32;
        let mut random = JavaRandom::new(seed.value());
        Shuffle {
            places,
            longer: (n % groups) as u32,
            turns: (0..groups).map(|_| random.below(places)).collect(),
        }
    }

    /// Where rank `rank` is.
    pub fn place(&self, rank: u64) -> u64 {
        self.turned(rank, |turns, _| turns)
    }

    /// Which rank is at `place`.
    pub fn rank(&self, place: u64) -> u64 {
        self.turned(place, |turns, places| places - turns)
    }

    /// Numbers are below 2^31, and dividing numbers that small is much faster.
    fn turned(&self, number: u64, by: impl Fn(u32, u32) -> u32) -> u64 {
        let (number, groups) = (number as u32, self.turns.len() as u32);
        let (group, place) = (number % groups, number / groups);
        let places = self.places + u32::from(group < self.longer);
        let turned = (place + by(self.turns[group as usize], places)) % places;
        u64::from(turned * groups + group)
    }
}

/// As specified for `java.util.Random`.
struct JavaRandom {
    state: u64,
}

impl JavaRandom {
    fn new(seed: u64) -> JavaRandom {
        JavaRandom {
            state: (seed ^ MULTIPLIER) & MASK,
        }
    }

    /// 31 bits.
    fn next(&mut self) -> u32 {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & MASK;
        (self.state >> 17) as u32
    }

    fn below(&mut self, bound: u32) -> u32 {
        if bound.is_power_of_two() {
            return ((u64::from(bound) * u64::from(self.next())) >> 31) as u32;
        }
        loop {
            let bits = self.next();
            let value = bits % bound;
            // The incomplete part at the end of the range would favour small values.
            if u64::from(bits) - u64::from(value) + u64::from(bound) <= 1 << 31 {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn random_numbers_are_those_of_java() {
        // Drawn with Java 17.
        let drawn = |seed, bound, count| {
            let mut random = JavaRandom::new(seed);
            let drawn = (0..count).map(|_| random.below(bound));
            drawn.collect::<Vec<u32>>()
        };
        assert_eq!(drawn(42, 10, 10), [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]);
        assert_eq!(drawn(1, 1024, 4), [748, 102, 419, 417]);
        let links = Seed::Links.value();
        assert_eq!(drawn(links, 976, 6), [380, 500, 670, 340, 271, 154]);
    }

    #[test]
    fn places_are_those_of_the_original() {
        let ranks = |n: u64| [0, 1, 1023, 54_321, n - 1];
        // The places of ranks 0, 1, 1023, 54321 and the last, from a run of the original's class.
        for (n, seed, places) in [
            (100_000, Seed::Links, [14336, 59393, 59391, 39985, 69279]),
            (
                100_000,
                Seed::Uncorrelated,
                [86016, 22529, 64511, 16433, 61087],
            ),
            (100_000, Seed::Nodes, [88064, 34817, 32767, 86065, 41631]),
            (
                1_000_000,
                Seed::Links,
                [389_120, 512_001, 490_495, 24625, 596_543],
            ),
            (
                1_000_000,
                Seed::Nodes,
                [963_584, 648_193, 715_775, 164_913, 152_127],
            ),
        ] {
            let shuffle = Shuffle::new(seed, n);
            assert_eq!(ranks(n).map(|rank| shuffle.place(rank)), places);
            assert_eq!(places.map(|place| shuffle.rank(place)), ranks(n));
        }
    }

    proptest! {
        #[test]
        fn every_rank_has_a_place_of_its_own(n in 1_u64..5000) {
            let shuffle = Shuffle::new(Seed::Links, n);
            let mut seen = vec![false; n as usize];
            for rank in 0..n {
                let place = shuffle.place(rank);
                prop_assert!(!seen[place as usize]);
                seen[place as usize] = true;
                prop_assert_eq!(shuffle.rank(place), rank);
            }
        }
    }
}
