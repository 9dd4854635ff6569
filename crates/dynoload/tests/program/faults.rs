//! What `dynoload` makes of a server that stalls, breaks off, sends garbage, hangs or vanishes.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{finish, run, start, Reply, Server};
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::json;
use workloads::event::{Event, StatementEvent};
use workloads::Scope;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// One statement every 40 ms, 99 of them; the server freezes for 1 s in the fiftieth.
///
/// The server answers statement k (from 1) at 40 k - 20 ms after the first one came; from the
/// fiftieth on 1000 ms later. The loop is closed, so a latency is the time between two answers:
/// - the first takes 20 ms, the fiftieth 2980 - 1940 = 1040 ms, all others 40 ms;
/// - p99 has rank ceil(0.99 * 99) = 99 of 99: it is the largest, 1040 ms; p95 is 40 ms;
/// - the mean is the last answer over 99: (40 * 99 - 20 + 1000) / 99 = 4940 / 99 = 49.9 ms;
/// - intervals of 400 ms: ten answers in each of the first four (the fortieth at 1580 ms); k = 41 …
///   49 (1940 ms) are 9; nothing until 2800 ms; the fiftieth (2980 ms) and k = 51 … 55 (3180 ms)
///   are 6; four times ten (the ninety-fifth at 4780 ms); the rest are 4.
///
/// That is for a host that is never late. A busy one is, so each figure is held against the same
/// arithmetic on the answers that came. `load` tests the exact numbers, on a scripted clock.
#[test]
fn a_stall_is_in_percentiles_and_intervals_as_arithmetic_says() {
    let server = Server::start(|nth| {
        let stall = if nth >= 49 { 1000 } else { 0 };
        Reply::RowAt(ms(40 * (u64::from(nth) + 1) - 20 + stall))
    });
    let plan = server.plan(|plan| {
        plan["phases"][0]["rounds"] = json!(99);
        plan["interval_s"] = json!(0.4);
    });
    let ran = run(&plan);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let op = &ran.summary().phases[0].ops[0];
    let answers = ran.statements();
    let mut took_ns: Vec<u64> = answers.iter().map(|s| s.elapsed_ns).collect();
    took_ns.sort_unstable();
    let near = |value_ns: u64, expected_ns: u64| {
        // A histogram has three digits.
        assert!(
            value_ns.abs_diff(expected_ns) <= expected_ns / 500,
            "{value_ns}, not {expected_ns}: {took_ns:?}"
        );
    };
    assert_eq!(op.count, 99);
    assert_eq!(op.p99_ns, op.max_ns);
    near(op.max_ns, took_ns[98]);
    near(op.p95_ns, took_ns[94]);
    near(op.p50_ns, took_ns[49]);
    near(op.mean_ns, took_ns.iter().sum::<u64>() / 99);
    // The server sends the fiftieth 1 s after it could have, however late the host is.
    assert!(answers[49].elapsed_ns == took_ns[98] && took_ns[98] > 500_000_000);
    let ends_s = |s: &&StatementEvent| s.t_s + s.elapsed_ns as f64 / 1e9;
    let mut counted = 0;
    for event in &ran.events {
        let Event::Interval(interval) = event else {
            continue;
        };
        counted += interval.ops.iter().map(|op| op.count).sum::<u64>();
        let until_s = interval.t_s + interval.duration_s;
        let within = |slack_s: f64| {
            answers
                .iter()
                .filter(|s| ends_s(s) <= until_s + slack_s)
                .count() as u64
        };
        assert!((within(-0.002)..=within(0.002)).contains(&counted));
    }
    assert_eq!(counted, 99);
}

#[test]
fn a_connection_dropped_in_mid_result_is_one_failed_op() {
    let server = Server::start(|nth| {
        if nth == 2 {
            Reply::HalfAndClose
        } else {
            Reply::Row
        }
    });
    let ran = run(&server.plan(|_| ()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.outcomes(), ["ok", "ok", "2013", "ok", "ok"]);
    let summary = ran.summary();
    assert!(summary.complete);
    assert_eq!(
        (summary.phases[0].ok, summary.phases[0].failed["2013"]),
        (4, 1)
    );
    let failed = summary.phases[0]
        .ops
        .iter()
        .find(|op| op.outcome == "failed")
        .unwrap();
    assert_eq!(failed.count, 1);
}

#[test]
fn a_malformed_packet_is_one_failed_op() {
    let server = Server::start(|nth| {
        if nth == 1 {
            Reply::Malformed
        } else {
            Reply::Row
        }
    });
    let ran = run(&server.plan(|_| ()));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.outcomes(), ["ok", "2027", "ok", "ok", "ok"]);
    assert!(ran.statements()[1]
        .error
        .as_ref()
        .unwrap()
        .message
        .starts_with("malformed"));
    assert!(ran.summary().complete);
}

