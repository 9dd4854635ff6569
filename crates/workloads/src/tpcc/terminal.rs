//! One connection's part: which transaction, where, with which inputs, and how it ended.

use std::sync::Arc;

use load::{Purpose, Turn};
use wire::{Done, Row};

use super::counts::Counts;
use super::kind::{Kind, Kinds, Pauses};
use super::nurand::Constants;
use super::queue::State;
use super::spec::{self, Isolation, Mode, Tpcc};
use super::txn::{Delivery, Home, NewOrder, OrderStatus, Payment, StockLevel, Transaction};
use crate::account::Counters;
use crate::notes::Notes;
use crate::script::{Say, Script};

/// The names of the ops, in order of number.
pub const OPS: [&str; 6] = [
    "new_order",
    "new_order_rollback",
    "payment",
    "order_status",
    "delivery",
    "stock_level",
];

/// A terminal, or a connection that acts like one but never waits.
#[derive(Debug)]
pub struct Terminal {
    home: Home,
    wanders: bool,
    isolation: Isolation,
    inputs: Purpose,
    kinds: Kinds,
    /// With `paced`.
    pauses: Option<Pauses>,
    success: Option<Notes>,
    /// With `queued`.
    queue: Option<Arc<State>>,
    counts_queue: bool,
    /// The kind of the transaction drawn last, if there was one in this phase.
    kind: Option<Kind>,
    next: Kind,
    step: usize,
    counts: Counts,
    new_order: NewOrder,
    payment: Payment,
    order_status: OrderStatus,
    delivery: Delivery,
    stock_level: StockLevel,
}

impl Terminal {
    /// Terminal `number`. Successive numbers go to successive warehouses; the terminals of one
    /// warehouse have different districts.
    pub fn new(tpcc: &Tpcc, seed: u64, number: usize) -> Terminal {
        let place = number as u32;
        let home = Home {
            warehouses: tpcc.warehouses,
            warehouse: place % tpcc.warehouses + 1,
            district: place / tpcc.warehouses % 10 + 1,
            constants: Constants::of_run(seed),
        };
        let mut kinds = Kinds::new(tpcc.mix, seed, number);
        Terminal {
            home,
            wanders: tpcc.home == spec::Home::Random,
            isolation: tpcc.isolation,
            inputs: Purpose::new(seed, "tpcc/inputs"),
            next: kinds.next(),
            kinds,
            pauses: match tpcc.mode {
                Mode::Paced => Some(Pauses::new(tpcc.pause_scale, seed, number)),
                Mode::Unpaced => None,
            },
            success: None,
            queue: None,
            counts_queue: false,
            kind: None,
            step: 0,
            counts: Counts::default(),
            new_order: NewOrder::new(home),
            payment: Payment::new(home),
            order_status: OrderStatus::new(home),
            delivery: Delivery::new(home),
            stock_level: StockLevel::new(home),
        }
    }

    /// Records acknowledged new orders there.
    pub fn with_success(self, success: Option<Notes>) -> Terminal {
        Terminal { success, ..self }
    }

    /// Puts its deliveries there; `counts` how they ended if it is the one that does.
    pub fn with_queue(self, queue: Option<Arc<State>>, counts: bool) -> Terminal {
        Terminal {
            queue,
            counts_queue: counts,
            ..self
        }
    }

    fn transaction(&mut self) -> &mut dyn Transaction {
        match self.kind {
            None | Some(Kind::NewOrder) => &mut self.new_order,
            Some(Kind::Payment) => &mut self.payment,
            Some(Kind::OrderStatus) => &mut self.order_status,
            Some(Kind::Delivery) => &mut self.delivery,
            Some(Kind::StockLevel) => &mut self.stock_level,
        }
    }

    fn count(&mut self, kind: Kind) {
        let counts = &mut self.counts;
        match kind {
            Kind::NewOrder => {
                counts.order_lines += self.new_order.lines_asked();
                counts.remote_order_lines += self.new_order.remote_lines();
                if let (Some(success), false) = (&self.success, self.new_order.is_rolled_back) {
                    if let Some((warehouse, district, order)) = self.new_order.placed_order() {
                        success.note(format_args!("{warehouse} {district} {order}"));
                    }
                }
            }
            Kind::Payment => {
                counts.remote_payments += u64::from(self.payment.is_remote());
                counts.payments_by_name += u64::from(self.payment.is_by_name());
            }
            Kind::OrderStatus => {
                counts.order_statuses_by_name += u64::from(self.order_status.is_by_name());
            }
            Kind::Delivery if self.queue.is_none() => {
                counts.delivered_orders += self.delivery.delivered();
                counts.skipped_deliveries += 10 - self.delivery.delivered();
            }
            Kind::Delivery | Kind::StockLevel => {}
        }
    }
}

impl Script for Terminal {
    fn session(&self) -> Vec<String> {
        self.isolation.session()
    }

    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        let mut stream = self.inputs.stream(turn.index);
        let mut home = self.home;
        if self.wanders {
            home.warehouse = 1 + stream.below(u64::from(home.warehouses)) as u32;
            home.district = 1 + stream.below(10) as u32;
        }
        let kind = self.next;
        self.next = self.kinds.next();
        self.kind = Some(kind);
        match kind {
            Kind::NewOrder => {
                self.new_order.draw(home, &mut stream);
                u16::from(self.new_order.is_rolled_back)
            }
            Kind::Payment => {
                self.payment.draw(home, &mut stream);
                2
            }
            Kind::OrderStatus => {
                self.order_status.draw(home, &mut stream);
                3
            }
            Kind::Delivery => {
                self.delivery.draw(home, &mut stream);
                4
            }
            Kind::StockLevel => {
                self.stock_level.draw(home, &mut stream);
                5
            }
        }
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        self.step = step;
        if let (Some(queue), Some(Kind::Delivery)) = (&self.queue, self.kind) {
            queue.put(self.delivery.clone());
            return false;
        }
        let transaction = self.transaction();
        say.query_if(|out| transaction.say(step, out))
    }

    fn hears(&self) -> bool {
        true
    }

    fn hear(&mut self, set: usize, row: Row<'_>) {
        let step = self.step;
        self.transaction().hear(step, set, row);
    }

    fn check(&mut self, done: &Done) -> Result<(), &'static str> {
        let step = self.step;
        self.transaction().check(step, done)
    }

    fn ended(&mut self, is_ok: bool) {
        if let (true, Some(kind)) = (is_ok, self.kind) {
            self.count(kind);
        }
    }

    fn pause_ns(&mut self) -> u64 {
        match &mut self.pauses {
            Some(pauses) => pauses.between(self.kind, self.next),
            None => 0,
        }
    }

    fn begin_phase(&mut self) {
        self.kind = None;
    }

    fn take_counters(&mut self) -> Counters {
        let mut counters = std::mem::take(&mut self.counts).named();
        // The queue is shared, so it is counted only once.
        if let (Some(queue), true) = (&self.queue, self.counts_queue) {
            for (name, count) in queue.settle() {
                *counters.entry(name).or_default() += count;
            }
        }
        counters
    }

    fn is_transaction(&self) -> bool {
        true
    }
}
