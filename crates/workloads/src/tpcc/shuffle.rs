//! A random order of a district's customers. Each position in it can be computed separately.
//!
//! A Feistel network of four rounds permutes the 4096 numbers of 12 bits; a number that isn't a
//! customer's is permuted again until one is, which keeps it a permutation (Black and Rogaway,
//! "Ciphers with Arbitrary Finite Domains", 2002).

use load::Purpose;

const HALF_BITS: u32 = 6;
const HALF: u64 = 1 << HALF_BITS;
const ROUNDS: usize = 4;

/// A permutation of the numbers below `size`.
#[derive(Debug, Clone, Copy)]
pub struct Shuffle {
    size: u64,
    keys: [Purpose; ROUNDS],
}

impl Shuffle {
    /// A permutation of the numbers below `size`, which is at most 4096.
    pub fn new(seed: u64, name: &str, size: u64) -> Shuffle {
        assert!(size <= HALF * HALF, "{size} numbers are too many");
        let key = |round| Purpose::new(seed, &format!("{name}/{round}"));
        Shuffle {
            size,
            keys: [key(0), key(1), key(2), key(3)],
        }
    }

    /// The number at position `place` in the order with this number.
    pub fn at(&self, order: u64, place: u64) -> u64 {
        let mut number = place;
        loop {
            let (mut left, mut right) = (number / HALF, number % HALF);
            for key in self.keys {
                let mixed = key.stream(order * HALF + right).next_u64() >> (64 - HALF_BITS);
                (left, right) = (right, left ^ mixed);
            }
            number = left * HALF + right;
            if number < self.size {
                return number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_comes_once_and_each_order_is_its_own() {
        let shuffle = Shuffle::new(5, "test", 3000);
        let order = |number| {
            (0..3000)
                .map(|place| shuffle.at(number, place))
                .collect::<Vec<_>>()
        };
        let (first, second) = (order(0), order(1));
        for order in [&first, &second] {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..3000).collect::<Vec<_>>());
        }
        let same = first.iter().zip(&second).filter(|(a, b)| a == b).count();
        assert!(same < 10, "{same} places are alike");
        let rising = first.windows(2).filter(|pair| pair[0] < pair[1]).count();
        assert!(
            (1400..1600).contains(&rising),
            "{rising} of 2999 steps rise"
        );
    }
}
