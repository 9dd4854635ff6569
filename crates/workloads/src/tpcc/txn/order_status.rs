//! Order-Status (2.6): one message, or two if the customer is given by name. Read-only.

use load::Stream;
use wire::{Done, Row};

use super::transaction::{ensure, sql, Home, Namesakes, Transaction, Wanted, Wrong};

/// A query for a customer's last order.
#[derive(Debug)]
pub struct OrderStatus {
    home: Home,
    wanted: Wanted,
    namesakes: Namesakes,
    customer: u32,
    /// Rows of the customer, and of the last order with its lines.
    rows: [u64; 2],
}

impl OrderStatus {
    /// Nothing has been drawn yet.
    pub fn new(home: Home) -> OrderStatus {
        OrderStatus {
            home,
            wanted: Wanted::Id(1),
            namesakes: Namesakes::default(),
            customer: 0,
            rows: [0; 2],
        }
    }

    /// Draws the inputs.
    pub fn draw(&mut self, home: Home, stream: &mut Stream) {
        self.home = home;
        self.home.district = 1 + stream.below(10) as u32;
        self.wanted = Wanted::draw(stream, &home.constants);
    }

    /// True if the customer is given by name.
    pub fn is_by_name(&self) -> bool {
        matches!(self.wanted, Wanted::Name(_))
    }

    /// One statement reads the order and its lines, so that they belong together at any isolation
    /// level.
    fn ask(&mut self, out: &mut Vec<u8>) {
        let Home {
            warehouse,
            district,
            ..
        } = self.home;
        self.rows = [0; 2];
        let customer = self.customer;
        sql!(
            out,
            "SELECT c_balance, c_first, c_middle, c_last FROM customer \
             WHERE c_w_id = {warehouse} AND c_d_id = {district} AND c_id = {customer};\
             SELECT o_id, o_entry_d, o_carrier_id, ol_i_id, ol_supply_w_id, ol_quantity, \
             ol_amount, ol_delivery_d FROM (SELECT o_id, o_entry_d, o_carrier_id FROM orders \
             WHERE o_w_id = {warehouse} AND o_d_id = {district} AND o_c_id = {customer} \
             ORDER BY o_id DESC LIMIT 1) AS last_order, order_line \
             WHERE ol_w_id = {warehouse} AND ol_d_id = {district} AND ol_o_id = o_id;\
             COMMIT"
        );
    }
}

impl Transaction for OrderStatus {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        match (self.wanted, step) {
            (Wanted::Id(customer), 0) => {
                self.customer = customer;
                self.ask(out);
            }
            (Wanted::Name(name), 0) => {
                let Home {
                    warehouse,
                    district,
                    ..
                } = self.home;
                self.namesakes.say(warehouse, district, name, out);
            }
            (Wanted::Name(_), 1) => self.ask(out),
            _ => return false,
        }
        true
    }

    fn hear(&mut self, step: usize, set: usize, row: Row<'_>) {
        if step == 0 && self.is_by_name() {
            self.namesakes.hear(row);
        } else if let Some(rows) = self.rows.get_mut(set) {
            *rows += 1;
        }
    }

    fn check(&mut self, step: usize, _done: &Done) -> Result<(), Wrong> {
        if step == 0 && self.is_by_name() {
            self.customer = self.namesakes.middle()?;
            return Ok(());
        }
        ensure(
            self.rows[0] == 1,
            "the customer of an order status is missing",
        )?;
        ensure(
            self.rows[1] >= 5,
            "the customer's last order or a line of it is missing",
        )
    }
}
