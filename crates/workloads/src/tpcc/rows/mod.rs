//! The initial content of the nine tables (4.3.3.1): each row depends only on the seed and its
//! index, so that the bytes are the same for any number of loaders.
//!
//! Dates are fixed for that reason. `places` has warehouses and districts, `goods` items and stock,
//! `people` customers and their history, `orders` the last three tables.

mod goods;
mod orders;
mod people;
mod places;
mod values;

use crate::fill::{Layout, Row, Source};
use goods::{Items, Stock};
use orders::{NewOrders, OrderLines, Orders};
use people::{Customers, History};
use places::{Districts, Warehouses};

pub use values::{CUSTOMERS, DISTRICTS, ITEMS, NEW_ORDERS};

/// The rows of one of the tables.
#[derive(Debug)]
pub enum TpccRows {
    /// For `item`.
    Items(Items),
    /// For `warehouse`.
    Warehouses(Warehouses),
    /// For `district`.
    Districts(Districts),
    /// For `stock`.
    Stock(Stock),
    /// For `customer`.
    Customers(Customers),
    /// For `history`.
    History(History),
    /// For `orders`.
    Orders(Orders),
    /// For `new_orders`.
    NewOrders(NewOrders),
    /// For `order_line`: all lines of an order together.
    OrderLines(OrderLines),
}

impl TpccRows {
    /// The rows of a table, by name.
    pub fn new(table: &str, seed: u64, has_history_key: bool) -> TpccRows {
        match table {
            "item" => TpccRows::Items(Items::new(seed)),
            "warehouse" => TpccRows::Warehouses(Warehouses::new(seed)),
            "district" => TpccRows::Districts(Districts::new(seed)),
            "stock" => TpccRows::Stock(Stock::new(seed)),
            "customer" => TpccRows::Customers(Customers::new(seed)),
            "history" => TpccRows::History(History::new(seed, has_history_key)),
            "orders" => TpccRows::Orders(Orders::new(seed)),
            "new_orders" => TpccRows::NewOrders(NewOrders),
            "order_line" => TpccRows::OrderLines(OrderLines::new(seed)),
            other => unreachable!("there is no table {other}"),
        }
    }
}

impl Source for TpccRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        if let TpccRows::OrderLines(lines) = self {
            return lines.write(index, layout, out);
        }
        let mut row = Row::begin(layout, out);
        match self {
            TpccRows::Items(items) => items.write(index, &mut row),
            TpccRows::Warehouses(warehouses) => warehouses.write(index, &mut row),
            TpccRows::Districts(districts) => districts.write(index, &mut row),
            TpccRows::Stock(stock) => stock.write(index, &mut row),
            TpccRows::Customers(customers) => customers.write(index, &mut row),
            TpccRows::History(history) => history.write(index, &mut row),
            TpccRows::Orders(orders) => orders.write(index, &mut row),
            TpccRows::NewOrders(orders) => orders.write(index, &mut row),
            TpccRows::OrderLines(_) => unreachable!("written above"),
        }
        row.end();
    }

    fn rows_at(&self, index: u64) -> u64 {
        match self {
            TpccRows::OrderLines(lines) => lines.rows_at(index),
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests;
