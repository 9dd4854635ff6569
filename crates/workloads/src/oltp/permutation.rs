//! A permutation of all 32-bit numbers: ids that look random and don't repeat.
//!
//! A number is shifted by a key and mixed by MurmurHash3's 32-bit finisher (A. Appleby, public
//! domain). Adding a key, multiplying by an odd number and xoring with a right shift of itself can
//! each be undone modulo 2^32, so the whole can: different numbers have different images.

/// One of 2^32 permutations.
#[derive(Debug, Clone, Copy)]
pub struct Permutation {
    key: u32,
}

impl Permutation {
    /// The permutation of this key.
    pub fn new(key: u32) -> Permutation {
        Permutation { key }
    }

    /// The image of `number`.
    pub fn image(self, number: u32) -> u32 {
        let mut mixed = number.wrapping_add(self.key);
        mixed = (mixed ^ (mixed >> 16)).wrapping_mul(0x85eb_ca6b);
        mixed = (mixed ^ (mixed >> 13)).wrapping_mul(0xc2b2_ae35);
        mixed ^ (mixed >> 16)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// The odd number that undoes multiplying by `odd`: each Newton step doubles the bits.
    fn reciprocal(odd: u32) -> u32 {
        (0..5).fold(odd, |guess, _| {
            guess.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(guess)))
        })
    }

    fn preimage(key: u32, image: u32) -> u32 {
        let mut mixed = image ^ (image >> 16);
        mixed = mixed.wrapping_mul(reciprocal(0xc2b2_ae35));
        mixed ^= (mixed >> 13) ^ (mixed >> 26);
        mixed = mixed.wrapping_mul(reciprocal(0x85eb_ca6b));
        mixed ^= mixed >> 16;
        mixed.wrapping_sub(key)
    }

    proptest! {
        #[test]
        fn every_image_leads_back_to_its_number(key: u32, number: u32) {
            prop_assert_eq!(preimage(key, Permutation::new(key).image(number)), number);
        }
    }

    #[test]
    fn neighbours_have_different_and_distant_images() {
        let permutation = Permutation::new(0);
        let images: BTreeSet<u32> = (0..100_000)
            .map(|number| permutation.image(number))
            .collect();
        assert_eq!(images.len(), 100_000);
        // About equally many in each 16th of the range.
        for part in 0..16_u32 {
            let from = part << 28;
            let count = images.range(from..=from | 0x0fff_ffff).count();
            assert!((5900..6600).contains(&count), "{count} in part {part}");
        }
    }
}
