//! The rows of the tables: row i of table n depends only on seed, n and i.
//!
//! Row i (from 0) has the id i + 1, a `k` drawn like ids, and random texts in `c` and `pad`. Each
//! column has its own stream, so that another distribution changes `k` and nothing else.

use load::Purpose;

use super::distribution::Sampler;
use super::schema;
use super::spec::Oltp;
use super::strings::{write_groups, C_BYTES, PAD_BYTES};
use crate::fill::{Layout, Row, Source};

/// Writes the rows of one table.
#[derive(Debug)]
pub struct SbtestRows {
    values: Sampler,
    k: Purpose,
    c: Purpose,
    pad: Purpose,
}

impl SbtestRows {
    /// The rows of table `table` (from 0) under `seed`.
    pub fn new(seed: u64, oltp: &Oltp, table: usize) -> SbtestRows {
        let table = schema::name(table);
        let purpose = |column: &str| Purpose::new(seed, &format!("rows/{table}/{column}"));
        SbtestRows {
            values: Sampler::new(&oltp.distribution, 1, i64::from(oltp.table_size)),
            k: purpose("k"),
            c: purpose("c"),
            pad: purpose("pad"),
        }
    }
}

impl Source for SbtestRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let k = self.values.draw(&mut self.k.stream(index));
        let mut row = Row::begin(layout, out);
        row.int(index + 1);
        row.int(k);
        row.text(|out| append(self.c, index, C_BYTES, out));
        row.text(|out| append(self.pad, index, PAD_BYTES, out));
        row.end();
    }
}

fn append(draws: Purpose, index: u64, bytes: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes, 0);
    write_groups(&mut draws.stream(index), &mut out[start..]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn rows(seed: u64, table: usize) -> SbtestRows {
        let oltp = serde_json::from_value(json!({"script": "oltp_read_write"})).unwrap();
        SbtestRows::new(seed, &oltp, table)
    }

    fn row(rows: &SbtestRows, index: u64, layout: Layout) -> String {
        let mut out = Vec::new();
        rows.write(index, layout, &mut out);
        String::from_utf8(out).unwrap()
    }

    proptest! {
        #[test]
        fn both_layouts_hold_the_same_values(seed: u64, table in 0_usize..9, index in 0_u64..99) {
            let line = row(&rows(seed, table), index, Layout::Lines);
            let values = row(&rows(seed, table), index, Layout::Values);
            let fields: Vec<&str> = line.trim_end_matches('\n').split('\t').collect();
            let [id, k, c, pad] = fields[..] else { panic!("{line}") };
            prop_assert_eq!(values, format!("({id},{k},'{c}','{pad}'),"));
            prop_assert_eq!(id, (index + 1).to_string());
            prop_assert!((1..=10_000).contains(&k.parse::<i64>().unwrap()));
            prop_assert_eq!((c.len(), pad.len()), (119, 59));
        }
    }

    #[test]
    fn the_first_row_of_seed_42_is_what_it_always_was() {
        // A change here changes every dataset: it alters numbers.
        assert_eq!(
            row(&rows(42, 0), 0, Layout::Lines),
            "1\t5053\t85406415863-91940062391-99402550638-44772451634-20533583208-76840061143-\
             03491468436-35317370363-07435318114-53060846633\t\
             64521589122-04604554416-17011399886-20630136840-76559422142\n"
        );
    }

    #[test]
    fn tables_and_seeds_have_rows_of_their_own() {
        let first = row(&rows(42, 0), 0, Layout::Lines);
        assert_ne!(first, row(&rows(42, 1), 0, Layout::Lines));
        assert_ne!(first, row(&rows(43, 0), 0, Layout::Lines));
    }
}