#[test]
fn a_server_gone_for_good_is_exit_4_with_a_whole_summary() {
    let server = Server::start(|nth| if nth == 2 { Reply::Vanish } else { Reply::Row });
    let since = Instant::now();
    let ran = run(&server.plan(|_| ()));
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(since.elapsed() < ms(8000));
    assert_eq!(ran.outcomes(), ["ok", "ok", "2013"]);
    let summary = ran.summary();
    assert!(!summary.complete);
    let phase = &summary.phases[0];
    assert_eq!((phase.scheduled, phase.ok, phase.unfinished), (5, 2, 2));
    let fatal = ran.events.iter().find_map(|event| match event {
        Event::Error(error) if error.fatal => Some(error),
        _ => None,
    });
    assert_eq!(fatal.unwrap().scope, Scope::Connect);
    assert!(ran.stderr.starts_with("error: connection 0 was lost") && ran.stderr.contains("hint:"));
}

#[test]
fn an_op_that_takes_too_long_is_killed_and_the_run_goes_on() {
    let server = Server::start(|nth| if nth == 1 { Reply::Hang } else { Reply::Row });
    let ran = run(&server.plan(|plan| plan["timeout_s"] = json!(0.3)));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(ran.outcomes(), ["ok", "3024", "ok", "ok", "ok"]);
    let took = Duration::from_nanos(ran.statements()[1].elapsed_ns);
    assert!(took >= ms(300) && took < ms(600), "{took:?}");
}

#[test]
fn sigterm_in_mid_statement_kills_it_and_ends_with_130() {
    let server = Server::start(|nth| if nth == 1 { Reply::Hang } else { Reply::Row });
    let child = start(&server.plan(|_| ()));
    server.wait_for_hang();
    let since = Instant::now();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    let ran = finish(child);
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(since.elapsed() < ms(2000), "{:?}", since.elapsed());
    let phase = &ran.summary().phases[0];
    assert_eq!((phase.scheduled, phase.ok, phase.unfinished), (5, 1, 4));
    assert!(!ran.summary().complete);
    assert_eq!(ran.outcomes(), ["ok"]);
}

#[test]
fn sigint_ends_even_when_the_server_takes_no_kill() {
    let server = Server::start(|nth| if nth == 1 { Reply::Hang } else { Reply::Row });
    server.go_deaf();
    let child = start(&server.plan(|_| ()));
    server.wait_for_hang();
    let since = Instant::now();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGINT).unwrap();
    let ran = finish(child);
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(since.elapsed() < ms(10_000), "{:?}", since.elapsed());
    let phase = &ran.summary().phases[0];
    assert_eq!((phase.scheduled, phase.ok, phase.unfinished), (5, 1, 4));
}

#[test]
fn a_reader_that_closes_its_end_is_exit_5() {
    let server = Server::start(|_| Reply::Row);
    let plan = server.plan(|plan| plan["phases"] = json!([{"name": "measure", "duration_s": 30}]));
    let mut child = start(&plan);
    drop(child.stdout.take());
    let ran = finish(child);
    assert_eq!(ran.code, Some(5), "{}", ran.stderr);
    assert!(ran
        .stderr
        .starts_with("error: the events can't be written to standard output"));
}

#[test]
fn it_ends_with_its_parent() {
    let server = Server::start(|nth| if nth == 1 { Reply::Hang } else { Reply::Row });
    let events = server.folder.path().join("events");
    let line = format!(
        "{} run {} --events {} --die-with-parent & wait",
        env!("CARGO_BIN_EXE_dynoload"),
        server.plan(|_| ()).display(),
        events.display()
    );
    let mut shell = Command::new("sh")
        .args(["-c", &line])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    server.wait_for_hang();
    shell.kill().unwrap();
    shell.wait().unwrap();
    let since = Instant::now();
    while !fs::read_to_string(&events)
        .unwrap()
        .contains(r#""event":"summary","complete":false"#)
    {
        assert!(since.elapsed() < ms(3000), "dynoload outlives its parent");
        thread::sleep(ms(20));
    }
}
