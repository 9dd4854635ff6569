//! The workload `accesslog` on real servers: every row is there once, generated or from a file,
//! loaded or inserted; and nobody gets one that isn't whole.
//!
//! `DYNO_TEST_SOCKET` names their sockets, separated by commas; root without a password.

use std::io::Write;

use crate::support::load::servers;
use crate::support::run;
use serde_json::{json, Value};

const ROWS: i64 = 70_000;

fn phases(ops: u64) -> Value {
    json!([{"name": "load"}, {"name": "measure", "ops": ops}])
}

#[test]
#[ignore = "needs real servers"]
fn each_row_is_there_once() {
    let (_guard, servers) = servers("accesslog");
    for mut live in servers {
        let workload = json!({"kind": "accesslog", "rows": ROWS, "rows_per_insert": 3});
        let ran = live.run(&workload, &phases(500), &|plan| {
            plan["connections"] = json!(8)
        });
        let measured = ran
            .summary()
            .phases
            .iter()
            .find(|phase| phase.phase == "measure");
        assert_eq!(measured.map(|phase| phase.ok), Some(500));
        let all = ROWS + 3 * 500;
        let asked = "SELECT count(*), count(DISTINCT id), max(id) FROM accesslog";
        assert_eq!(
            live.row(asked),
            [all, all, all].map(|number| number.to_string())
        );
        // What a log writes as `-` is NULL, and nothing else is.
        assert_eq!(
            live.number("SELECT count(*) FROM accesslog WHERE bytes_sent = '' OR uri IS NULL"),
            0
        );
        assert!(live.number("SELECT count(*) FROM accesslog WHERE bytes_sent IS NULL") > all / 10);
        assert_eq!(
            live.row("SELECT min(time) FROM accesslog"),
            ["2004-09-01 00:00:00"]
        );
    }
}

#[test]
#[ignore = "needs real servers"]
fn loaded_and_inserted_rows_are_the_same() {
    let (_guard, servers) = servers("accesslog_same");
    for mut live in servers {
        let content = "SELECT count(*), sum(crc32(concat_ws('|', id, method, bytes_sent, \
                       protocol, uri, args, hostname, client, Referer, slash_user, e2_node, \
                       time))) FROM accesslog";
        live.fill(&json!({"kind": "accesslog", "rows": 400}));
        let loaded = live.row(content);
        live.empty();
        live.run(&json!({"kind": "accesslog"}), &phases(400), &|_| {});
        assert_eq!(live.row(content), loaded);
        live.empty();
        let columns = json!({
            "kind": "statements",
            "tables": [{
                "name": "accesslog",
                "create": "CREATE TABLE accesslog (id INT, method TEXT, bytes_sent TEXT, \
                           protocol TEXT, uri TEXT, args TEXT, hostname TEXT, client TEXT, \
                           Referer TEXT, slash_user TEXT, e2_node TEXT, time DATETIME)",
                "rows": 400,
                "columns": "accesslog",
            }],
        });
        live.fill(&columns);
        assert_eq!(live.row(content), loaded);
    }
}

#[test]
#[ignore = "needs real servers"]
fn a_real_log_is_written_round_and_round() {
    let (_guard, servers) = servers("accesslog_file");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for id in 1..=10 {
        writeln!(
            file,
            "{id}\tGET\t\\N\tHTTP/1.1\t/page{id}\t\\N\th\tc\t\\N\t\\N\t\\N\t2020-01-01 00:00:00"
        )
        .unwrap();
    }
    for mut live in servers {
        let workload = json!({"kind": "accesslog", "log": file.path(), "rows": 4});
        live.run(&workload, &phases(26), &|_| {});
        let asked = "SELECT count(*), count(DISTINCT id), count(DISTINCT uri), \
                     sum(bytes_sent IS NULL) FROM accesslog";
        assert_eq!(live.row(asked), ["30", "30", "10", "30"]);
    }
}

#[test]
#[ignore = "needs real servers"]
fn a_log_that_is_none_is_refused_by_its_line() {
    let (_guard, servers) = servers("accesslog_bad");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"1\tGET\n").unwrap();
    for live in servers {
        let workload = json!({"kind": "accesslog", "log": file.path()});
        let ran = run(&live.plan(&workload, &phases(1), &|_| {}));
        assert_ne!(ran.code, Some(0));
        assert!(
            ran.stderr.contains("line 1: it doesn't have 12 values"),
            "{}",
            ran.stderr
        );
    }
}
