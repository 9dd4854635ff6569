//! New-Order (2.4): two messages. One in a hundred asks for an item that doesn't exist; it does all
//! its other lines, looks for that item, and rolls everything back.

use load::Stream;
use wire::{Done, Row};

use super::transaction::{ensure, hundredths, sql, Home, Hundredths, Transaction, Wrong};
use crate::script::int;

/// No item has this number.
const UNUSED_ITEM: u32 = 200_000;

/// A line as it was requested, and what the database says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    pub item: u32,
    pub supply: u32,
    pub quantity: u32,
    price: i64,
    dist: [u8; 24],
}

/// A stock row that any number of lines ask for: by supply warehouse and item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stock {
    supply: u32,
    item: u32,
    quantity: i64,
    sold: u32,
    lines: u32,
    dist: [u8; 24],
    heard: bool,
}

/// A new order.
#[derive(Debug)]
pub struct NewOrder {
    pub(super) home: Home,
    pub(super) customer: u32,
    /// True if the last line asks for an item that doesn't exist.
    pub is_rolled_back: bool,
    /// Without that line.
    pub(super) lines: Vec<Line>,
    /// In order of key, which is the order in which they are locked.
    stock: Vec<Stock>,
    order: Option<u32>,
    finds_unused: bool,
}

impl NewOrder {
    /// Nothing has been drawn yet.
    pub fn new(home: Home) -> NewOrder {
        NewOrder {
            home,
            customer: 0,
            is_rolled_back: false,
            lines: Vec::with_capacity(15),
            stock: Vec::with_capacity(15),
            order: None,
            finds_unused: false,
        }
    }

    /// Draws the inputs.
    pub fn draw(&mut self, home: Home, stream: &mut Stream) {
        self.home = home;
        self.home.district = 1 + stream.below(10) as u32;
        self.customer = home.constants.customer(stream);
        let lines = 5 + stream.below(11);
        self.is_rolled_back = stream.below(100) == 0;
        self.lines.clear();
        for _ in 0..lines {
            let item = home.constants.item(stream);
            let is_remote = stream.below(100) == 0;
            let supply = match is_remote {
                true => home.other_warehouse(stream),
                false => home.warehouse,
            };
            self.lines.push(Line {
                item,
                supply,
                quantity: 1 + stream.below(10) as u32,
                price: 0,
                dist: [0; 24],
            });
        }
        if self.is_rolled_back {
            self.lines.pop();
        }
        self.gather_stock();
    }

    fn gather_stock(&mut self) {
        self.stock.clear();
        self.stock.extend(self.lines.iter().map(|line| Stock {
            supply: line.supply,
            item: line.item,
            quantity: 0,
            sold: 0,
            lines: 0,
            dist: [0; 24],
            heard: false,
        }));
        self.stock
            .sort_unstable_by_key(|stock| (stock.supply, stock.item));
        self.stock.dedup();
    }

    /// All lines, including the one that can't be filled.
    pub fn lines_asked(&self) -> u64 {
        self.lines.len() as u64 + u64::from(self.is_rolled_back)
    }

    /// Lines from other warehouses; the one that can't be filled is a home line.
    pub fn remote_lines(&self) -> u64 {
        let remote = self
            .lines
            .iter()
            .filter(|line| line.supply != self.home.warehouse);
        remote.count() as u64
    }

    /// Warehouse, district and number of the order.
    pub fn placed_order(&self) -> Option<(u32, u32, u32)> {
        let order = self.order?;
        Some((self.home.warehouse, self.home.district, order))
    }

    /// Takes the order's number, and reads everything it needs.
    fn ask(&mut self, out: &mut Vec<u8>) {
        let Home {
            warehouse,
            district,
            ..
        } = self.home;
        self.order = None;
        for stock in &mut self.stock {
            (stock.sold, stock.lines, stock.heard) = (0, 0, false);
        }
        sql!(
            out,
            "UPDATE district SET d_next_o_id = d_next_o_id + 1 \
             WHERE d_w_id = {warehouse} AND d_id = {district};\
             SELECT s_w_id, s_i_id, s_quantity, s_dist_{district:02}, s_data FROM stock WHERE "
        );
        let mut or = "";
        for (supply, of_supply) in by_supply(&self.stock) {
            sql!(out, "{or}(s_w_id = {supply} AND s_i_id IN (");
            list(of_supply.iter().map(|stock| stock.item), out);
            sql!(out, "))");
            or = " OR ";
        }
        sql!(
            out,
            " FOR UPDATE;\
             SELECT d_next_o_id - 1, d_tax, w_tax, c_discount, c_last, c_credit \
             FROM district, warehouse, customer WHERE d_w_id = {warehouse} AND d_id = {district} \
             AND w_id = {warehouse} AND c_w_id = {warehouse} AND c_d_id = {district} \
             AND c_id = {};\
             SELECT i_id, i_price, i_name, i_data FROM item WHERE i_id IN (",
            self.customer
        );
        list(self.lines.iter().map(|line| line.item), out);
        sql!(out, ")");
    }

    fn hear_stock(&mut self, row: Row<'_>) {
        let (Some(supply), Some(item)) = (int(row, 0), int(row, 1)) else {
            return;
        };
        let found = self
            .stock
            .binary_search_by_key(&(supply, item), |stock| (stock.supply, stock.item));
        let (Ok(at), Some(quantity), Some(dist)) = (found, int(row, 2), row.get(3)) else {
            return;
        };
        let stock = &mut self.stock[at];
        stock.quantity = quantity;
        let length = dist.len().min(stock.dist.len());
        stock.dist[..length].copy_from_slice(&dist[..length]);
        stock.heard = true;
    }

