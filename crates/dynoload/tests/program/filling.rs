//! The phase `load` of the workload `oltp` against real servers. DYNO_TEST_SOCKET names their
//! sockets, separated by commas; user root without a password. Each test creates a schema with its
//! own name and drops it afterwards.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::load::{servers, Live, SEED};
use crate::support::{finish, run, start, Ran};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::{json, Value};
use wire::Row;
use workloads::event::{Event, PhaseState};
use workloads::fill::{Layout, Source};
use workloads::oltp::{Oltp, SbtestRows};

impl Live {
    fn load_plan(&self, workload: &Value) -> PathBuf {
        let phases = json!([{"name": "load"}]);
        self.plan(workload, &phases, &|plan| plan["connections"] = json!(3))
    }

    fn load(&self, workload: &Value) -> Ran {
        let ran = run(&self.load_plan(workload));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        ran
    }

    /// Compares a table with its expected content, row by row in this order.
    fn check_rows(&mut self, workload: &Value, table: usize, order: &str) {
        let oltp = oltp(workload);
        let rows = SbtestRows::new(SEED, &oltp, table);
        let (mut index, mut line, mut seen) = (0, Vec::new(), Vec::new());
        let mut compare = |row: Row<'_>| {
            line.clear();
            rows.write(index, Layout::Lines, &mut line);
            line.pop();
            let values: Vec<&[u8]> = row.iter().map(Option::unwrap).collect();
            seen.clear();
            seen.extend(values.join(&b'\t'));
            assert!(seen == line, "row {index} of table {table} is another");
            index += 1;
        };
        let sql = format!("SELECT id, k, c, pad FROM sbtest{} {order}", table + 1);
        self.connection.query(sql.as_bytes(), &mut compare).unwrap();
        assert_eq!(index, u64::from(oltp.table_size));
    }

    fn show_create(&mut self, table: &str) -> String {
        let sql = format!("SHOW CREATE TABLE {table}");
        let mut rows = self.connection.query_strings(&sql).unwrap();
        rows.remove(0).remove(1).unwrap()
    }

    /// How many running statements start like this.
    fn running(&mut self, begin: &str) -> usize {
        let list = self.connection.query_strings("SHOW FULL PROCESSLIST");
        let list = list.unwrap();
        let runs =
            |row: &&Vec<Option<String>>| row.iter().flatten().any(|value| value.starts_with(begin));
        list.iter().filter(runs).count()
    }

    /// The server undoes what was broken off, and nobody waits for that.
    fn wait_for_rollback(&mut self) {
        let since = Instant::now();
        while self.running("LOAD DATA") > 0 {
            assert!(since.elapsed() < Duration::from_secs(60), "it goes on");
            thread::sleep(Duration::from_millis(50));
        }
    }
}

fn oltp(workload: &Value) -> Oltp {
    let mut keys = workload.clone();
    keys.as_object_mut().unwrap().remove("kind");
    serde_json::from_value(keys).unwrap()
}

fn workload(change: &Value) -> Value {
    let mut workload = json!({
        "kind": "oltp", "script": "oltp_read_write", "tables": 3, "table_size": 70_000,
    });
    for (key, value) in change.as_object().unwrap() {
        workload[key] = value.clone();
    }
    workload
}

/// The progress of each table: rows, in order.
fn progress(ran: &Ran) -> BTreeMap<String, Vec<u64>> {
    let mut progress: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for event in &ran.events {
        if let Event::Phase(phase) = event {
            if phase.state == PhaseState::Progress {
                let table = phase.table.clone().unwrap();
                progress.entry(table).or_default().push(phase.rows.unwrap());
            }
        }
    }
    progress
}

