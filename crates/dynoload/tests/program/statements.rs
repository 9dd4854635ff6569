//! `dynoload` against real servers. DYNO_TEST_SOCKET names their sockets, separated by commas; user
//! root without a password. Each test creates a schema with its own name and drops it afterwards.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::load::{servers, Live};
use crate::support::{finish, run, start, Ran};
use kinds::load_plan::Plan;
use kinds::AnyWorkload;
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::{json, Value};
use workloads::event::{Event, StatementEvent};
use workloads::fill::Source;
use workloads::statements::{Layout, TableRows};
use workloads::Scope;

fn plan_on(live: &Live, change: &dyn Fn(&mut Value)) -> PathBuf {
    let mut plan = json!({
        "schema": 1,
        "seed": 42,
        "target": {"socket": live.socket, "database": live.schema},
        "session": ["SET SESSION sql_mode = ''"],
        "phases": [{"name": "load"}, {"name": "measure", "rounds": 2}],
        "workload": {
            "kind": "statements",
            "tables": [{
                "name": "t1",
                "create": "CREATE TABLE t1 (id INT, n BIGINT, h CHAR(40), tea TEXT)
                           ENGINE=MyISAM DEFAULT CHARSET=latin1",
                "rows": 3000,
                "columns": [
                    {"generate": "int", "min": -1000, "max": 1000},
                    {"generate": "sequence"},
                    {"generate": "hex", "length": 40, "distinct": 700},
                    {"generate": "repeat_decimal", "times_max": 12},
                ],
                "after": ["ANALYZE TABLE t1"],
            }],
            "statements": [{"name": "all", "sql": "SELECT * FROM t1"}],
        },
    });
    change(&mut plan);
    let path = live.folder().join("plan.json");
    std::fs::write(&path, plan.to_string()).unwrap();
    path
}

fn run_on(live: &Live, change: &dyn Fn(&mut Value)) -> Ran {
    run(&plan_on(live, change))
}

fn named<'a>(ran: &'a Ran, name: &str) -> Vec<&'a StatementEvent> {
    let mut found = ran.statements();
    found.retain(|statement| statement.statement == name);
    assert!(!found.is_empty(), "no statement {name}: {}", ran.stderr);
    found
}

fn checksum(ran: &Ran, name: &str) -> String {
    let all = named(ran, name);
    let first = all[0].checksum.clone().unwrap();
    assert!(
        all.iter()
            .all(|statement| statement.checksum.as_ref() == Some(&first)),
        "{name}"
    );
    first
}