    fn hear_item(&mut self, row: Row<'_>) {
        if let (Some(item), Some(price)) = (int::<u32>(row, 0), hundredths(row, 1)) {
            for line in self.lines.iter_mut().filter(|line| line.item == item) {
                line.price = price;
            }
        }
    }

    /// Line by line, as an item may occur twice: 91 are added when fewer than 10 would be left.
    fn sell(&mut self) {
        for line in &mut self.lines {
            let key = (line.supply, line.item);
            let found = self
                .stock
                .iter_mut()
                .find(|stock| (stock.supply, stock.item) == key);
            let Some(stock) = found else { continue };
            let sold = i64::from(line.quantity);
            stock.quantity -= sold;
            if stock.quantity < 10 {
                stock.quantity += 91;
            }
            stock.sold += line.quantity;
            stock.lines += 1;
            line.dist = stock.dist;
        }
    }

    fn write(&self, order: u32, out: &mut Vec<u8>) {
        let Home {
            warehouse,
            district,
            ..
        } = self.home;
        for (supply, of_supply) in by_supply(&self.stock) {
            write_stock(supply, supply != warehouse, of_supply, out);
        }
        let is_local = self.lines.iter().all(|line| line.supply == warehouse);
        sql!(
            out,
            "INSERT INTO orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, \
             o_all_local) VALUES ({order}, {district}, {warehouse}, {}, NOW(), NULL, {}, {});\
             INSERT INTO new_orders (no_o_id, no_d_id, no_w_id) \
             VALUES ({order}, {district}, {warehouse});\
             INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, \
             ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info) VALUES ",
            self.customer,
            self.lines_asked(),
            u8::from(is_local)
        );
        for (number, line) in self.lines.iter().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            let amount = Hundredths(line.price * i64::from(line.quantity));
            sql!(
                out,
                "{comma}({order},{district},{warehouse},{},{},{},NULL,{},{amount},'",
                number + 1,
                line.item,
                line.supply,
                line.quantity
            );
            out.extend_from_slice(&line.dist);
            sql!(out, "')");
        }
        if !self.is_rolled_back {
            sql!(out, ";COMMIT");
        }
    }
}

fn write_stock(supply: u32, is_remote: bool, stock: &[Stock], out: &mut Vec<u8>) {
    sql!(out, "UPDATE stock SET s_quantity = CASE s_i_id");
    for row in stock {
        sql!(out, " WHEN {} THEN {}", row.item, row.quantity);
    }
    sql!(out, " END, s_ytd = s_ytd + CASE s_i_id");
    for row in stock {
        sql!(out, " WHEN {} THEN {}", row.item, row.sold);
    }
    sql!(out, " END, s_order_cnt = s_order_cnt + ");
    count(stock, out);
    if is_remote {
        sql!(out, ", s_remote_cnt = s_remote_cnt + ");
        count(stock, out);
    }
    sql!(out, " WHERE s_w_id = {supply} AND s_i_id IN (");
    list(stock.iter().map(|row| row.item), out);
    sql!(out, ");");
}

/// How many lines each row has; nearly always one.
fn count(stock: &[Stock], out: &mut Vec<u8>) {
    if stock.iter().all(|row| row.lines == 1) {
        sql!(out, "1");
        return;
    }
    sql!(out, "CASE s_i_id");
    for row in stock {
        sql!(out, " WHEN {} THEN {}", row.item, row.lines);
    }
    sql!(out, " END");
}

/// Stock rows, which are in order, by supply warehouse.
fn by_supply(stock: &[Stock]) -> impl Iterator<Item = (u32, &[Stock])> {
    stock
        .chunk_by(|one, next| one.supply == next.supply)
        .map(|of_supply| (of_supply[0].supply, of_supply))
}

fn list(numbers: impl Iterator<Item = u32>, out: &mut Vec<u8>) {
    for (place, number) in numbers.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
    }
}

impl Transaction for NewOrder {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        match (step, self.order) {
            (0, _) => self.ask(out),
            (1, Some(order)) => {
                self.sell();
                self.write(order, out);
            }
            (2, _) if self.is_rolled_back => {
                self.finds_unused = false;
                sql!(
                    out,
                    "SELECT i_price, i_name, i_data FROM item WHERE i_id = {UNUSED_ITEM}"
                );
            }
            (3, _) if self.is_rolled_back => sql!(out, "ROLLBACK"),
            _ => return false,
        }
        true
    }

    fn hear(&mut self, step: usize, set: usize, row: Row<'_>) {
        match (step, set) {
            (0, 0) => self.hear_stock(row),
            (0, 1) => self.order = int(row, 0),
            (0, 2) => self.hear_item(row),
            (2, 0) => self.finds_unused = true,
            _ => {}
        }
    }

    fn check(&mut self, step: usize, done: &Done) -> Result<(), Wrong> {
        match step {
            0 => {
                ensure(
                    self.order.is_some(),
                    "the district, its warehouse or the customer is missing",
                )?;
                ensure(
                    self.stock.iter().all(|stock| stock.heard),
                    "a stock row is missing",
                )?;
                ensure(
                    self.lines.iter().all(|line| line.price > 0),
                    "an item is missing",
                )
            }
            1 => {
                let rows = self.stock.len() + 2 + self.lines.len();
                ensure(
                    done.affected_rows == rows as u64,
                    "a new order changed other rows than its own",
                )
            }
            _ => ensure(!self.finds_unused, "the item that must not be is there"),
        }
    }
}
