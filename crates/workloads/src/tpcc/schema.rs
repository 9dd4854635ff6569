//! The nine tables: their statements, and how they are filled.
//!
//! Names are those of the MySQL kits; types are exact. Sums have room for 15 digits, whereas the
//! specification asks for at least 12: a day without pauses would overflow those.

use super::rows::{TpccRows, CUSTOMERS, DISTRICTS, ITEMS, NEW_ORDERS};
use super::spec::Tpcc;
use crate::fill::{in_latin1, Table};

/// How much one loading statement sends at most, so that its transaction stays small.
const CHUNK_BYTES: u64 = 12_000_000;

/// A table to create.
struct Made {
    name: &'static str,
    columns: String,
    /// Number of indexes of its source.
    rows: u64,
    /// Approximate.
    row_bytes: u64,
    /// Name and columns of an index created when all rows have been loaded.
    index: Option<(&'static str, &'static str)>,
}

/// Streets, city, state and ZIP code.
fn address(prefix: &str) -> String {
    format!(
        "{prefix}_street_1 VARCHAR(20) NOT NULL, {prefix}_street_2 VARCHAR(20) NOT NULL, \
         {prefix}_city VARCHAR(20) NOT NULL, {prefix}_state CHAR(2) NOT NULL, \
         {prefix}_zip CHAR(9) NOT NULL"
    )
}

fn places(warehouses: u64) -> [Made; 2] {
    [
        Made {
            name: "warehouse",
            columns: format!(
                "w_id INT NOT NULL, w_name VARCHAR(10) NOT NULL, {}, w_tax DECIMAL(4,4) NOT NULL, \
                 w_ytd DECIMAL(15,2) NOT NULL, PRIMARY KEY (w_id)",
                address("w")
            ),
            rows: warehouses,
            row_bytes: 100,
            index: None,
        },
        Made {
            name: "district",
            columns: format!(
                "d_id TINYINT NOT NULL, d_w_id INT NOT NULL, d_name VARCHAR(10) NOT NULL, {}, \
                 d_tax DECIMAL(4,4) NOT NULL, d_ytd DECIMAL(15,2) NOT NULL, \
                 d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id)",
                address("d")
            ),
            rows: warehouses * DISTRICTS,
            row_bytes: 105,
            index: None,
        },
    ]
}

fn goods(warehouses: u64) -> [Made; 2] {
    let districts: Vec<String> = (1..=DISTRICTS)
        .map(|district| format!("s_dist_{district:02} CHAR(24) NOT NULL"))
        .collect();
    [
        Made {
            name: "item",
            columns: "i_id INT NOT NULL, i_im_id INT NOT NULL, i_name VARCHAR(24) NOT NULL, \
                      i_price DECIMAL(5,2) NOT NULL, i_data VARCHAR(50) NOT NULL, \
                      PRIMARY KEY (i_id)"
                .to_owned(),
            rows: ITEMS,
            row_bytes: 80,
            index: None,
        },
        Made {
            name: "stock",
            columns: format!(
                "s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity SMALLINT NOT NULL, {}, \
                 s_ytd INT NOT NULL, s_order_cnt INT NOT NULL, s_remote_cnt INT NOT NULL, \
                 s_data VARCHAR(50) NOT NULL, PRIMARY KEY (s_w_id, s_i_id)",
                districts.join(", ")
            ),
            rows: warehouses * ITEMS,
            row_bytes: 310,
            index: None,
        },
    ]
}

fn people(warehouses: u64, has_history_key: bool) -> [Made; 2] {
    let (key, primary) = if has_history_key {
        (
            "h_id BIGINT NOT NULL AUTO_INCREMENT, ",
            ", PRIMARY KEY (h_id)",
        )
    } else {
        ("", "")
    };
    let customers = warehouses * DISTRICTS * CUSTOMERS;
    [
        Made {
            name: "customer",
            columns: format!(
                "c_id INT NOT NULL, c_d_id TINYINT NOT NULL, c_w_id INT NOT NULL, \
                 c_first VARCHAR(16) NOT NULL, c_middle CHAR(2) NOT NULL, \
                 c_last VARCHAR(16) NOT NULL, {}, c_phone CHAR(16) NOT NULL, \
                 c_since DATETIME NOT NULL, c_credit CHAR(2) NOT NULL, \
                 c_credit_lim DECIMAL(15,2) NOT NULL, c_discount DECIMAL(4,4) NOT NULL, \
                 c_balance DECIMAL(15,2) NOT NULL, c_ytd_payment DECIMAL(15,2) NOT NULL, \
                 c_payment_cnt INT NOT NULL, c_delivery_cnt INT NOT NULL, \
                 c_data VARCHAR(500) NOT NULL, PRIMARY KEY (c_w_id, c_d_id, c_id)",
                address("c")
            ),
            rows: customers,
            row_bytes: 620,
            index: Some(("customer_name", "c_w_id, c_d_id, c_last, c_first")),
        },
        Made {
            name: "history",
            columns: format!(
                "{key}h_c_id INT NOT NULL, h_c_d_id TINYINT NOT NULL, h_c_w_id INT NOT NULL, \
                 h_d_id TINYINT NOT NULL, h_w_id INT NOT NULL, h_date DATETIME NOT NULL, \
                 h_amount DECIMAL(6,2) NOT NULL, h_data VARCHAR(24) NOT NULL{primary}"
            ),
            rows: customers,
            row_bytes: 60,
            index: None,
        },
    ]
}

