//! Rows of `item` and `stock`.

use load::Purpose;

use super::values::{hundredths, DISTRICTS, ITEMS};
use crate::fill::Row;
use crate::tpcc::text::{data, letters};

/// Rows of `item`.
#[derive(Debug)]
pub struct Items {
    draws: Purpose,
}

impl Items {
    pub fn new(seed: u64) -> Items {
        Items {
            draws: Purpose::new(seed, "tpcc/item"),
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let stream = &mut self.draws.stream(index);
        row.int(index + 1);
        row.int(1 + stream.below(10_000));
        row.text(|out| letters(stream, 14, 24, out));
        hundredths(row, 100 + stream.below(9901));
        row.text(|out| data(stream, out));
    }
}

/// Rows of `stock`.
#[derive(Debug)]
pub struct Stock {
    draws: Purpose,
}

impl Stock {
    pub fn new(seed: u64) -> Stock {
        Stock {
            draws: Purpose::new(seed, "tpcc/stock"),
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let stream = &mut self.draws.stream(index);
        row.int(index % ITEMS + 1);
        row.int(index / ITEMS + 1);
        row.int(10 + stream.below(91));
        for _ in 0..DISTRICTS {
            row.text(|out| letters(stream, 24, 24, out));
        }
        for _ in ["s_ytd", "s_order_cnt", "s_remote_cnt"] {
            row.int(0);
        }
        row.text(|out| data(stream, out));
    }
}
