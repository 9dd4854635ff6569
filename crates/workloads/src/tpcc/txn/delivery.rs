//! Delivery (2.7), for all ten districts in one transaction: three messages.

use load::Stream;
use wire::{Done, Row};

use super::transaction::{ensure, hundredths, sql, Home, Hundredths, Transaction, Wrong};
use crate::script::int;

const DISTRICTS: usize = 10;

/// What is delivered in a district.
#[derive(Debug, Clone, Copy, Default)]
struct Delivered {
    order: Option<u32>,
    customer: Option<u32>,
    amount: Option<i64>,
}

/// A delivery of the oldest order of each district.
#[derive(Debug, Clone)]
pub struct Delivery {
    home: Home,
    carrier: u32,
    districts: [Delivered; DISTRICTS],
}

impl Delivery {
    /// Nothing has been drawn yet.
    pub fn new(home: Home) -> Delivery {
        Delivery {
            home,
            carrier: 1,
            districts: [Delivered::default(); DISTRICTS],
        }
    }

    /// Draws the inputs.
    pub fn draw(&mut self, home: Home, stream: &mut Stream) {
        self.home = home;
        self.carrier = 1 + stream.below(10) as u32;
    }

    /// How many orders were delivered; the other districts had none.
    pub fn delivered(&self) -> u64 {
        self.orders().count() as u64
    }

    /// Districts, from 1, with an order to deliver.
    fn orders(&self) -> impl Iterator<Item = (u32, u32, &Delivered)> {
        let numbered = (1..).zip(&self.districts);
        numbered.filter_map(|(district, of)| Some((district, of.order?, of)))
    }

    /// Finds and locks the oldest new order of each district.
    fn find(&mut self, out: &mut Vec<u8>) {
        self.districts = [Delivered::default(); DISTRICTS];
        for district in 1..=DISTRICTS {
            let end = if district == 1 { "" } else { ";" };
            sql!(
                out,
                "{end}SELECT no_o_id FROM new_orders WHERE no_w_id = {} AND no_d_id = {district} \
                 ORDER BY no_o_id LIMIT 1 FOR UPDATE",
                self.home.warehouse
            );
        }
    }

    /// Those orders by key.
    fn keys(&self, district: &str, order: &str, out: &mut Vec<u8>) {
        let mut or = " AND (";
        for (number, id, _) in self.orders() {
            sql!(out, "{or}({district} = {number} AND {order} = {id})");
            or = " OR ";
        }
        sql!(out, ")");
    }

    fn deliver(&self, out: &mut Vec<u8>) {
        let (warehouse, carrier) = (self.home.warehouse, self.carrier);
        sql!(out, "DELETE FROM new_orders WHERE no_w_id = {warehouse}");
        self.keys("no_d_id", "no_o_id", out);
        sql!(
            out,
            ";UPDATE orders SET o_carrier_id = {carrier} WHERE o_w_id = {warehouse}"
        );
        self.keys("o_d_id", "o_id", out);
        sql!(
            out,
            ";SELECT o_d_id, o_c_id FROM orders WHERE o_w_id = {warehouse}"
        );
        self.keys("o_d_id", "o_id", out);
        sql!(
            out,
            ";SELECT ol_d_id, SUM(ol_amount) FROM order_line WHERE ol_w_id = {warehouse}"
        );
        self.keys("ol_d_id", "ol_o_id", out);
        sql!(
            out,
            " GROUP BY ol_d_id;\
             UPDATE order_line SET ol_delivery_d = NOW() WHERE ol_w_id = {warehouse}"
        );
        self.keys("ol_d_id", "ol_o_id", out);
    }

    fn credit(&self, out: &mut Vec<u8>) {
        sql!(
            out,
            "UPDATE customer SET c_balance = c_balance + CASE c_d_id"
        );
        for (district, _, of) in self.orders() {
            let amount = Hundredths(of.amount.unwrap_or_default());
            sql!(out, " WHEN {district} THEN {amount}");
        }
        sql!(
            out,
            " END, c_delivery_cnt = c_delivery_cnt + 1 WHERE c_w_id = {}",
            self.home.warehouse
        );
        let mut or = " AND (";
        for (district, _, of) in self.orders() {
            let customer = of.customer.unwrap_or_default();
            sql!(out, "{or}(c_d_id = {district} AND c_id = {customer})");
            or = " OR ";
        }
        sql!(out, ");COMMIT");
    }
}

impl Transaction for Delivery {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        let delivers = step == 0 || self.delivered() > 0;
        match step {
            0 => self.find(out),
            1 if delivers => self.deliver(out),
            1 => sql!(out, "COMMIT"),
            2 if delivers => self.credit(out),
            _ => return false,
        }
        true
    }

    fn hear(&mut self, step: usize, set: usize, row: Row<'_>) {
        if step == 0 {
            if let Some(district) = self.districts.get_mut(set) {
                district.order = int(row, 0);
            }
            return;
        }
        let number: usize = int(row, 0).unwrap_or_default();
        let Some(district) = self.districts.get_mut(number.wrapping_sub(1)) else {
            return;
        };
        match set {
            0 => district.customer = int(row, 1),
            _ => district.amount = hundredths(row, 1),
        }
    }

    fn check(&mut self, step: usize, done: &Done) -> Result<(), Wrong> {
        let (orders, changed) = (self.delivered(), done.affected_rows);
        match step {
            1 if orders > 0 => {
                let is_known = |(_, _, of): (u32, u32, &Delivered)| {
                    of.customer.is_some() && of.amount.is_some()
                };
                ensure(
                    self.orders().all(is_known),
                    "an order to deliver or its lines are missing",
                )?;
                // A row of both tables, and at least five lines.
                ensure(
                    changed >= orders * 7,
                    "an order to deliver was not there as a whole",
                )
            }
            2 => ensure(changed == orders, "a customer of a delivery is missing"),
            _ => Ok(()),
        }
    }
}
