//! Stock-Level (2.8): one message. Read-only.

use load::Stream;
use wire::{Done, Row};

use super::transaction::{ensure, sql, Home, Transaction, Wrong};
use crate::script::int;

/// A query for how many of the recently sold items are running out.
#[derive(Debug)]
pub struct StockLevel {
    home: Home,
    threshold: u32,
    low: Option<u32>,
}

impl StockLevel {
    /// Nothing has been drawn yet.
    pub fn new(home: Home) -> StockLevel {
        StockLevel {
            home,
            threshold: 10,
            low: None,
        }
    }

    /// Draws the inputs; the district is the terminal's.
    pub fn draw(&mut self, home: Home, stream: &mut Stream) {
        self.home = home;
        self.threshold = 10 + stream.below(11) as u32;
    }
}

impl Transaction for StockLevel {
    /// Tables are joined in this order, whatever the server assumes about growing tables.
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        if step > 0 {
            return false;
        }
        self.low = None;
        let Home {
            warehouse,
            district,
            ..
        } = self.home;
        sql!(
            out,
            "SELECT STRAIGHT_JOIN COUNT(DISTINCT s_i_id) FROM district, order_line, stock \
             WHERE d_w_id = {warehouse} AND d_id = {district} \
             AND ol_w_id = {warehouse} AND ol_d_id = {district} \
             AND ol_o_id < d_next_o_id AND ol_o_id >= d_next_o_id - 20 \
             AND s_w_id = {warehouse} AND s_i_id = ol_i_id AND s_quantity < {};COMMIT",
            self.threshold
        );
        true
    }

    fn hear(&mut self, _step: usize, _set: usize, row: Row<'_>) {
        self.low = int(row, 0);
    }

    fn check(&mut self, _step: usize, _done: &Done) -> Result<(), Wrong> {
        ensure(self.low.is_some(), "a stock level has no answer")
    }
}