/// The checksum of all rows of the plan's first table, computed without a server.
fn expected(plan: &Path) -> (String, u64) {
    let plan = Plan::read(&std::fs::read_to_string(plan).unwrap()).unwrap();
    let AnyWorkload::Statements(statements) = &plan.workload else {
        panic!("a plan of statements");
    };
    let table = &statements.tables[0];
    let rows = TableRows::new(plan.seed, table);
    let (mut sum, mut bytes) = (0_u64, 0);
    for index in 0..table.rows {
        let mut line = Vec::new();
        rows.write(index, Layout::Lines, &mut line);
        line.pop();
        let mut row = Vec::new();
        for value in line.split(|&byte| byte == b'\t') {
            row.push(
                u8::try_from(value.len())
                    .ok()
                    .filter(|&length| length < 251)
                    .unwrap(),
            );
            row.extend_from_slice(value);
        }
        bytes += row.len() as u64;
        sum = sum.wrapping_add(xxhash_rust::xxh3::xxh3_64(&row));
    }
    (format!("{sum:016x}"), bytes)
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn rows_go_in_as_made_and_answers_are_equal_on_all_servers() {
    let (_guard, servers) = servers("rows");
    let mut seen = Vec::new();
    for live in &servers {
        let change = |plan: &mut Value| {
            plan["observe"] = json!({"explain": true});
            plan["workload"]["statements"] = json!([
                {"name": "all", "sql": "SELECT * FROM t1"},
                {"name": "sorted", "sql": "SELECT * FROM t1 ORDER BY n", "ordered": true},
                {"name": "group", "sql": "SELECT h, count(*) c, tea FROM t1 GROUP BY h",
                 "compare": ["h", 2]},
                {"name": "rows", "sql": "SELECT * FROM t1 WHERE id > 0", "compare": "rows"},
                {"name": "null", "sql": "SELECT NULLIF(id, 7), n FROM t1"},
                {"name": "refused", "sql": "SELECT nothing FROM t1"},
                {"name": "no column", "sql": "SELECT 1", "compare": ["two"]},
            ]);
        };
        // 12 times 18 characters: no value is longer than 250 bytes, so `expected` can be simple.
        let ran = run_on(live, &change);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let all = named(&ran, "all")[0];
        let (sum, bytes) = expected(&plan_on(live, &change));
        assert_eq!((all.rows, all.bytes), (Some(3000), Some(bytes)));
        assert_eq!(checksum(&ran, "all"), sum);
        assert!(named(&ran, "group")[0].rows.unwrap() <= 700);
        let measure = &ran.summary().phases[1];
        assert_eq!(
            (measure.scheduled, measure.ok, measure.failed["1054"]),
            (14, 10, 4)
        );
        let explained = ran
            .events
            .iter()
            .filter(|event| matches!(event, Event::Explain(_)));
        assert_eq!(explained.count(), 7);
        seen.push(["all", "sorted", "group", "rows", "null"].map(|name| checksum(&ran, name)));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]), "{seen:?}");
    assert_ne!(seen[0][0], seen[0][1]);
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn without_local_files_the_same_rows_go_in_by_insert() {
    let (_guard, servers) = servers("insert");
    for mut live in servers {
        live.sql("SET GLOBAL local_infile = 0");
        let ran = run_on(&live, &|_| ());
        live.sql("SET GLOBAL local_infile = 1");
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("warning: "), "{}", ran.stderr);
        assert_eq!(checksum(&ran, "all"), expected(&plan_on(&live, &|_| ())).0);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn settings_are_those_of_the_session() {
    let (_guard, servers) = servers("settings");
    for live in servers {
        let ran = run_on(&live, &|plan| {
            plan["session"] = json!(["SET SESSION tmp_table_size = 131072"]);
            plan["observe"] = json!({"settings": true});
        });
        let settings = ran.events.iter().find_map(|event| match event {
            Event::Settings(settings) => Some(settings),
            _ => None,
        });
        let settings = settings.unwrap();
        assert_eq!(settings.session["tmp_table_size"], "131072");
        assert_ne!(settings.global["tmp_table_size"], "131072");
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn status_shows_what_a_statement_did_and_nothing_of_the_reading() {
    let (_guard, servers) = servers("status");
    for live in servers {
        let ran = run_on(&live, &|plan| {
            plan["session"] = json!(["SET SESSION sql_mode = ''", "SET SESSION big_tables = 1"]);
            plan["observe"] = json!({"status": true});
            plan["workload"]["statements"] = json!([
                {"name": "group", "sql": "SELECT tea, count(*) FROM t1 GROUP BY tea ORDER BY NULL"},
                {"name": "idle", "sql": "DO 1"},
            ]);
        });
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        for group in named(&ran, "group") {
            let session = group.session_status.as_ref().unwrap();
            assert_eq!(session["Created_tmp_disk_tables"], 1, "{session:?}");
            assert_eq!(session["Com_select"], 1);
            assert_eq!(group.global_status.as_ref().unwrap()["Com_select"], 1);
        }
        for idle in named(&ran, "idle") {
            let mut session = idle.session_status.clone().unwrap();
            // The bytes are the statement's own. Time passes, and background threads of InnoDB,
            // whose counters every session shows, do as they like.
            session.retain(|name, _| {
                !name.starts_with("Bytes_")
                    && !name.starts_with("Uptime")
                    && !name.starts_with("Innodb_")
            });
            let seen: Vec<(&str, i64)> = session
                .iter()
                .map(|(name, &delta)| (name.as_str(), delta))
                .collect();
            assert_eq!(seen, [("Com_do", 1), ("Queries", 1), ("Questions", 1)]);
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_slow_statement_is_killed_and_the_run_goes_on() {
    let (_guard, servers) = servers("slow");
    for live in servers {
        let ran = run_on(&live, &|plan| {
            plan["timeout_s"] = json!(0.4);
            plan["workload"]["statements"] = json!([
                {"name": "slow", "sql": "SELECT SLEEP(20)"},
                {"name": "quick", "sql": "SELECT 1"},
            ]);
        });
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert_eq!(ran.outcomes(), ["3024", "ok", "3024", "ok"]);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_row_that_the_server_would_change_ends_the_run() {
    let (_guard, servers) = servers("change");
    for live in servers {
        let ran = run_on(&live, &|plan| {
            plan["workload"]["tables"][0]["columns"][0]["max"] = json!(5_000_000_000_i64);
        });
        assert_eq!(ran.code, Some(3));
        assert!(ran
            .stderr
            .starts_with("error: table t1: the server changed rows"));
        assert!(!ran.summary().complete);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn what_the_server_refuses_before_measuring_is_exit_3() {
    let (_guard, servers) = servers("refuse");
    for live in servers {
        let load = run_on(&live, &|plan| {
            plan["workload"]["tables"][0]["create"] = json!("CREATE TABLE t1 (id INT) ENGINE=");
        });
        let session = run_on(&live, &|plan| {
            plan["session"] = json!(["SET SESSION nonsense = 1"])
        });
        let login = run_on(&live, &|plan| {
            plan["target"]["database"] = json!("no_such_schema")
        });
        for (ran, scope) in [
            (load, Scope::Load),
            (session, Scope::Session),
            (login, Scope::Connect),
        ] {
            assert_eq!(ran.code, Some(3));
            let error = ran.events.iter().find_map(|event| match event {
                Event::Error(error) => Some(error),
                _ => None,
            });
            assert_eq!(error.unwrap().scope, scope);
            assert!(!ran.summary().complete);
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn sigterm_leaves_no_statement_running() {
    let (_guard, servers) = servers("sigterm");
    for mut live in servers {
        let plan = plan_on(&live, &|plan| {
            plan["connections"] = json!(3);
            plan["workload"]["statements"] =
                json!([{"name": "long", "sql": "SELECT SUM(SLEEP(0.05)) FROM t1"}]);
        });
        let child = start(&plan);
        let running = |live: &mut Live| {
            let list = live
                .connection
                .query_strings("SHOW FULL PROCESSLIST")
                .unwrap();
            let is_long = |row: &&Vec<Option<String>>| {
                row.iter()
                    .flatten()
                    .any(|value| value.contains("SUM(SLEEP"))
            };
            list.iter().filter(is_long).count()
        };
        let since = Instant::now();
        while running(&mut live) < 3 {
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "the statements never began"
            );
            thread::sleep(Duration::from_millis(10));
        }
        kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
        let ran = finish(child);
        assert_eq!(ran.code, Some(130), "{}", ran.stderr);
        let measure = &ran.summary().phases[1];
        assert_eq!((measure.scheduled, measure.unfinished), (6, 6));
        assert_eq!(running(&mut live), 0);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn many_connections_for_a_while_account_for_every_op() {
    let (_guard, servers) = servers("many");
    for live in servers {
        let ran = run_on(&live, &|plan| {
            plan["connections"] = json!(4);
            plan["interval_s"] = json!(0.1);
            plan["phases"] = json!([{"name": "warmup", "duration_s": 0.3},
                                    {"name": "measure", "duration_s": 0.95}]);
            plan["workload"]["statements"] = json!([{"name": "one", "sql": "SELECT 1"},
                                                    {"name": "two", "sql": "SELECT 2"}]);
        });
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let measure = &ran.summary().phases[1];
        assert!(measure.elapsed_s >= 0.95 && measure.ok > 100);
        assert_eq!(measure.scheduled, measure.ok);
        let in_measure = ran
            .statements()
            .iter()
            .filter(|one| one.phase == "measure")
            .count();
        assert_eq!(in_measure as u64, measure.ok);
        let mut in_intervals = 0;
        let mut intervals = 0;
        for event in &ran.events {
            if let Event::Interval(interval) = event {
                if interval.phase == "measure" {
                    intervals += 1;
                    in_intervals += interval.ops.iter().map(|op| op.count).sum::<u64>();
                }
            }
        }
        // Ten, unless the last statements end late on a busy host: no gaps, and one short at most.
        let tenths = (measure.elapsed_s * 10.0).ceil() as u64;
        assert_eq!((intervals, in_intervals), (tenths, measure.ok));
    }
}
