//! What the transactions draw, against the shares that an audit allows; and what they send.

use load::Purpose;
use wire::Done;

use super::transaction::{Hundredths, Namesakes};
use super::*;
use crate::tpcc::nurand::Constants;

const DRAWS: u64 = 100_000;

fn home(warehouses: u32) -> Home {
    Home {
        warehouses,
        warehouse: 2,
        district: 3,
        constants: Constants::of_run(9),
    }
}

fn sql_of_step(transaction: &mut dyn Transaction, step: usize) -> String {
    let mut out = Vec::new();
    assert!(transaction.say(step, &mut out));
    String::from_utf8(out).unwrap()
}

fn share(part: u64, of: u64) -> f64 {
    100.0 * part as f64 / of as f64
}

#[test]
fn new_orders_keep_the_shares_of_an_audit() {
    let purpose = Purpose::new(1, "new-order");
    let mut order = NewOrder::new(home(5));
    let (mut lines, mut remote, mut rolled_back) = (0, 0, 0);
    let mut others = std::collections::BTreeSet::new();
    for index in 0..DRAWS {
        order.draw(home(5), &mut purpose.stream(index));
        assert!((5..=15).contains(&order.lines_asked()));
        assert!(order
            .lines
            .iter()
            .all(|line| (1..=10).contains(&line.quantity)));
        assert!((1..=10).contains(&order.home.district));
        lines += order.lines_asked();
        remote += order.remote_lines();
        rolled_back += u64::from(order.is_rolled_back);
        others.extend(order.lines.iter().map(|line| line.supply));
    }
    assert!(
        (0.9..1.1).contains(&share(rolled_back, DRAWS)),
        "{rolled_back}"
    );
    assert!(
        (0.95..1.05).contains(&share(remote, lines)),
        "{remote} of {lines}"
    );
    assert!((9.95..10.05).contains(&(lines as f64 / DRAWS as f64)));
    assert_eq!(others.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
}

#[test]
fn payments_keep_the_shares_of_an_audit() {
    let purpose = Purpose::new(1, "payment");
    let mut payment = Payment::new(home(5));
    let (mut remote, mut by_name) = (0, 0);
    for index in 0..DRAWS {
        payment.draw(home(5), &mut purpose.stream(index));
        remote += u64::from(payment.is_remote());
        by_name += u64::from(payment.is_by_name());
        assert!(payment.is_remote() || payment.of == (2, payment.home.district));
    }
    assert!((14.5..15.5).contains(&share(remote, DRAWS)), "{remote}");
    assert!((59.5..60.5).contains(&share(by_name, DRAWS)), "{by_name}");
}

#[test]
fn one_warehouse_has_nothing_remote() {
    let purpose = Purpose::new(1, "alone");
    let alone = Home {
        warehouse: 1,
        ..home(1)
    };
    let (mut order, mut payment) = (NewOrder::new(alone), Payment::new(alone));
    for index in 0..10_000 {
        order.draw(alone, &mut purpose.stream(index));
        payment.draw(alone, &mut purpose.stream(index));
        assert_eq!((order.remote_lines(), payment.is_remote()), (0, false));
    }
}

#[test]
fn a_new_order_locks_stock_in_the_order_of_its_keys() {
    let purpose = Purpose::new(1, "locks");
    let mut order = NewOrder::new(home(5));
    let remote = (0..10_000).find(|&index| {
        order.draw(home(5), &mut purpose.stream(index));
        order.remote_lines() > 0
    });
    assert!(remote.is_some());
    let text = sql_of_step(&mut order, 0);
    let (before, stock) = text.split_once("FROM stock WHERE ").unwrap();
    let stock = stock.split_once(" FOR UPDATE").unwrap().0;
    assert!(
        before.starts_with("UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 2")
    );
    let of = |part: &str| part.split_once(" AND").unwrap().0.parse::<u32>().unwrap();
    let warehouses: Vec<u32> = stock.split("s_w_id = ").skip(1).map(of).collect();
    assert!(warehouses.len() > 1 && warehouses.is_sorted(), "{stock}");
    for list in stock.split("IN (").skip(1) {
        let list = list.split_once(')').unwrap().0;
        let items: Vec<u32> = list.split(',').map(|item| item.parse().unwrap()).collect();
        assert!(items.is_sorted(), "{stock}");
    }
}

#[test]
fn a_message_begins_again_as_it_was() {
    let mut payment = Payment::new(home(5));
    let purpose = Purpose::new(1, "again");
    for index in 0..100 {
        payment.draw(home(5), &mut purpose.stream(index));
        assert_eq!(sql_of_step(&mut payment, 0), sql_of_step(&mut payment, 0));
    }
    let mut order = NewOrder::new(home(5));
    order.draw(home(5), &mut purpose.stream(0));
    assert_eq!(sql_of_step(&mut order, 0), sql_of_step(&mut order, 0));
}

#[test]
fn answers_that_miss_something_fail_the_transaction() {
    let nothing = Done::default();
    let mut order = NewOrder::new(home(5));
    order.draw(home(5), &mut Purpose::new(1, "miss").stream(0));
    sql_of_step(&mut order, 0);
    assert!(order.check(0, &nothing).is_err());
    let mut status = OrderStatus::new(home(5));
    sql_of_step(&mut status, 0);
    assert!(status.check(0, &nothing).is_err());
    let mut payment = Payment::new(home(5));
    assert!(payment.check(1, &nothing).is_err());
    let mut level = StockLevel::new(home(5));
    sql_of_step(&mut level, 0);
    assert!(level.check(0, &nothing).is_err());
}

#[test]
fn a_delivery_without_orders_is_over_soon() {
    let mut delivery = Delivery::new(home(5));
    assert_eq!(
        sql_of_step(&mut delivery, 0).matches("FOR UPDATE").count(),
        10
    );
    assert_eq!(sql_of_step(&mut delivery, 1), "COMMIT");
    assert!(!delivery.say(2, &mut Vec::new()));
    assert_eq!(delivery.delivered(), 0);
}

#[test]
fn the_middle_of_namesakes_is_rounded_up() {
    let middle = |ids: &[u32]| Namesakes { ids: ids.to_vec() }.middle();
    assert_eq!(middle(&[7]), Ok(7));
    assert_eq!(middle(&[7, 8]), Ok(7));
    assert_eq!(middle(&[7, 8, 9]), Ok(8));
    assert_eq!(middle(&[7, 8, 9, 10]), Ok(8));
    assert!(middle(&[]).is_err());
}

#[test]
fn amounts_are_exact() {
    assert_eq!(Hundredths(5).to_string(), "0.05");
    assert_eq!(Hundredths(-123_456).to_string(), "-1234.56");
}
