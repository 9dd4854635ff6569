//! The checksum of a result, so that arms can be compared for equal answers. NULL-safe.
//!
//! Described in docs/reference/load-plan.md. It is computed while the rows arrive, so it is part of
//! the statement's time; the work is the same for all arms that give the same answer: one copy of
//! the compared bytes and one XXH3 per row. If rows are only counted, there is no such work.

use wire::{Column, Row, Rows};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::spec::{ColumnRef, Compare};

/// NULL in the text protocol.
const NULL: u8 = 0xfb;

/// Takes the rows of one statement. Created once per statement and connection, and reused.
#[derive(Debug)]
pub struct Checksum {
    compare: Compare,
    ordered: bool,
    /// Positions of the compared columns in the current result; unused for all columns.
    places: Vec<usize>,
    /// The name of a compared column that is missing from the result.
    missing: Option<String>,
    scratch: Vec<u8>,
    sum: u64,
}

impl Checksum {
    /// A checksum over this part of a result.
    pub fn new(compare: Compare, ordered: bool) -> Checksum {
        Checksum {
            compare,
            ordered,
            places: Vec::new(),
            missing: None,
            scratch: Vec::with_capacity(4096),
            sum: 0,
        }
    }

    /// Forgets the last result.
    pub fn reset(&mut self) {
        self.sum = 0;
        self.missing = None;
    }

    /// The value for a result of `rows` rows.
    pub fn value(&self, rows: u64) -> u64 {
        match self.compare {
            // Every row is the same empty string.
            Compare::Rows => xxh3_64(b"").wrapping_mul(rows),
            Compare::All | Compare::Columns(_) => self.sum,
        }
    }

    /// A column of `compare` that was missing from the result.
    pub fn missing(&self) -> Option<&str> {
        self.missing.as_deref()
    }

    /// Counts one row, given as its compared values.
    pub fn add<'a>(&mut self, values: impl Iterator<Item = Option<&'a [u8]>>) {
        self.scratch.clear();
        for value in values {
            match value {
                Some(bytes) => {
                    length(bytes.len(), &mut self.scratch);
                    self.scratch.extend_from_slice(bytes);
                }
                None => self.scratch.push(NULL),
            }
        }
        self.sum = if self.ordered {
            xxh3_64_with_seed(&self.scratch, self.sum)
        } else {
            self.sum.wrapping_add(xxh3_64(&self.scratch))
        };
    }

    fn resolve(&mut self, columns: &[Column]) {
        let Compare::Columns(wanted) = &self.compare else {
            return;
        };
        self.places.clear();
        for column in wanted {
            let place = match column {
                ColumnRef::Name(name) => columns
                    .iter()
                    .position(|column| column.name.eq_ignore_ascii_case(name)),
                ColumnRef::Position(place) => usize::try_from(place - 1)
                    .ok()
                    .filter(|&place| place < columns.len()),
            };
            match (place, column) {
                (Some(place), _) => self.places.push(place),
                (None, ColumnRef::Name(name)) => self.missing = Some(name.clone()),
                (None, ColumnRef::Position(place)) => self.missing = Some(place.to_string()),
            }
        }
    }
}

/// MySQL's length-encoded integer.
fn length(length: usize, out: &mut Vec<u8>) {
    let bytes = (length as u64).to_le_bytes();
    match length {
        0..=0xfa => out.push(bytes[0]),
        0xfb..=0xffff => {
            out.push(0xfc);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xff_ffff => {
            out.push(0xfd);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xfe);
            out.extend_from_slice(&bytes);
        }
    }
}

impl Rows for Checksum {
    fn columns(&mut self, columns: &[Column]) {
        self.resolve(columns);
    }

    fn row(&mut self, row: Row<'_>) {
        match self.compare {
            Compare::All => self.add(row.iter()),
            Compare::Columns(_) => {
                // Moved out for the call, because `add` needs the rest of self.
                let places = std::mem::take(&mut self.places);
                self.add(places.iter().map(|&place| row.get(place)));
                self.places = places;
            }
            Compare::Rows => {}
        }
    }

    fn wants_rows(&self) -> bool {
        self.compare != Compare::Rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Vectors {
        about: String,
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        name: String,
        rows: Vec<Vec<Option<Cell>>>,
        unordered: String,
        ordered: String,
    }

    /// A text, or a repeated piece: long values would bloat the file.
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Cell {
        Text(String),
        Repeat { repeat: String, times: usize },
    }

    impl Cell {
        fn text(&self) -> String {
            match self {
                Cell::Text(text) => text.clone(),
                Cell::Repeat { repeat, times } => repeat.repeat(*times),
            }
        }
    }

    fn checksum(rows: &[Vec<Option<String>>], ordered: bool) -> String {
        let mut checksum = Checksum::new(Compare::All, ordered);
        for row in rows {
            checksum.add(row.iter().map(|value| value.as_deref().map(str::as_bytes)));
        }
        format!("{:016x}", checksum.value(rows.len() as u64))
    }

    #[test]
    fn the_golden_vectors_hold() {
        let text = include_str!("../../../../tests/golden/load/checksums.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        assert!(!vectors.about.is_empty() && vectors.cases.len() >= 8);
        for case in &vectors.cases {
            let rows: Vec<Vec<Option<String>>> = case
                .rows
                .iter()
                .map(|row| {
                    row.iter()
                        .map(|cell| cell.as_ref().map(Cell::text))
                        .collect()
                })
                .collect();
            assert_eq!(
                checksum(&rows, false),
                case.unordered,
                "unordered, {}",
                case.name
            );
            assert_eq!(
                checksum(&rows, true),
                case.ordered,
                "ordered, {}",
                case.name
            );
        }
    }

    #[test]
    fn counting_rows_is_hashing_empty_ones() {
        let checksum = Checksum::new(Compare::Rows, false);
        let mut empty = Checksum::new(Compare::All, false);
        (0..3).for_each(|_| empty.add(std::iter::empty()));
        assert_eq!(checksum.value(3), empty.value(3));
        assert!(!checksum.wants_rows());
    }
}
