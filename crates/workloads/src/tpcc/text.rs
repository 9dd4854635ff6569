//! Texts of the specification: random strings, names by syllables, ZIP codes.

use load::Stream;

const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const DIGITS: &[u8; 10] = b"0123456789";
const CAPITALS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// Characters from one random number: 62 to the 8th is far below 2 to the 64th, so no character is
/// more likely than another by more than 1 in 10,000.
const A_DRAW: usize = 8;
const SYLLABLES: [&[u8]; 10] = [
    b"BAR", b"OUGHT", b"ABLE", b"PRI", b"PRES", b"ESE", b"ANTI", b"CALLY", b"ATION", b"EING",
];
const ORIGINAL: &[u8] = b"ORIGINAL";

/// Appends `length` characters out of `alphabet`.
fn draw(stream: &mut Stream, alphabet: &[u8], length: usize, out: &mut Vec<u8>) {
    let mut left = length;
    while left > 0 {
        let mut fraction = stream.next_u64();
        for _ in 0..left.min(A_DRAW) {
            let wide = u128::from(fraction) * alphabet.len() as u128;
            fraction = wide as u64;
            out.push(alphabet[(wide >> 64) as usize]);
        }
        left = left.saturating_sub(A_DRAW);
    }
}

/// Appends an a-string: letters and digits, of a random length from `min` to `max`.
pub fn letters(stream: &mut Stream, min: usize, max: usize, out: &mut Vec<u8>) {
    let length = stream.between(min as i64, max as i64) as usize;
    draw(stream, LETTERS, length, out);
}

/// Appends an n-string: digits.
pub fn digits(stream: &mut Stream, length: usize, out: &mut Vec<u8>) {
    draw(stream, DIGITS, length, out);
}

/// Appends two capital letters.
pub fn state(stream: &mut Stream, out: &mut Vec<u8>) {
    draw(stream, CAPITALS, 2, out);
}

/// Appends a ZIP code.
pub fn zip(stream: &mut Stream, out: &mut Vec<u8>) {
    digits(stream, 4, out);
    out.extend_from_slice(b"11111");
}

/// Appends an a-string of 26 to 50 characters; one in ten has `ORIGINAL` somewhere in it.
pub fn data(stream: &mut Stream, out: &mut Vec<u8>) {
    let start = out.len();
    letters(stream, 26, 50, out);
    if stream.below(10) == 0 {
        let room = out.len() - start - ORIGINAL.len() + 1;
        let at = start + stream.below(room as u64) as usize;
        out[at..at + ORIGINAL.len()].copy_from_slice(ORIGINAL);
    }
}

/// Appends the last name for a number from 0 to 999.
pub fn last_name(number: u32, out: &mut Vec<u8>) {
    for place in [100, 10, 1] {
        out.extend_from_slice(SYLLABLES[(number / place % 10) as usize]);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use load::Purpose;

    use super::*;

    #[test]
    fn names_are_syllables_of_digits() {
        let name = |number| {
            let mut out = Vec::new();
            last_name(number, &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(name(371), "PRICALLYOUGHT");
        assert_eq!(name(0), "BARBARBAR");
        assert_eq!(name(999), "EINGEINGEING");
    }

    #[test]
    fn strings_have_all_lengths_and_characters_evenly() {
        let purpose = Purpose::new(1, "text");
        let (mut lengths, mut characters) = (BTreeMap::new(), BTreeMap::new());
        for index in 0..20_000 {
            let mut out = Vec::new();
            letters(&mut purpose.stream(index), 14, 24, &mut out);
            *lengths.entry(out.len()).or_insert(0) += 1;
            for character in out {
                *characters.entry(character).or_insert(0) += 1;
            }
        }
        assert_eq!(
            lengths.keys().copied().collect::<Vec<_>>(),
            (14..=24).collect::<Vec<_>>()
        );
        assert!(
            lengths.values().all(|count| (1640..2000).contains(count)),
            "{lengths:?}"
        );
        assert_eq!(characters.len(), 62);
        // 380,000 characters: 6,129 of each, with a standard deviation of 78.
        assert!(
            characters
                .values()
                .all(|count| (5800..6460).contains(count)),
            "{characters:?}"
        );
    }

    #[test]
    fn one_in_ten_data_is_original() {
        let purpose = Purpose::new(1, "data");
        let mut original = 0;
        for index in 0..20_000 {
            let mut out = Vec::new();
            data(&mut purpose.stream(index), &mut out);
            assert!((26..=50).contains(&out.len()));
            original += usize::from(out.windows(8).any(|part| part == ORIGINAL));
        }
        assert!((1830..2170).contains(&original), "{original}");
    }
}
