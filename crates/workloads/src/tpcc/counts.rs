//! What is counted besides the ops, for the shares that the specification limits.

use crate::account::Counters;

/// For transactions that ended as they should.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub order_lines: u64,
    pub remote_order_lines: u64,
    pub remote_payments: u64,
    pub payments_by_name: u64,
    pub order_statuses_by_name: u64,
    pub delivered_orders: u64,
    pub skipped_deliveries: u64,
}

impl Counts {
    /// By name.
    pub fn named(&self) -> Counters {
        let named = [
            ("order_lines", self.order_lines),
            ("remote_order_lines", self.remote_order_lines),
            ("remote_payments", self.remote_payments),
            ("payments_by_name", self.payments_by_name),
            ("order_statuses_by_name", self.order_statuses_by_name),
            ("delivered_orders", self.delivered_orders),
            ("skipped_deliveries", self.skipped_deliveries),
        ];
        Counters::from(named)
    }
}
