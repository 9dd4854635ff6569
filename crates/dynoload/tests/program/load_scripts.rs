//! The scripts of the workload `oltp` on real servers: each does exactly its statements, and the
//! work depends only on the plan's seed.

use crate::support::load::{oltp, ops, run_noop, servers, Live};
use crate::support::Ran;
use serde_json::{json, Value};

/// Reads, writes and others per op, as sysbench counts them; the scripts in which these are the
/// same for every op.
const CLASSES: [(&str, [u64; 3]); 9] = [
    ("oltp_read_write", [14, 4, 2]),
    ("oltp_read_only", [14, 0, 2]),
    ("oltp_write_only", [0, 4, 2]),
    ("oltp_point_select", [1, 0, 0]),
    ("oltp_update_index", [0, 1, 0]),
    ("oltp_update_non_index", [0, 1, 0]),
    ("oltp_insert", [0, 1, 0]),
    ("select_random_points", [1, 0, 0]),
    ("select_random_ranges", [1, 0, 0]),
];

/// Fills the tables and measures a number of ops, which must all be done.
fn load_and_measure(live: &Live, workload: &Value, count: u64, connections: u32) -> Ran {
    live.fill_for(workload, connections);
    measure(live, workload, count, connections)
}

fn measure(live: &Live, workload: &Value, count: u64, connections: u32) -> Ran {
    let ran = live.run(workload, &ops(count), &|plan| {
        plan["connections"] = json!(connections);
    });
    let measure = ran.measure();
    assert_eq!((measure.scheduled, measure.ok), (count, count));
    assert_eq!(measure.connections, connections as usize);
    assert_eq!(measure.reconnects, 0);
    let [op] = &measure.ops[..] else {
        panic!("one kind of op: {:?}", measure.ops);
    };
    assert_eq!(Some(op.op.as_str()), workload["script"].as_str());
    assert_eq!((op.outcome.as_str(), op.count), ("ok", count));
    ran
}

fn classes(ran: &Ran) -> [u64; 3] {
    let statements = &ran.measure().statements;
    [statements.read, statements.write, statements.other]
}

