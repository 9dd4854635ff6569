//! What is in the nine tables at first (4.3.3.1): each row from the seed and its index alone, so
//! that the same bytes come whatever the number of loaders.
//!
//! Dates are fixed for that reason. `places` are warehouses and districts, `goods` items and stock,
//! `people` customers and their history, `orders` the last three tables.

mod goods;
mod orders;
mod people;
mod places;

use crate::fill::{Layout, Row, Source};
use goods::{Items, Stock};
use orders::{NewOrders, OrderLines, Orders};
use people::{Customers, History};
use places::{Districts, Warehouses};

/// Districts of a warehouse.
pub const DISTRICTS: u64 = 10;
/// Customers of a district, and its orders at first.
pub const CUSTOMERS: u64 = super::nurand::CUSTOMERS;
/// Items, and stock rows of a warehouse.
pub const ITEMS: u64 = super::nurand::ITEMS;
/// The first order of a district that is not delivered yet.
pub const FIRST_NEW_ORDER: u64 = 2101;
/// Orders of a district that are not delivered yet.
pub const NEW_ORDERS: u64 = CUSTOMERS + 1 - FIRST_NEW_ORDER;
/// All dates of the load.
const DATE: &[u8] = b"2000-01-01 00:00:00";

/// The rows of one of the tables.
#[derive(Debug)]
pub enum Rows {
    /// Of `item`.
    Items(Items),
    /// Of `warehouse`.
    Warehouses(Warehouses),
    /// Of `district`.
    Districts(Districts),
    /// Of `stock`.
    Stock(Stock),
    /// Of `customer`.
    Customers(Customers),
    /// Of `history`.
    History(History),
    /// Of `orders`.
    Orders(Orders),
    /// Of `new_orders`.
    NewOrders(NewOrders),
    /// Of `order_line`: those of an order together.
    OrderLines(OrderLines),
}

/// The rows of a table by its name.
pub fn of(table: &str, seed: u64, has_history_key: bool) -> Rows {
    match table {
        "item" => Rows::Items(Items::new(seed)),
        "warehouse" => Rows::Warehouses(Warehouses::new(seed)),
        "district" => Rows::Districts(Districts::new(seed)),
        "stock" => Rows::Stock(Stock::new(seed)),
        "customer" => Rows::Customers(Customers::new(seed)),
        "history" => Rows::History(History::new(seed, has_history_key)),
        "orders" => Rows::Orders(Orders::new(seed)),
        "new_orders" => Rows::NewOrders(NewOrders),
        "order_line" => Rows::OrderLines(OrderLines::new(seed)),
        other => unreachable!("there is no table {other}"),
    }
}

impl Source for Rows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        if let Rows::OrderLines(lines) = self {
            return lines.write(index, layout, out);
        }
        let mut row = Row::begin(layout, out);
        match self {
            Rows::Items(items) => items.write(index, &mut row),
            Rows::Warehouses(warehouses) => warehouses.write(index, &mut row),
            Rows::Districts(districts) => districts.write(index, &mut row),
            Rows::Stock(stock) => stock.write(index, &mut row),
            Rows::Customers(customers) => customers.write(index, &mut row),
            Rows::History(history) => history.write(index, &mut row),
            Rows::Orders(orders) => orders.write(index, &mut row),
            Rows::NewOrders(orders) => orders.write(index, &mut row),
            Rows::OrderLines(_) => unreachable!("written above"),
        }
        row.end();
    }

    fn rows_at(&self, index: u64) -> u64 {
        match self {
            Rows::OrderLines(lines) => lines.rows_at(index),
            _ => 1,
        }
    }
}

/// A row of a district's, by its index over all warehouses.
struct Place {
    /// From 1.
    warehouse: u64,
    /// From 1.
    district: u64,
    /// Its number among those of the district, from 1.
    number: u64,
    /// The district's number over all warehouses, from 0.
    order: u64,
}

impl Place {
    /// Of a table that has so many rows a district.
    fn of(index: u64, rows: u64) -> Place {
        let order = index / rows;
        Place {
            warehouse: order / DISTRICTS + 1,
            district: order % DISTRICTS + 1,
            number: index % rows + 1,
            order,
        }
    }
}

/// A date, where there is one.
fn date(row: &mut Row<'_>) {
    row.text(|out| out.extend_from_slice(DATE));
}

/// An amount of hundredths.
fn hundredths(row: &mut Row<'_>, value: u64) {
    fraction(row, value, 2);
}

/// A decimal with so many digits after its point.
fn fraction(row: &mut Row<'_>, value: u64, digits: usize) {
    let unit = 10_u64.pow(digits as u32);
    row.text(|out| {
        out.extend_from_slice(itoa::Buffer::new().format(value / unit).as_bytes());
        out.push(b'.');
        let mut buffer = itoa::Buffer::new();
        let behind = buffer.format(value % unit).as_bytes();
        out.resize(out.len() + digits - behind.len(), b'0');
        out.extend_from_slice(behind);
    });
}

#[cfg(test)]
mod tests;