fn orders(warehouses: u64) -> [Made; 3] {
    let districts = warehouses * DISTRICTS;
    [
        Made {
            name: "orders",
            columns: "o_id INT NOT NULL, o_d_id TINYINT NOT NULL, o_w_id INT NOT NULL, \
                      o_c_id INT NOT NULL, o_entry_d DATETIME NOT NULL, o_carrier_id TINYINT NULL, \
                      o_ol_cnt TINYINT NOT NULL, o_all_local TINYINT NOT NULL, \
                      PRIMARY KEY (o_w_id, o_d_id, o_id)"
                .to_owned(),
            rows: districts * CUSTOMERS,
            row_bytes: 45,
            index: Some(("orders_customer", "o_w_id, o_d_id, o_c_id, o_id")),
        },
        Made {
            name: "order_line",
            columns: "ol_o_id INT NOT NULL, ol_d_id TINYINT NOT NULL, ol_w_id INT NOT NULL, \
                      ol_number TINYINT NOT NULL, ol_i_id INT NOT NULL, \
                      ol_supply_w_id INT NOT NULL, ol_delivery_d DATETIME NULL, \
                      ol_quantity TINYINT NOT NULL, ol_amount DECIMAL(6,2) NOT NULL, \
                      ol_dist_info CHAR(24) NOT NULL, \
                      PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)"
                .to_owned(),
            rows: districts * CUSTOMERS,
            row_bytes: 700,
            index: None,
        },
        Made {
            name: "new_orders",
            columns: "no_o_id INT NOT NULL, no_d_id TINYINT NOT NULL, no_w_id INT NOT NULL, \
                      PRIMARY KEY (no_w_id, no_d_id, no_o_id)"
                .to_owned(),
            rows: districts * NEW_ORDERS,
            row_bytes: 12,
            index: None,
        },
    ]
}

/// The tables of a workload, the largest first, so that loaders finish at about the same time.
pub fn tables(tpcc: &Tpcc, seed: u64) -> Vec<Table<TpccRows>> {
    let warehouses = u64::from(tpcc.warehouses);
    let mut made: Vec<Made> = Vec::new();
    made.extend(goods(warehouses));
    made.extend(people(warehouses, tpcc.history_key));
    made.extend(orders(warehouses));
    made.extend(places(warehouses));
    made.sort_by_key(|table| std::cmp::Reverse(table.rows * table.row_bytes));
    made.into_iter()
        .map(|made| table(tpcc, seed, made))
        .collect()
}

fn table(tpcc: &Tpcc, seed: u64, made: Made) -> Table<TpccRows> {
    let end = in_latin1(&tpcc.engine, &tpcc.create_options);
    let create = format!("CREATE TABLE {} ({}){end}", made.name, made.columns);
    let mut after = Vec::new();
    if let Some((name, columns)) = made.index {
        let sql = format!("CREATE INDEX {name} ON {} ({columns})", made.name);
        after.push(("CREATE INDEX".to_owned(), sql));
    }
    // Servers count rows now and then while they are loaded, keep that figure, and use it for query
    // plans after a restart: as if `order_line` had two rows.
    let analyze = format!("ANALYZE TABLE {}", made.name);
    after.push(("ANALYZE TABLE".to_owned(), analyze));
    Table {
        name: made.name.to_owned(),
        create,
        rows: made.rows,
        source: TpccRows::new(made.name, seed, tpcc.history_key),
        chunk_rows: (CHUNK_BYTES / made.row_bytes).max(1),
        after,
    }
}

/// The statements that declare the foreign keys.
pub fn foreign_keys() -> Vec<(&'static str, String)> {
    let key = |table: &'static str, columns: &str, parent: &str, of: &str| {
        let sql = format!(
            "ALTER TABLE {table} ADD CONSTRAINT {table}_{parent} FOREIGN KEY ({columns}) \
             REFERENCES {parent} ({of})"
        );
        (table, sql)
    };
    vec![
        key("district", "d_w_id", "warehouse", "w_id"),
        key("customer", "c_w_id, c_d_id", "district", "d_w_id, d_id"),
        key(
            "history",
            "h_c_w_id, h_c_d_id, h_c_id",
            "customer",
            "c_w_id, c_d_id, c_id",
        ),
        key("history", "h_w_id, h_d_id", "district", "d_w_id, d_id"),
        key(
            "new_orders",
            "no_w_id, no_d_id, no_o_id",
            "orders",
            "o_w_id, o_d_id, o_id",
        ),
        key(
            "orders",
            "o_w_id, o_d_id, o_c_id",
            "customer",
            "c_w_id, c_d_id, c_id",
        ),
        key(
            "order_line",
            "ol_w_id, ol_d_id, ol_o_id",
            "orders",
            "o_w_id, o_d_id, o_id",
        ),
        key(
            "order_line",
            "ol_supply_w_id, ol_i_id",
            "stock",
            "s_w_id, s_i_id",
        ),
        key("stock", "s_w_id", "warehouse", "w_id"),
        key("stock", "s_i_id", "item", "i_id"),
    ]
}
