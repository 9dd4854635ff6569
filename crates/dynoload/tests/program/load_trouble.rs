//! Loads that meet deadlocks, locks, kills and signals: each op is accounted for, and refused ops
//! leave nothing behind.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::load::{arrivals, oltp, ops, servers, wait_until, Live};
use crate::support::{finish, start, Ran};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::{json, Value};

/// MariaDB since 11.6.2 would refuse with 1020 some of what ends in a deadlock elsewhere.
const NO_SNAPSHOT_ISOLATION: &str =
    "SET SESSION autocommit = 1 /*M!110602 , innodb_snapshot_isolation = 0 */";

/// Transactions on ten rows, so that those of many connections collide.
fn crowded(change: Value) -> Value {
    let mut keys = json!({"table_size": 10, "range_size": 5, "index_updates": 3});
    for (key, value) in change.as_object().unwrap() {
        keys[key] = value.clone();
    }
    oltp("oltp_read_write", keys)
}

fn codes(expected: &[(&str, u64)]) -> BTreeMap<String, u64> {
    let pairs = expected.iter();
    pairs
        .map(|&(code, count)| (code.to_owned(), count))
        .collect()
}

fn sum_of_k(live: &mut Live) -> i64 {
    live.number("SELECT SUM(k) FROM sbtest1")
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn deadlocks_are_repeated_until_every_op_is_done() {
    let (_guard, servers) = servers("deadlocks");
    for mut live in servers {
        let workload = crowded(json!({"delete_inserts": 0}));
        live.fill(&workload);
        let before = sum_of_k(&mut live);
        let ran = live.run(&workload, &ops(400), &|plan| {
            plan["connections"] = json!(16);
            plan["session"] = json!([NO_SNAPSHOT_ISOLATION]);
        });
        let measure = ran.measure();
        assert_eq!((measure.scheduled, measure.ok), (400, 400));
        assert!(measure.failed.is_empty(), "{:?}", measure.failed);
        let retries = measure.retries["1213"];
        assert_eq!(measure.retries, codes(&[("1213", retries)]));
        assert!(retries > 0);
        // BEGIN and COMMIT of successful ops, BEGIN of failed ones; ROLLBACK belongs to no op.
        assert_eq!(measure.statements.other, 2 * 400 + retries);
        assert!(measure.statements.write >= 4 * 400);
        assert_eq!(sum_of_k(&mut live) - before, 3 * 400);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn rows_that_are_deleted_and_inserted_under_contention_stay_as_many() {
    let (_guard, servers) = servers("delete_inserts");
    for mut live in servers {
        let workload = crowded(json!({"delete_inserts": 2}));
        live.fill(&workload);
        let ran = live.run(&workload, &ops(200), &|plan| {
            plan["connections"] = json!(16)
        });
        let measure = ran.measure();
        assert_eq!(measure.ok, 200, "{:?}", measure.failed);
        let row = live.row("SELECT COUNT(*), SUM(id) FROM sbtest1");
        assert_eq!(row, ["10", "55"]);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn without_retries_a_deadlock_is_a_failed_op() {
    let (_guard, servers) = servers("no_retries");
    for mut live in servers {
        let workload = crowded(json!({"delete_inserts": 0}));
        live.fill(&workload);
        let before = sum_of_k(&mut live);
        let ran = live.run(&workload, &ops(400), &|plan| {
            plan["connections"] = json!(16);
            plan["retries"] = json!({"limit": 0});
            plan["session"] = json!([NO_SNAPSHOT_ISOLATION]);
        });
        let measure = ran.measure();
        let failed = measure.failed["1213"];
        assert_eq!(measure.failed, codes(&[("1213", failed)]));
        assert!(failed > 0 && measure.ok == 400 - failed);
        assert!(measure.retries.is_empty() && measure.reconnects == 0);
        assert_eq!(sum_of_k(&mut live) - before, 3 * measure.ok as i64);
        // Reported once, however often it happened.
        assert_eq!(ran.stderr.matches("warning: ").count(), 1, "{}", ran.stderr);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_lock_wait_timeout_is_rolled_back_and_repeated() {
    let (_guard, servers) = servers("lock_wait");
    for mut live in servers {
        let keys = json!({"table_size": 2, "index_updates": 4, "delete_inserts": 0});
        let workload = oltp("oltp_write_only", keys);
        live.fill(&workload);
        let before = sum_of_k(&mut live);
        let rolled_back = live.counter("Com_rollback");
        // One of two rows, so that transactions are caught with part of their work done.
        live.sql("BEGIN");
        live.sql("SELECT * FROM sbtest1 WHERE id = 2 FOR UPDATE");
        let plan = live.plan(&workload, &ops(20), &|plan| {
            plan["connections"] = json!(1);
            plan["session"] = json!(["SET SESSION innodb_lock_wait_timeout = 1"]);
        });
        let child = start(&plan);
        wait_until("a transaction was rolled back", || {
            live.counter("Com_rollback") > rolled_back
        });
        live.sql("ROLLBACK");
        let ran = finish(child);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let measure = ran.measure();
        assert_eq!((measure.ok, measure.failed.len()), (20, 0));
        let retries = measure.retries["1205"];
        assert_eq!(measure.retries, codes(&[("1205", retries)]));
        assert!(retries >= 1);
        let longest = Duration::from_nanos(measure.ops[0].max_ns);
        assert!(longest >= Duration::from_secs(1), "latency holds the retry");
        // If BEGIN had committed what the refused transaction had done, there would be more.
        assert_eq!(sum_of_k(&mut live) - before, 4 * 20);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_killed_connection_is_made_anew_and_the_run_goes_on() {
    let (_guard, servers) = servers("kill");
    for mut live in servers {
        let workload = oltp("oltp_read_write", json!({}));
        live.fill(&workload);
        let think = json!({"distribution": "constant", "mean_s": 0.02});
        let phases = json!([{"name": "measure", "ops": 400, "think": think}]);
        let plan = live.plan(&workload, &phases, &|plan| plan["connections"] = json!(4));
        let committed = live.counter("Com_commit");
        let child = start(&plan);
        wait_until("ops are done", || {
            live.counter("Com_commit") > committed + 10
        });
        let victim = live.others()[0];
        live.sql(&format!("KILL {victim}"));
        wait_until("the connection was restored", || {
            let others = live.others();
            others.len() == 4 && !others.contains(&victim)
        });
        let ran = finish(child);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let measure = ran.measure();
        assert!(ran.summary().complete);
        assert_eq!(measure.reconnects, 1);
        let failed: u64 = measure.failed.values().sum();
        assert!((1..=2).contains(&failed), "{:?}", measure.failed);
        assert_eq!(measure.ok, 400 - failed);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn an_op_that_waits_too_long_is_killed_and_its_connection_made_anew() {
    let (_guard, servers) = servers("too_long");
    for mut live in servers {
        let workload = oltp("oltp_update_index", json!({"table_size": 2}));
        live.fill(&workload);
        let before = sum_of_k(&mut live);
        live.sql("BEGIN");
        live.sql("SELECT * FROM sbtest1 WHERE id = 2 FOR UPDATE");
        let ran = live.run(&workload, &ops(5), &|plan| {
            plan["connections"] = json!(1);
            plan["timeout_s"] = json!(0.3);
        });
        live.sql("ROLLBACK");
        let measure = ran.measure();
        let failed = measure.failed["3024"];
        assert_eq!(measure.failed, codes(&[("3024", failed)]));
        assert!((1..5).contains(&failed), "the seed gives both ids");
        assert_eq!((measure.ok, measure.reconnects), (5 - failed, failed));
        assert_eq!(sum_of_k(&mut live) - before, measure.ok as i64);
        let shortest = Duration::from_nanos(measure.ops[1].min_ns);
        assert!(shortest >= Duration::from_millis(300));
    }
}

/// Sends SIGINT to a load once `began` says so; gives its result.
fn interrupt(
    live: &mut Live,
    workload: &Value,
    phases: &Value,
    began: &mut dyn FnMut(&mut Live) -> bool,
) -> Ran {
    let plan = live.plan(workload, phases, &|plan| plan["connections"] = json!(16));
    let child = start(&plan);
    wait_until("the load began", || began(live));
    let since = Instant::now();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let ran = finish(child);
    assert!(
        since.elapsed() < Duration::from_secs(6),
        "{:?}",
        since.elapsed()
    );
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(!ran.summary().complete);
    ran
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn sigint_ends_a_load_with_a_balanced_account() {
    let (_guard, mut servers) = servers("sigint");
    // Where they are in mid-op doesn't matter to the server, so one is enough.
    for live in &mut servers[..1] {
        let roomy = oltp("oltp_read_write", json!({}));
        let minute = json!([{"name": "measure", "duration_s": 60}]);
        let both = json!([{"name": "measure", "duration_s": 60, "ops": 10_000_000}]);
        for (workload, phases) in [
            (&roomy, minute.clone()),
            (&roomy, ops(10_000_000)),
            (&roomy, both),
            (&roomy, arrivals(60.0, 50.0)),
            // Deadlocks that would have been retried aren't failures either.
            (&crowded(json!({"delete_inserts": 0})), minute),
        ] {
            live.empty();
            live.fill(workload);
            let committed = live.counter("Com_commit");
            let ran = interrupt(live, workload, &phases, &mut |live| {
                // More than can be in mid-op.
                live.counter("Com_commit") > committed + 20
            });
            let measure = ran.measure();
            assert!(measure.ok > 0 && measure.elapsed_s < 50.0);
            assert!(measure.failed.is_empty(), "{:?}", measure.failed);
            assert_eq!(
                measure.skipped, 0,
                "what nobody had the time for is unfinished"
            );
        }
        wait_until("all are gone", || live.others().is_empty());
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn sigint_breaks_ops_off_that_wait() {
    let (_guard, servers) = servers("sigint_wait");
    for mut live in servers {
        let workload = oltp("oltp_update_index", json!({}));
        live.fill(&workload);
        live.sql("BEGIN");
        live.sql("SELECT * FROM sbtest1 FOR UPDATE");
        let ran = interrupt(&mut live, &workload, &ops(100), &mut |live| {
            let sql = "SELECT COUNT(*) FROM information_schema.processlist \
                       WHERE info LIKE 'UPDATE sbtest1%'";
            live.number(sql) == 16
        });
        let measure = ran.measure();
        assert_eq!((measure.scheduled, measure.unfinished), (100, 100));
        // No statement of the load is left behind.
        thread::sleep(Duration::from_millis(50));
        wait_until("all are gone", || live.others().is_empty());
        live.sql("ROLLBACK");
    }
}