fn warnings(ran: &Ran) -> usize {
    ran.stderr.matches("warning: ").count()
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn every_row_goes_in_as_made_whatever_the_loaders() {
    let (_guard, servers) = servers("rows");
    for mut live in servers {
        for loaders in [1, 4] {
            live.empty();
            let workload = workload(&json!({ "loaders": loaders }));
            let ran = live.load(&workload);
            assert_eq!(warnings(&ran), 0, "{}", ran.stderr);
            for table in 0..3 {
                live.check_rows(&workload, table, "ORDER BY id");
                let rows = &progress(&ran)[&format!("sbtest{}", table + 1)];
                assert!(rows.is_sorted(), "{rows:?}");
                assert_eq!(rows.last(), Some(&70_000));
                let create = live.show_create(&format!("sbtest{}", table + 1));
                assert!(
                    create.contains(&format!("KEY `k_{}` (`k`)", table + 1)),
                    "{create}"
                );
                assert!(create.contains("AUTO_INCREMENT=70001"), "{create}");
            }
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn many_loaders_share_one_table() {
    let (_guard, servers) = servers("share");
    for mut live in servers {
        let one = workload(&json!({"tables": 1, "table_size": 200_000, "loaders": 4}));
        live.load(&one);
        live.check_rows(&one, 0, "ORDER BY id");
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn rows_lie_in_order_where_tables_are_locked() {
    let (_guard, servers) = servers("order");
    for mut live in servers {
        let workload = workload(&json!({"engine": "MyISAM", "create_secondary": false}));
        live.load(&workload);
        for table in 0..3 {
            live.check_rows(&workload, table, "");
            let create = live.show_create(&format!("sbtest{}", table + 1));
            assert!(
                create.contains("ENGINE=MyISAM") && !create.contains("k_"),
                "{create}"
            );
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn without_local_files_the_same_rows_go_in_by_insert() {
    let (_guard, servers) = servers("insert");
    for mut live in servers {
        let workload = workload(&json!({}));
        live.sql("SET GLOBAL local_infile = 0");
        let ran = run(&live.load_plan(&workload));
        live.sql("SET GLOBAL local_infile = 1");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(warnings(&ran), 1, "reported once: {}", ran.stderr);
        for table in 0..3 {
            live.check_rows(&workload, table, "ORDER BY id");
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn options_are_in_the_tables() {
    let (_guard, servers) = servers("options");
    for mut live in servers {
        live.load(&workload(&json!({
            "table_size": 10, "secondary": true, "create_options": "COMMENT = 'seen'",
        })));
        let create = live.show_create("sbtest3");
        for part in ["KEY `xid` (`id`)", "COMMENT='seen'", "ENGINE=InnoDB"] {
            assert!(create.contains(part), "{create}");
        }
        live.empty();
        live.load(&workload(
            &json!({"script": "oltp_insert", "auto_inc": false}),
        ));
        assert!(!live.show_create("sbtest3").contains("AUTO_INCREMENT"));
        let rows = live
            .connection
            .query_strings("SELECT count(*) FROM sbtest3");
        assert_eq!(rows.unwrap()[0][0].as_deref(), Some("0"));
        live.empty();
        live.load(&workload(&json!({"script": "bulk_insert", "tables": 1})));
        assert!(
            !live.show_create("sbtest3").contains("pad"),
            "one a connection"
        );
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_failure_names_table_and_step_and_ends_the_other_loaders() {
    let (_guard, servers) = servers("failure");
    for mut live in servers {
        live.sql("CREATE TABLE sbtest2 (id INT)");
        // Loading all of it would take minutes.
        let large = workload(&json!({"table_size": 20_000_000}));
        let since = Instant::now();
        let ran = run(&live.load_plan(&large));
        assert_eq!(ran.code, Some(3));
        let text = "error: table sbtest2: CREATE TABLE failed: server error 1050";
        assert!(ran.stderr.contains(text), "{}", ran.stderr);
        assert!(since.elapsed() < Duration::from_secs(30));
        live.wait_for_rollback();
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn sigterm_ends_loading_soon() {
    let (_guard, servers) = servers("sigterm");
    for mut live in servers {
        let large = workload(&json!({"table_size": 20_000_000, "loaders": 3}));
        let child = start(&live.load_plan(&large));
        let since = Instant::now();
        while live.running("LOAD DATA") < 3 {
            assert!(since.elapsed() < Duration::from_secs(60), "it never began");
            thread::sleep(Duration::from_millis(10));
        }
        let since = Instant::now();
        kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
        let ran = finish(child);
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        assert!(since.elapsed() < Duration::from_secs(15));
        assert!(!ran.summary().complete);
        live.wait_for_rollback();
    }
}
