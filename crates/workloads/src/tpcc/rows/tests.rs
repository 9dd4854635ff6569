//! The population rules of 4.3.3.1, on rows as LOAD DATA gets them.

use std::collections::BTreeSet;

use super::*;

/// The rows with these indexes, as columns of text.
fn rows(table: &str, indexes: std::ops::Range<u64>) -> Vec<Vec<String>> {
    let source = TpccRows::new(table, 42, false);
    let mut out = Vec::new();
    let mut count = 0;
    for index in indexes {
        source.write(index, Layout::Lines, &mut out);
        count += source.rows_at(index);
    }
    let text = String::from_utf8(out).unwrap();
    let rows: Vec<Vec<String>> = text
        .lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect();
    assert_eq!(rows.len() as u64, count);
    rows
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn a_row_depends_on_seed_and_index_alone() {
    for table in [
        "item",
        "warehouse",
        "district",
        "stock",
        "customer",
        "history",
        "orders",
    ] {
        assert_eq!(rows(table, 7..8)[0], rows(table, 0..8)[7], "{table}");
        let other = TpccRows::new(table, 43, false);
        let mut out = Vec::new();
        other.write(7, Layout::Lines, &mut out);
        assert_ne!(
            String::from_utf8(out).unwrap(),
            rows(table, 7..8)[0].join("\t") + "\n"
        );
    }
}

#[test]
fn both_layouts_say_the_same() {
    for table in ["stock", "orders", "order_line", "new_orders"] {
        let source = TpccRows::new(table, 42, false);
        let (mut lines, mut values) = (Vec::new(), Vec::new());
        source.write(2999, Layout::Lines, &mut lines);
        source.write(2999, Layout::Values, &mut values);
        let values = String::from_utf8(values).unwrap();
        let plain = values
            .replace("),(", "\n")
            .replace("),", "\n")
            .replace(['(', '\''], "")
            .replace(',', "\t")
            .replace("NULL", "\\N");
        assert_eq!(plain, String::from_utf8(lines).unwrap(), "{table}");
    }
}

#[test]
fn warehouses_and_districts() {
    for row in rows("warehouse", 0..500) {
        assert_eq!(row.len(), 9);
        assert!(
            (0.0..=0.2).contains(&number(&row[7])) && row[7].len() == 6,
            "{row:?}"
        );
        assert!(row[6].len() == 9 && row[6].ends_with("11111"), "{row:?}");
        assert_eq!(row[8], "300000.00");
    }
    let second = &rows("district", 10..20);
    for (place, row) in second.iter().enumerate() {
        assert_eq!(
            (row[0].as_str(), row[1].as_str()),
            ((place + 1).to_string().as_str(), "2")
        );
        assert_eq!((row[9].as_str(), row[10].as_str()), ("30000.00", "3001"));
    }
}

#[test]
fn items_and_stock() {
    for row in rows("item", 0..2000) {
        assert!((1.0..=100.0).contains(&number(&row[3])), "{row:?}");
        assert!((14..=24).contains(&row[2].len()) && (26..=50).contains(&row[4].len()));
    }
    let second = &rows("stock", ITEMS..ITEMS + 2000);
    assert_eq!((second[0][0].as_str(), second[0][1].as_str()), ("1", "2"));
    for row in second {
        assert_eq!(row.len(), 17);
        assert!((10.0..=100.0).contains(&number(&row[2])), "{row:?}");
        assert_eq!(row[13..16].join(" "), "0 0 0");
        assert!(row[3..13].iter().all(|text| text.len() == 24));
    }
}

#[test]
fn customers() {
    let all = rows("customer", 0..CUSTOMERS);
    let mut name = Vec::new();
    crate::tpcc::text::last_name(371, &mut name);
    assert_eq!(all[371][5].as_bytes(), name);
    let names: BTreeSet<&str> = all.iter().map(|row| row[5].as_str()).collect();
    assert_eq!(names.len(), 1000);
    let bad = all.iter().filter(|row| row[13] == "BC").count();
    assert!((234..=366).contains(&bad), "{bad} of 3000 with bad credit");
    for row in &all {
        assert_eq!(row.len(), 21);
        assert_eq!((row[14].as_str(), row[16].as_str()), ("50000.00", "-10.00"));
        assert!((300..=500).contains(&row[20].len()));
        assert!((0.0..=0.5).contains(&number(&row[15])));
    }
}

#[test]
fn orders_and_their_lines() {
    let orders = rows("orders", CUSTOMERS..2 * CUSTOMERS);
    let lines = rows("order_line", CUSTOMERS..2 * CUSTOMERS);
    let customers: BTreeSet<u64> = orders.iter().map(|row| row[3].parse().unwrap()).collect();
    assert_eq!(customers, (1..=CUSTOMERS).collect());
    let mut lines = lines.iter();
    for order in &orders {
        assert_eq!((order[1].as_str(), order[2].as_str()), ("2", "1"));
        let is_new = number(&order[0]) >= 2101.0;
        assert_eq!(order[5] == "\\N", is_new);
        for place in 1..=order[6].parse::<usize>().unwrap() {
            let line = lines.next().unwrap();
            assert_eq!(
                (&line[0], line[3].as_str()),
                (&order[0], place.to_string().as_str())
            );
            assert_eq!(line[6] == "\\N", is_new);
            assert_eq!(line[8] == "0.00", !is_new, "{line:?}");
            assert_eq!((line[5].as_str(), line[7].as_str()), ("1", "5"));
        }
    }
    assert!(lines.next().is_none());
    let new = rows("new_orders", 900..1800);
    assert_eq!(new[0].join(" "), "2101 2 1");
    assert_eq!(new[899].join(" "), "3000 2 1");
}

#[test]
fn history() {
    let row = &rows("history", CUSTOMERS..CUSTOMERS + 1)[0];
    assert_eq!(row[..5].join(" "), "1 2 1 2 1");
    assert_eq!(row[6], "10.00");
    assert!((12..=24).contains(&row[7].len()));
}
