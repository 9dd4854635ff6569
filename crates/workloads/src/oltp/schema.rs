//! The tables `sbtest1` and so on: their statements, and how they are filled.

use super::rows::SbtestRows;
use super::spec::{Oltp, ScriptName};
use crate::fill::{table_options, Table};

/// How many rows one statement loads: few enough to keep the transaction small (about 13 MB),
/// enough for its cost not to matter.
const CHUNK_ROWS: u64 = 65_536;
/// Engines that lock the whole table. Loading it from several connections gains nothing there, and
/// would leave its rows in random order.
const TABLE_LOCKING: [&str; 6] = ["archive", "aria", "csv", "memory", "merge", "myisam"];

/// The name of table `number`, from 0.
pub fn name(number: usize) -> String {
    format!("sbtest{}", number + 1)
}

/// The tables of a workload for a number of connections.
pub fn tables(oltp: &Oltp, seed: u64, connections: usize) -> Vec<Table<SbtestRows>> {
    let is_bulk = oltp.script == ScriptName::BulkInsert;
    let mut count = oltp.tables as usize;
    if is_bulk {
        // One per connection; more in `tables` leave room for more connections later.
        count = count.max(connections);
    }
    // Generated ids would collide with those of rows.
    let starts_empty = is_bulk || (oltp.script == ScriptName::OltpInsert && !oltp.auto_inc);
    let rows = if starts_empty {
        0
    } else {
        u64::from(oltp.table_size)
    };
    let table = |number: usize| Table {
        name: name(number),
        create: if is_bulk {
            create_bulk(oltp, number)
        } else {
            create(oltp, number)
        },
        rows,
        chunk_rows: if locks_tables(&oltp.engine) {
            rows.max(1)
        } else {
            CHUNK_ROWS
        },
        source: SbtestRows::new(seed, oltp, number),
        after: if is_bulk || !oltp.create_secondary {
            Vec::new()
        } else {
            vec![("CREATE INDEX".to_owned(), create_index(number))]
        },
    };
    (0..count).map(table).collect()
}

fn locks_tables(engine: &str) -> bool {
    TABLE_LOCKING
        .iter()
        .any(|name| engine.eq_ignore_ascii_case(name))
}

fn create(oltp: &Oltp, number: usize) -> String {
    let counting = if oltp.auto_inc { " AUTO_INCREMENT" } else { "" };
    let key = if oltp.secondary {
        "KEY xid (id)"
    } else {
        "PRIMARY KEY (id)"
    };
    let text = format!(
        "CREATE TABLE {} (id INTEGER NOT NULL{counting}, k INTEGER DEFAULT '0' NOT NULL, \
         c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, {key}){}",
        name(number),
        options(oltp)
    );
    text
}

/// Created only if it doesn't exist yet, as in sysbench.
fn create_bulk(oltp: &Oltp, number: usize) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {} (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, \
         PRIMARY KEY (id)){}",
        name(number),
        options(oltp)
    )
}

fn options(oltp: &Oltp) -> String {
    let more = table_options(&oltp.create_options);
    format!(" /*! ENGINE = {} */{more}", oltp.engine)
}

fn create_index(number: usize) -> String {
    format!("CREATE INDEX k_{0} ON sbtest{0} (k)", number + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn oltp(change: serde_json::Value) -> Oltp {
        let mut keys = json!({"script": "oltp_read_write", "table_size": 200_000});
        for (key, value) in change.as_object().unwrap() {
            keys[key] = value.clone();
        }
        serde_json::from_value(keys).unwrap()
    }

    #[test]
    fn tables_are_sysbenchs() {
        let all = tables(&oltp(json!({"tables": 2})), 1, 8);
        assert_eq!(all.len(), 2);
        let second = &all[1];
        assert_eq!(
            (second.name.as_str(), second.rows, second.chunk_rows),
            ("sbtest2", 200_000, 65_536)
        );
        assert_eq!(
            second.create,
            "CREATE TABLE sbtest2 (id INTEGER NOT NULL AUTO_INCREMENT, \
             k INTEGER DEFAULT '0' NOT NULL, c CHAR(120) DEFAULT '' NOT NULL, \
             pad CHAR(60) DEFAULT '' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = innodb */"
        );
        let (doing, sql) = &second.after[0];
        assert_eq!(
            (doing.as_str(), sql.as_str()),
            ("CREATE INDEX", "CREATE INDEX k_2 ON sbtest2 (k)")
        );
    }

    #[test]
    fn options_change_the_table() {
        let change = json!({
            "auto_inc": false, "secondary": true, "create_secondary": false,
            "engine": "Aria", "create_options": "TRANSACTIONAL=0",
        });
        let table = tables(&oltp(change), 1, 1).remove(0);
        assert_eq!(
            table.create,
            "CREATE TABLE sbtest1 (id INTEGER NOT NULL, k INTEGER DEFAULT '0' NOT NULL, \
             c CHAR(120) DEFAULT '' NOT NULL, pad CHAR(60) DEFAULT '' NOT NULL, \
             KEY xid (id)) /*! ENGINE = Aria */ TRANSACTIONAL=0"
        );
        assert!(table.after.is_empty());
        assert_eq!(
            table.chunk_rows, 200_000,
            "one writer where tables are locked"
        );
    }

    #[test]
    fn own_ids_begin_with_empty_tables() {
        let rows = |change| tables(&oltp(change), 1, 1)[0].rows;
        assert_eq!(rows(json!({"script": "oltp_insert"})), 200_000);
        assert_eq!(rows(json!({"script": "oltp_insert", "auto_inc": false})), 0);
        assert_eq!(rows(json!({"auto_inc": false})), 200_000);
    }

    #[test]
    fn bulk_insert_has_a_table_for_each_connection() {
        let bulk = |tables: u32| oltp(json!({"script": "bulk_insert", "tables": tables}));
        assert_eq!(tables(&bulk(1), 1, 3).len(), 3);
        assert_eq!(tables(&bulk(5), 1, 3).len(), 5);
        let third = &tables(&bulk(1), 1, 3)[2];
        assert_eq!((third.rows, third.after.len()), (0, 0));
        assert_eq!(
            third.create,
            "CREATE TABLE IF NOT EXISTS sbtest3 (id INTEGER NOT NULL, \
             k INTEGER DEFAULT '0' NOT NULL, PRIMARY KEY (id)) /*! ENGINE = innodb */"
        );
    }
}
