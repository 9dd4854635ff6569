//! Rows that depend only on seed, table, column and number: any part can be made anywhere.
//!
//! Values are written as text directly into a buffer. They are plain ASCII without tabs, line ends,
//! quotes or backslashes, so that neither LOAD DATA nor INSERT has to escape anything.

use load::Purpose;

use super::spec::Generator;
use crate::fill::{Layout, Row, Source};

/// Writes the rows of one table, each column on its own.
#[derive(Debug)]
pub struct GeneratedRows {
    columns: Vec<Column>,
}

/// The values of one column.
#[derive(Debug)]
pub(crate) struct Column {
    generator: Generator,
    draws: Purpose,
    /// Maps a drawn integer to the digits of `hex`.
    digits: Purpose,
}

impl GeneratedRows {
    /// The rows of the table of this name under `seed`.
    pub fn new(seed: u64, table: &str, columns: &[Generator]) -> GeneratedRows {
        let column = |(place, generator): (usize, &Generator)| {
            Column::new(seed, &format!("rows/{table}/{}", place + 1), generator)
        };
        GeneratedRows {
            columns: columns.iter().enumerate().map(column).collect(),
        }
    }

    /// Appends row `index`.
    pub fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let mut row = Row::begin(layout, out);
        for column in &self.columns {
            row.text(|out| column.write(index, out));
        }
        row.end();
    }
}

impl Source for GeneratedRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        GeneratedRows::write(self, index, layout, out);
    }
}

impl Column {
    /// Values by `generator`. `name`: what else they are drawn from, beside the seed. It is
    /// `rows/TABLE/PLACE`, from 1, for a column of a table.
    pub(crate) fn new(seed: u64, name: &str, generator: &Generator) -> Column {
        Column {
            generator: generator.clone(),
            draws: Purpose::new(seed, name),
            digits: Purpose::new(seed, &format!("{name}/digits")),
        }
    }

    /// Appends the value in row `index`.
    pub(crate) fn write(&self, index: u64, out: &mut Vec<u8>) {
        let mut stream = self.draws.stream(index);
        match self.generator {
            Generator::Int { min, max } => integer(stream.between(min, max), out),
            Generator::Sequence { start } => integer(start.wrapping_add(index as i64), out),
            Generator::Hex { length, distinct } => {
                let mut digits = self.digits.stream(stream.below(distinct));
                hex(usize::from(length), || digits.next_u64(), out);
            }
            Generator::RepeatDecimal { times_max } => {
                let mut text = [0; 18];
                let length = decimal(stream.below(10_000_000_000_000_000), &mut text);
                let times = (stream.unit() * f64::from(times_max) + 0.5) as usize;
                for _ in 0..times {
                    out.extend_from_slice(&text[..length]);
                }
            }
        }
    }
}

fn integer(value: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn hex(length: usize, mut next: impl FnMut() -> u64, out: &mut Vec<u8>) {
    let mut left = length;
    while left > 0 {
        let mut bits = next();
        let now = left.min(16);
        for _ in 0..now {
            bits = bits.rotate_left(4);
            out.push(b"0123456789abcdef"[(bits & 15) as usize]);
        }
        left -= now;
    }
}

/// Writes `0.` and 16 digits, minus up to two trailing zeros; returns the length.
fn decimal(mut value: u64, text: &mut [u8; 18]) -> usize {
    text[..2].copy_from_slice(b"0.");
    for place in text[2..].iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        value /= 10;
    }
    match (text[16], text[17]) {
        (b'0', b'0') => 16,
        (_, b'0') => 17,
        _ => 18,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn all_kinds(seed: u64) -> GeneratedRows {
        let columns = [
            Generator::Int { min: -5, max: 5 },
            Generator::Sequence { start: 10 },
            Generator::Hex {
                length: 20,
                distinct: 50,
            },
            Generator::RepeatDecimal { times_max: 4 },
        ];
        GeneratedRows::new(seed, "t1", &columns)
    }

    fn row(rows: &GeneratedRows, index: u64) -> String {
        let mut out = Vec::new();
        rows.write(index, Layout::Lines, &mut out);
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn rows_made_by_many_are_the_rows_made_by_one(seed: u64, workers in 1_u64..9) {
            let one = all_kinds(seed);
            let mut shared = vec![String::new(); 40];
            for worker in 0..workers {
                let rows = all_kinds(seed);
                for index in (worker..40).step_by(workers as usize) {
                    shared[index as usize] = row(&rows, index);
                }
            }
            let alone: Vec<String> = (0..40).map(|index| row(&one, index)).collect();
            prop_assert_eq!(shared, alone);
        }

        #[test]
        fn a_decimal_reads_as_the_number_it_is(value in 0_u64..10_000_000_000_000_000) {
            let mut text = [0; 18];
            let length = decimal(value, &mut text);
            let text = std::str::from_utf8(&text[..length]).unwrap();
            prop_assert!((16..=18).contains(&length));
            let padded = format!("{:0<16}", &text[2..]);
            prop_assert_eq!(padded.parse::<u64>().unwrap(), value);
        }
    }

    #[test]
    fn the_first_rows_of_seed_42_are_what_they_always_were() {
        // A change here changes every dataset: it alters numbers.
        let rows = all_kinds(42);
        let seen: Vec<String> = (0..3).map(|index| row(&rows, index)).collect();
        assert_eq!(
            seen,
            [
                "-3\t10\tc4d147ef17eb3ea94bf7\t0.31365837416786040.3136583741678604\n",
                "0\t11\t0a8a6167d76033b17ff0\t0.1523171036157296\n",
                "-5\t12\t973448f4dd3befe7dd31\t\n",
            ]
        );
    }

    #[test]
    fn both_layouts_hold_the_same_values() {
        let rows = all_kinds(1);
        let mut values = Vec::new();
        rows.write(7, Layout::Values, &mut values);
        let values = String::from_utf8(values).unwrap();
        let inside = values
            .strip_prefix("('")
            .unwrap()
            .strip_suffix("'),")
            .unwrap();
        assert_eq!(inside.replace("','", "\t") + "\n", row(&rows, 7));
    }

    #[test]
    fn values_are_what_was_asked_for() {
        let rows = all_kinds(7);
        let mut hexes = BTreeSet::new();
        for index in 0..2000 {
            let row = row(&rows, index);
            let values: Vec<&str> = row.trim_end_matches('\n').split('\t').collect();
            assert!((-5..=5).contains(&values[0].parse::<i64>().unwrap()));
            assert_eq!(values[1], (10 + index).to_string());
            assert_eq!(values[2].len(), 20);
            assert!(values[2]
                .bytes()
                .all(|byte| b"0123456789abcdef".contains(&byte)));
            hexes.insert(values[2].to_owned());
            assert!(values[3].len() <= 4 * 18);
        }
        assert_eq!(hexes.len(), 50);
    }
}
