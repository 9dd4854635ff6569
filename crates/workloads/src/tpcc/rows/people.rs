//! Rows of `customer` and `history`.

use load::Purpose;

use super::places::address;
use super::values::{date, fraction, hundredths, Place, CUSTOMERS};
use crate::fill::Row;
use crate::tpcc::nurand::Constants;
use crate::tpcc::text::{digits, last_name, letters};

/// The first customers of a district have all last names in order.
const IN_ORDER: u64 = 1000;

/// Rows of `customer`.
#[derive(Debug)]
pub struct Customers {
    draws: Purpose,
    constants: Constants,
}

impl Customers {
    pub fn new(seed: u64) -> Customers {
        Customers {
            draws: Purpose::new(seed, "tpcc/customer"),
            constants: Constants::of_load(),
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let stream = &mut self.draws.stream(index);
        let place = Place::from_index(index, CUSTOMERS);
        row.int(place.number);
        row.int(place.district);
        row.int(place.warehouse);
        row.text(|out| letters(stream, 8, 16, out));
        row.text(|out| out.extend_from_slice(b"OE"));
        let name = if place.number <= IN_ORDER {
            place.number as u32 - 1
        } else {
            self.constants.last_name(stream)
        };
        row.text(|out| last_name(name, out));
        address(stream, row);
        row.text(|out| digits(stream, 16, out));
        date(row);
        let credit: &[u8] = if stream.below(10) == 0 { b"BC" } else { b"GC" };
        row.text(|out| out.extend_from_slice(credit));
        hundredths(row, 5_000_000);
        fraction(row, stream.below(5001), 4);
        row.text(|out| out.extend_from_slice(b"-10.00"));
        hundredths(row, 1000);
        row.int(1);
        row.int(0);
        row.text(|out| letters(stream, 300, 500, out));
    }
}

/// Rows of `history`: one per customer.
#[derive(Debug)]
pub struct History {
    draws: Purpose,
    has_key: bool,
}

impl History {
    pub fn new(seed: u64, has_key: bool) -> History {
        History {
            draws: Purpose::new(seed, "tpcc/history"),
            has_key,
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let stream = &mut self.draws.stream(index);
        let place = Place::from_index(index, CUSTOMERS);
        if self.has_key {
            row.int(index + 1);
        }
        row.int(place.number);
        for _ in ["of the customer", "of the payment"] {
            row.int(place.district);
            row.int(place.warehouse);
        }
        date(row);
        hundredths(row, 1000);
        row.text(|out| letters(stream, 12, 24, out));
    }
}
