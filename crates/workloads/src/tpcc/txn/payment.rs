//! Payment (2.5): one message, or two if the customer is given by name.

use load::Stream;
use wire::{Done, Row};

use super::transaction::{ensure, sql, Home, Hundredths, Namesakes, Transaction, Wanted, Wrong};

/// A payment.
#[derive(Debug)]
pub struct Payment {
    pub(super) home: Home,
    pub(super) wanted: Wanted,
    /// The customer's warehouse and district.
    pub(super) of: (u32, u32),
    amount: Hundredths,
    namesakes: Namesakes,
    customer: u32,
}

impl Payment {
    /// Nothing has been drawn yet.
    pub fn new(home: Home) -> Payment {
        Payment {
            home,
            wanted: Wanted::Id(1),
            of: (home.warehouse, home.district),
            amount: Hundredths(0),
            namesakes: Namesakes::default(),
            customer: 0,
        }
    }

    /// Draws the inputs.
    pub fn draw(&mut self, home: Home, stream: &mut Stream) {
        self.home = home;
        self.home.district = 1 + stream.below(10) as u32;
        self.of = (home.warehouse, self.home.district);
        if stream.below(100) >= 85 && home.warehouses > 1 {
            self.of = (home.other_warehouse(stream), 1 + stream.below(10) as u32);
        }
        self.wanted = Wanted::draw(stream, &home.constants);
        self.amount = Hundredths(stream.between(100, 500_000));
    }

    /// True if the customer belongs to another warehouse.
    pub fn is_remote(&self) -> bool {
        self.of.0 != self.home.warehouse
    }

    /// True if the customer is given by name.
    pub fn is_by_name(&self) -> bool {
        matches!(self.wanted, Wanted::Name(_))
    }

    fn pay(&self, out: &mut Vec<u8>) {
        let Home {
            warehouse,
            district,
            ..
        } = self.home;
        let ((of_warehouse, of_district), amount) = (self.of, self.amount);
        let customer = self.customer;
        sql!(
            out,
            "UPDATE warehouse SET w_ytd = w_ytd + {amount} WHERE w_id = {warehouse};\
             UPDATE district SET d_ytd = d_ytd + {amount} \
             WHERE d_w_id = {warehouse} AND d_id = {district};\
             SELECT w_name, w_street_1, w_street_2, w_city, w_state, w_zip, \
             d_name, d_street_1, d_street_2, d_city, d_state, d_zip FROM warehouse, district \
             WHERE w_id = {warehouse} AND d_w_id = {warehouse} AND d_id = {district};\
             UPDATE customer SET c_balance = c_balance - {amount}, \
             c_ytd_payment = c_ytd_payment + {amount}, c_payment_cnt = c_payment_cnt + 1, \
             c_data = IF(c_credit = 'BC', LEFT(CONCAT('{customer} {of_district} {of_warehouse} \
             {district} {warehouse} {amount} ', c_data), 500), c_data) \
             WHERE c_w_id = {of_warehouse} AND c_d_id = {of_district} AND c_id = {customer};\
             SELECT c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, \
             c_phone, c_since, c_credit, c_credit_lim, c_discount, c_balance, \
             IF(c_credit = 'BC', LEFT(c_data, 200), '') FROM customer \
             WHERE c_w_id = {of_warehouse} AND c_d_id = {of_district} AND c_id = {customer};\
             INSERT INTO history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, \
             h_data) SELECT {customer}, {of_district}, {of_warehouse}, {district}, {warehouse}, \
             NOW(), {amount}, CONCAT(w_name, '    ', d_name) FROM warehouse, district \
             WHERE w_id = {warehouse} AND d_w_id = {warehouse} AND d_id = {district};\
             COMMIT"
        );
    }
}

impl Transaction for Payment {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        match (self.wanted, step) {
            (Wanted::Id(customer), 0) => {
                self.customer = customer;
                self.pay(out);
            }
            (Wanted::Name(name), 0) => {
                let (warehouse, district) = self.of;
                self.namesakes.say(warehouse, district, name, out);
            }
            (Wanted::Name(_), 1) => self.pay(out),
            _ => return false,
        }
        true
    }

    fn hear(&mut self, step: usize, _set: usize, row: Row<'_>) {
        if step == 0 && self.is_by_name() {
            self.namesakes.hear(row);
        }
    }

    fn check(&mut self, step: usize, done: &Done) -> Result<(), Wrong> {
        if step == 0 && self.is_by_name() {
            self.customer = self.namesakes.middle()?;
            return Ok(());
        }
        // Warehouse, district, customer, history.
        ensure(
            done.affected_rows == 4,
            "the warehouse, district or customer of a payment is missing",
        )
    }
}
