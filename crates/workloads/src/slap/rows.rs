//! The rows of the table, and their keys: row i depends only on the seed and i.
//!
//! mysqlslap lets the server make keys, with uuid() or by counting; here they are generated, so
//! that all arms have the same ones and a key need not be read before it is used.

use load::Purpose;

use super::generate::{int, letters, Primary};
use super::spec::Slap;
use crate::fill::{Layout, Row, Source};

/// The keys of rows.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    primary: Primary,
    guids: Purpose,
}

impl Keys {
    /// The keys under `seed`.
    pub fn new(seed: u64, primary: Primary) -> Keys {
        Keys {
            primary,
            guids: Purpose::new(seed, "slap/guids"),
        }
    }

    /// Appends the key of row `index`, from 0; nothing if rows have none.
    pub fn write(&self, index: u64, out: &mut Vec<u8>) {
        match self.primary {
            Primary::None => {}
            Primary::AutoIncrement => {
                out.extend_from_slice(itoa::Buffer::new().format(index + 1).as_bytes());
            }
            Primary::Guid => guid(self.guids, index, out),
        }
    }
}

/// 36 characters that look like a result of uuid().
fn guid(guids: Purpose, index: u64, out: &mut Vec<u8>) {
    let mut stream = guids.stream(index);
    let (high, low) = (stream.below(u64::MAX), stream.below(u64::MAX));
    let text = format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    );
    out.extend_from_slice(text.as_bytes());
}

/// Writes the rows.
#[derive(Debug)]
pub struct SlapRows {
    keys: Keys,
    has_key: bool,
    secondary: Vec<Purpose>,
    ints: u32,
    chars: u32,
    unique: u64,
    values: Purpose,
}

impl SlapRows {
    /// The rows under `seed`.
    pub fn new(seed: u64, slap: &Slap) -> SlapRows {
        let secondary = |n| Purpose::new(seed, &format!("slap/guids/{n}"));
        SlapRows {
            keys: Keys::new(seed, slap.primary),
            has_key: slap.primary != Primary::None,
            secondary: (0..slap.secondary).map(secondary).collect(),
            ints: slap.int_columns,
            chars: slap.char_columns,
            unique: u64::from(slap.unique_rows),
            values: Purpose::new(seed, "slap/rows"),
        }
    }
}

impl Source for SlapRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let mut draws = self.values.stream(index % self.unique);
        let mut row = Row::begin(layout, out);
        if self.has_key {
            row.text(|out| self.keys.write(index, out));
        }
        for &guids in &self.secondary {
            row.text(|out| guid(guids, index, out));
        }
        for _ in 0..self.ints {
            row.text(|out| out.extend(int(&mut draws).bytes()));
        }
        for _ in 0..self.chars {
            row.text(|out| out.extend(letters(&mut draws).bytes()));
        }
        row.end();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(keys: serde_json::Value, index: u64, layout: Layout) -> String {
        let slap: Slap = serde_json::from_value(keys).unwrap();
        let mut out = Vec::new();
        SlapRows::new(7, &slap).write(index, layout, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn rows_repeat_but_for_their_keys() {
        let keys = json!({"unique_rows": 3, "primary": "guid", "secondary": 1});
        let cells = |index| {
            let line = row(keys.clone(), index, Layout::Lines);
            let line = line.strip_suffix('\n').unwrap().to_owned();
            line.split('\t').map(str::to_owned).collect::<Vec<_>>()
        };
        let (first, fourth) = (cells(0), cells(3));
        assert_eq!(first.len(), 4);
        assert_eq!(first[2..], fourth[2..]);
        assert_ne!(first[..2], fourth[..2]);
        assert_ne!(first[2..], cells(1)[2..]);
        assert!(first[..2].iter().all(|guid| guid.len() == 36), "{first:?}");
    }

    #[test]
    fn values_are_quoted_in_an_insert() {
        let text = row(json!({"primary": "auto_increment"}), 4, Layout::Values);
        assert!(text.starts_with("('5','"), "{text}");
        assert!(text.ends_with("'),"), "{text}");
    }
}
