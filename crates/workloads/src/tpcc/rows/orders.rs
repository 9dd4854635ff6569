//! Rows of `orders`, `order_line` and `new_orders`.

use load::Purpose;

use super::values::{date, hundredths, Place, CUSTOMERS, FIRST_NEW_ORDER, ITEMS, NEW_ORDERS};
use crate::fill::{Layout, Row};
use crate::tpcc::shuffle::Shuffle;
use crate::tpcc::text::letters;

/// What is drawn first for an order: `orders` and `order_line` must agree on it.
#[derive(Debug, Clone, Copy)]
struct Lines {
    draws: Purpose,
}

impl Lines {
    fn new(seed: u64) -> Lines {
        Lines {
            draws: Purpose::new(seed, "tpcc/orders/lines"),
        }
    }

    /// How many lines the order of this index has.
    fn count(&self, index: u64) -> u64 {
        5 + self.draws.stream(index).below(11)
    }
}

/// Rows of `orders`.
#[derive(Debug)]
pub struct Orders {
    lines: Lines,
    carriers: Purpose,
    customers: Shuffle,
}

impl Orders {
    pub fn new(seed: u64) -> Orders {
        Orders {
            lines: Lines::new(seed),
            carriers: Purpose::new(seed, "tpcc/orders/carrier"),
            customers: Shuffle::new(seed, "tpcc/orders/customer", CUSTOMERS),
        }
    }

    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let place = Place::from_index(index, CUSTOMERS);
        row.int(place.number);
        row.int(place.district);
        row.int(place.warehouse);
        row.int(self.customers.at(place.order, place.number - 1) + 1);
        date(row);
        if place.number < FIRST_NEW_ORDER {
            row.int(1 + self.carriers.stream(index).below(10));
        } else {
            row.null();
        }
        row.int(self.lines.count(index));
        row.int(1);
    }
}

/// Rows of `order_line`.
#[derive(Debug)]
pub struct OrderLines {
    lines: Lines,
    draws: Purpose,
}

impl OrderLines {
    pub fn new(seed: u64) -> OrderLines {
        OrderLines {
            lines: Lines::new(seed),
            draws: Purpose::new(seed, "tpcc/order_line"),
        }
    }

    pub fn rows_at(&self, index: u64) -> u64 {
        self.lines.count(index)
    }

    pub fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let place = Place::from_index(index, CUSTOMERS);
        let stream = &mut self.draws.stream(index);
        let is_delivered = place.number < FIRST_NEW_ORDER;
        for number in 1..=self.lines.count(index) {
            let mut row = Row::begin(layout, out);
            row.int(place.number);
            row.int(place.district);
            row.int(place.warehouse);
            row.int(number);
            row.int(1 + stream.below(ITEMS));
            row.int(place.warehouse);
            if is_delivered {
                date(&mut row);
            } else {
                row.null();
            }
            row.int(5);
            let amount = if is_delivered {
                0
            } else {
                1 + stream.below(999_999)
            };
            hundredths(&mut row, amount);
            row.text(|out| letters(stream, 24, 24, out));
            row.end();
        }
    }
}

/// Rows of `new_orders`.
#[derive(Debug)]
pub struct NewOrders;

impl NewOrders {
    pub fn write(&self, index: u64, row: &mut Row<'_>) {
        let place = Place::from_index(index, NEW_ORDERS);
        row.int(FIRST_NEW_ORDER - 1 + place.number);
        row.int(place.district);
        row.int(place.warehouse);
    }
}