fn times(classes: [u64; 3], count: u64) -> [u64; 3] {
    classes.map(|statements| statements * count)
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn every_script_says_its_statements_and_no_others() {
    let (_guard, servers) = servers("scripts");
    for mut live in servers {
        for (script, expected) in CLASSES {
            live.empty();
            let workload = oltp(script, json!({}));
            live.fill(&workload);
            let loaded =
                live.row("SELECT COUNT(*), SUM(id), MIN(k) >= 1, MAX(k) <= 1000 FROM sbtest1");
            assert_eq!(loaded, ["1000", "500500", "1", "1"], "{script}");
            // A repeated transaction issues extra statements, so there is one connection.
            let ran = measure(&live, &workload, 30, 1);
            assert_eq!(classes(&ran), times(expected, 30), "{script}");
            let rows = if script == "oltp_insert" { 1030 } else { 1000 };
            let seen = live.row("SELECT COUNT(*), SUM(id) FROM sbtest1");
            let ids = rows * (rows + 1) / 2;
            assert_eq!(seen, [rows.to_string(), ids.to_string()], "{script}");
            let create = live.row("SHOW CREATE TABLE sbtest1").remove(1);
            assert!(create.contains("KEY `k_1` (`k`)"), "{create}");
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn deletes_that_hit_nothing_are_no_writes() {
    let (_guard, servers) = servers("deletes");
    for mut live in servers {
        let workload = oltp("oltp_delete", json!({"tables": 2, "table_size": 40}));
        let ran = load_and_measure(&live, &workload, 60, 2);
        let left = "SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)";
        let gone = 80 - live.number(left) as u64;
        assert_eq!(classes(&ran), [0, gone, 60 - gone]);
        assert!((1..60).contains(&gone));
    }
}

/// How many rows (n, n), n = 1, 2, …, fill the buffer of `bulk_insert` for the table `sbtest1`.
fn rows_in_buffer() -> u64 {
    let mut bytes = "INSERT INTO sbtest1 VALUES ".len();
    for rows in 1.. {
        bytes += format!("({rows},{rows})").len();
        if bytes + 50 > 512 * 1024 {
            return rows;
        }
        bytes += 1;
    }
    unreachable!()
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn bulk_insert_sends_whole_buffers_to_a_table_for_each_connection() {
    let (_guard, servers) = servers("bulk");
    let rows = rows_in_buffer();
    for mut live in servers {
        // A few ops more than one buffer per connection: they stay in the next one.
        let ran = load_and_measure(&live, &oltp("bulk_insert", json!({})), 2 * rows + 100, 2);
        assert_eq!(classes(&ran), [0, 2, 0]);
        for table in ["sbtest1", "sbtest2"] {
            let sql = format!("SELECT COUNT(*), MIN(id), MAX(id), SUM(id = k) FROM {table}");
            let [all, first] = [rows.to_string(), "1".to_owned()];
            assert_eq!(live.row(&sql), [all.clone(), first, all.clone(), all]);
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn numbers_of_statements_are_those_of_the_plan() {
    let (_guard, servers) = servers("numbers");
    let (live, script) = (&servers[0], "oltp_read_write");
    let numbers = json!({
        "tables": 3, "point_selects": 1, "simple_ranges": 2, "sum_ranges": 3, "order_ranges": 0,
        "distinct_ranges": 1, "index_updates": 2, "non_index_updates": 0, "delete_inserts": 3,
        "skip_trx": true,
    });
    let ran = load_and_measure(live, &oltp(script, numbers.clone()), 20, 1);
    assert_eq!(classes(&ran), times([7, 8, 0], 20));
    // Without a server nobody says what is a read, but all statements are there.
    let ran = run_noop(&oltp(script, numbers), &ops(20), &|_| ());
    assert_eq!(classes(&ran), times([0, 0, 15], 20));
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn prepared_and_as_text_the_work_is_the_same() {
    let (_guard, servers) = servers("prepared");
    for mut live in servers {
        let mut seen = Vec::new();
        for prepared in [true, false] {
            live.empty();
            let before = live.counter("Com_stmt_execute");
            let workload = oltp(
                "oltp_read_write",
                json!({"prepared": prepared, "tables": 2}),
            );
            let ran = load_and_measure(&live, &workload, 30, 1);
            let executed = live.counter("Com_stmt_execute") - before;
            assert_eq!(executed, if prepared { 18 * 30 } else { 0 });
            let tables = ["sbtest1", "sbtest2"].map(|table| live.checksum(table));
            seen.push((classes(&ran), tables));
        }
        assert_eq!(seen[0], seen[1]);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn the_work_is_the_same_whatever_the_number_of_loaders_and_connections() {
    let (_guard, servers) = servers("number");
    for mut live in servers {
        let mut seen = Vec::new();
        for (loaders, connections) in [(1, 1), (4, 5)] {
            live.empty();
            let keys = json!({"table_size": 70_000, "loaders": loaders});
            // Increments can be done in any order.
            let workload = oltp("oltp_update_index", keys);
            live.fill(&workload);
            let before = live.checksum("sbtest1");
            measure(&live, &workload, 200, connections);
            seen.push([before, live.checksum("sbtest1")]);
        }
        assert_eq!(seen[0], seen[1]);
        assert_ne!(seen[0][0], seen[0][1]);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn every_distribution_and_every_kind_of_table_is_run() {
    let (_guard, servers) = servers("kinds");
    for mut live in servers {
        for change in [
            json!({"distribution": {"kind": "special"}}),
            json!({"distribution": {"kind": "gaussian"}}),
            json!({"distribution": {"kind": "pareto"}}),
            json!({"distribution": {"kind": "zipfian"}}),
            json!({"secondary": true}),
            json!({"auto_inc": false, "create_secondary": false}),
            json!({"engine": "MyISAM"}),
        ] {
            live.empty();
            let ran = load_and_measure(&live, &oltp("oltp_read_write", change), 20, 1);
            assert_eq!(classes(&ran), times([14, 4, 2], 20));
        }
        live.empty();
        let own_ids = oltp("oltp_insert", json!({"auto_inc": false}));
        load_and_measure(&live, &own_ids, 50, 3);
        assert_eq!(live.number("SELECT COUNT(*) FROM sbtest1"), 50);
    }
}
