//! The texts of the columns `c` and `pad`: groups of 11 random digits, joined by `-`.
//!
//! A group is the number floor(r * 10^11 / 2^64) of one 64-bit random number r: no digit, pair or
//! group is more likely than another by more than 1 in 10^8. It is written two digits at a time by
//! multiplying a fixed-point fraction, which needs no division and no allocation.

use load::Stream;

/// Digits in a group.
const GROUP: usize = 11;
/// Length of a text in `c`: 10 groups.
pub const C_BYTES: usize = 10 * (GROUP + 1) - 1;
/// Length of a text in `pad`: 5 groups.
pub const PAD_BYTES: usize = 5 * (GROUP + 1) - 1;

/// 00 to 99.
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut number = 0;
    while number < 100 {
        pairs[number] = [b'0' + (number / 10) as u8, b'0' + (number % 10) as u8];
        number += 1;
    }
    pairs
};

/// Fills `text` with groups; its length is a whole number of groups with `-` between them.
#[inline]
pub fn write_groups(stream: &mut Stream, text: &mut [u8]) {
    text.fill(b'-');
    for group in text.chunks_mut(GROUP + 1) {
        if let Some(digits) = group.first_chunk_mut() {
            write_digits(stream.next_u64(), digits);
        }
    }
}

#[inline]
fn write_digits(random: u64, digits: &mut [u8; GROUP]) {
    let mut fraction = random;
    let mut next = |parts: u64| {
        let wide = u128::from(fraction) * u128::from(parts);
        fraction = wide as u64;
        (wide >> 64) as usize
    };
    for pair in 0..GROUP / 2 {
        digits[2 * pair..2 * pair + 2].copy_from_slice(&PAIRS[next(100)]);
    }
    digits[GROUP - 1] = b'0' + next(10) as u8;
}

#[cfg(test)]
mod tests {
    use load::Purpose;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_group_is_the_number_it_says(random: u64) {
            let mut digits = [0; GROUP];
            write_digits(random, &mut digits);
            let number = (u128::from(random) * 100_000_000_000) >> 64;
            prop_assert_eq!(std::str::from_utf8(&digits).unwrap(), format!("{number:011}"));
        }
    }

    #[test]
    fn texts_are_groups_of_eleven_digits() {
        let mut stream = Purpose::new(1, "test").stream(0);
        let (mut c, mut pad) = ([0; C_BYTES], [0; PAD_BYTES]);
        write_groups(&mut stream, &mut c);
        write_groups(&mut stream, &mut pad);
        assert_eq!((c.len(), pad.len()), (119, 59));
        for (text, groups) in [(&c[..], 10), (&pad[..], 5)] {
            let text = std::str::from_utf8(text).unwrap();
            let seen: Vec<&str> = text.split('-').collect();
            assert_eq!(seen.len(), groups);
            assert!(seen.iter().all(|group| group.len() == 11), "{text}");
            assert!(text
                .bytes()
                .all(|byte| byte == b'-' || byte.is_ascii_digit()));
        }
    }

    #[test]
    fn each_digit_comes_equally_often_in_each_place() {
        let mut counts = [[0.0_f64; 10]; GROUP];
        let draws = 100_000;
        let mut stream = Purpose::new(5, "test").stream(0);
        for _ in 0..draws {
            let mut digits = [0; GROUP];
            write_groups(&mut stream, &mut digits);
            for (place, digit) in digits.iter().enumerate() {
                counts[place][usize::from(digit - b'0')] += 1.0;
            }
        }
        let expected = f64::from(draws) / 10.0;
        for (place, counts) in counts.iter().enumerate() {
            let squares = counts
                .iter()
                .map(|count| (count - expected).powi(2) / expected);
            let chi_square: f64 = squares.sum();
            // 9 degrees of freedom: above 34 once in 10,000.
            assert!(chi_square < 34.0, "place {place}: {chi_square}");
        }
    }
}
