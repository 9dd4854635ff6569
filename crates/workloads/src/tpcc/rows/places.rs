//! Rows of `warehouse` and `district`.

use load::{Purpose, Stream};

use super::values::{fraction, hundredths, CUSTOMERS, DISTRICTS};
use crate::fill::Row;
use crate::tpcc::text::{letters, state, zip};

/// Rows of `warehouse`.
#[derive(Debug)]
pub struct Warehouses {
    draws: Purpose,
}

impl Warehouses {
    pub fn new(seed: u64) -> Warehouses {
        Warehouses {
            draws: Purpose::new(seed, "tpcc/warehouse"),
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let stream = &mut self.draws.stream(index);
        row.int(index + 1);
        row.text(|out| letters(stream, 6, 10, out));
        address(stream, row);
        fraction(row, stream.below(2001), 4);
        hundredths(row, 30_000_000);
    }
}

/// Rows of `district`.
#[derive(Debug)]
pub struct Districts {
    draws: Purpose,
}

impl Districts {
    pub fn new(seed: u64) -> Districts {
        Districts {
            draws: Purpose::new(seed, "tpcc/district"),
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let stream = &mut self.draws.stream(index);
        row.int(index % DISTRICTS + 1);
        row.int(index / DISTRICTS + 1);
        row.text(|out| letters(stream, 6, 10, out));
        address(stream, row);
        fraction(row, stream.below(2001), 4);
        hundredths(row, 3_000_000);
        row.int(CUSTOMERS + 1);
    }
}

/// Two streets, city, state, ZIP code.
pub fn address(stream: &mut Stream, row: &mut Row<'_>) {
    for _ in 0..3 {
        row.text(|out| letters(stream, 10, 20, out));
    }
    row.text(|out| state(stream, out));
    row.text(|out| zip(stream, out));
}
