//! The log and the files of a run with made-up events.

use load::Histogram;
use std::collections::BTreeMap;
use workloads::event::{
    Client, Hello, IntervalEvent, IntervalOp, PhaseEvent, PhaseState, Summary, SummaryOp,
};

use super::*;
use crate::config::settings_of;
use crate::log::Level;

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn new() -> Files {
        let folder = tempfile::tempdir().unwrap();
        Files { folder }
    }

    fn report(&self, more: &str) -> Report {
        let path = |name: &str| Some(self.folder.path().join(name));
        let arguments = Arguments {
            csv_stats: path("stats"),
            csv_stream: path("stream"),
            ..Arguments::default()
        };
        let log = Log::open(Level::Info, path("log").as_deref()).unwrap();
        let out = Out::open(log, &arguments).unwrap();
        Report::new(out, &settings_of(more))
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// The text of the log entries.
    fn log(&self) -> Vec<String> {
        let text = self.read("log");
        let words = |line: &str| line.split_once("[main]: ").map(|parts| parts.1.to_owned());
        text.lines().filter_map(words).collect()
    }
}

fn phase(name: &str, state: PhaseState, t_s: f64) -> Event {
    Event::Phase(PhaseEvent {
        phase: name.to_owned(),
        state,
        t_s,
        late_ns: None,
        table: None,
        rows: None,
        rows_total: None,
    })
}

fn progress(table: &str, rows: u64, total: u64, t_s: f64) -> Event {
    Event::Phase(PhaseEvent {
        phase: "load".to_owned(),
        state: PhaseState::Progress,
        t_s,
        late_ns: None,
        table: Some(table.to_owned()),
        rows: Some(rows),
        rows_total: Some(total),
    })
}

fn latencies(count: u64) -> Histogram {
    let mut histogram = Histogram::new();
    (0..count).for_each(|_| histogram.record(250_000));
    histogram
}

fn interval(name: &str, index: u64, ok: u64, failed: u64) -> Event {
    let op = |outcome: &str, count| IntervalOp {
        op: "get_node".to_owned(),
        outcome: outcome.to_owned(),
        count,
        histogram: latencies(count).encode().unwrap(),
    };
    let ops = [op("ok", ok), op("failed", failed)];
    Event::Interval(IntervalEvent {
        phase: name.to_owned(),
        index,
        t_s: index as f64,
        duration_s: 1.0,
        ops: ops.into_iter().filter(|op| op.count > 0).collect(),
        bins: Vec::new(),
        retries: 0,
        backlog: None,
    })
}

fn hello() -> Event {
    let mut hello = Hello::now(None);
    hello.unix_ms = 1_000_000;
    Event::Hello(hello)
}

fn summary(phase: PhaseSummary, complete: bool) -> Event {
    Event::Summary(Summary {
        complete,
        phases: vec![phase],
        client: Client {
            cpu_user_s: 0.0,
            cpu_system_s: 0.0,
            max_rss_bytes: 0,
            bytes_sent: 0,
            bytes_received: 0,
        },
    })
}

fn measured(ok: u64, failed: u64, elapsed_s: f64) -> PhaseSummary {
    let mut measured = PhaseSummary::of_load("measure", (elapsed_s * 1e9) as u64);
    (measured.scheduled, measured.ok) = (ok + failed, ok);
    measured.failed = BTreeMap::from([("1205".to_owned(), failed)]);
    measured.ops = vec![SummaryOp {
        op: "get_node".to_owned(),
        outcome: "ok".to_owned(),
        count: ok,
        min_ns: 250_000,
        max_ns: 250_000,
        mean_ns: 250_000,
        p50_ns: 250_000,
        p95_ns: 250_000,
        p99_ns: 250_000,
        p999_ns: 250_000,
        histogram: latencies(ok).encode().unwrap(),
    }];
    let counters = [("lists", 4), ("list_rows", 10), ("history_lists", 1)];
    let more = [("multiget_ids", 7), ("multiget_rows", 5)];
    let counters = counters.into_iter().chain(more);
    measured.counters = counters.map(|(name, n)| (name.to_owned(), n)).collect();
    measured
}

fn heard(report: &mut Report, events: &[Event]) -> Heard {
    let heard = events.iter().map(|event| report.hear(event).unwrap());
    heard.last().unwrap()
}

#[test]
fn a_load_is_heard() {
    let files = Files::new();
    let mut report = files.report("maxid1=1001\nload_progress_interval=1000");
    let loaded = PhaseSummary::of_load("load", 2_000_000_000);
    let events = [
        hello(),
        phase("load", PhaseState::Begin, 1.0),
        progress("nodetable", 1000, 1000, 1.5),
        progress("linktable", 900, 4000, 1.6),
        progress("linktable", 2000, 4000, 2.0),
        progress("linktable", 4000, 4000, 3.0),
        progress("linktable", 4000, 4000, 3.0),
        summary(loaded, true),
    ];
    heard(&mut report, &events);
    assert_eq!(
        files.log(),
        [
            "500/1000 id1s loaded (50.0% complete) at 500.00 id1s/sec avg. 2000 links loaded at \
             2000.00 links/sec avg.",
            "1000/1000 id1s loaded (100.0% complete) at 500.00 id1s/sec avg. 4000 links loaded at \
             2000.00 links/sec avg.",
            "LOAD PHASE COMPLETED.  Loaded 1000 nodes (Expected 1000). Loaded 4000 links (4.00 \
             links per node).  Took 2.0 seconds.  Links/second = 2000",
        ]
    );
}

#[test]
fn requests_are_heard() {
    let files = Files::new();
    let more = "requesters=2\nrequests=1000\nmaxtime=10\nwarmup_time=1\nprogressfreq=2\n\
                displayfreq=2\nreq_progress_interval=1000";
    let mut report = files.report(more);
    let events = [
        hello(),
        phase("warmup", PhaseState::Begin, 0.0),
        interval("warmup", 0, 300, 0),
        phase("warmup", PhaseState::End, 1.0),
        phase("measure", PhaseState::Begin, 1.0),
        interval("measure", 1, 500, 0),
        interval("measure", 2, 600, 0),
        interval("measure", 3, 100, 0),
        phase("measure", PhaseState::End, 4.0),
        summary(measured(1200, 0, 3.0), true),
    ];
    assert_eq!(heard(&mut report, &events), Heard::GoOn);
    let log = files.log();
    let found = |text: &str| assert!(log.iter().any(|line| line == text), "{text}\n{log:#?}");
    found("All requesters: warmup finished after 300 warmup requests.  0/2000 requests done");
    found(
        "1100/2000 requests finished: 55.0% complete at 550.0 ops/sec 2.0/10 secs elapsed: 20.0% \
         of time limit used",
    );
    found("All requesters: 1100/2000 requests done");
    found(
        "ThreadID = 0 total requests = 1200 requests/second = 400 found = 5 not found = 2 \
         history queries = 1/4",
    );
    found(
        "GET_NODE count = 1200  p25 = [0.2,0.3]ms  p50 = [0.2,0.3]ms  p75 = [0.2,0.3]ms  \
         p95 = [0.2,0.3]ms  p99 = [0.2,0.3]ms  max = 0.25ms  mean = 0.25ms",
    );
    assert_eq!(
        log.last().unwrap(),
        "REQUEST PHASE COMPLETED. 1200 requests done in 3 seconds. Requests/second = 400"
    );
    let stream = files.read("stream");
    let nodes: Vec<&str> = stream
        .lines()
        .filter(|row| row.contains("GET_NODE"))
        .collect();
    assert!(
        nodes[0].starts_with("0,1003,GET_NODE,1100,0,1100,2000,1100,"),
        "{nodes:?}"
    );
    assert!(
        nodes[1].starts_with("0,1004,GET_NODE,1200,0,100,1000,100,"),
        "{nodes:?}"
    );
    assert!(stream.ends_with("0,1004,RANGE_SIZE,4,0,4,3000,4,2.5,,,,,,,,\n"));
    assert!(files
        .read("stats")
        .ends_with("\nGET_NODE,1200,0.2,0.3,0.2,0.3,0.2,0.3,0.2,0.3,0.2,0.3,0.25,0.25\n"));
}

#[test]
fn too_many_failures_stop_the_run() {
    let files = Files::new();
    let mut report = files.report("max_failed_requests=5\nrequesters=3");
    let before = [hello(), interval("warmup", 0, 1, 5)];
    assert_eq!(heard(&mut report, &before), Heard::GoOn);
    let after = [
        interval("measure", 1, 10, 1),
        summary(measured(10, 1, 1.0), false),
    ];
    assert_eq!(heard(&mut report, &after), Heard::Stop);
    let log = files.log();
    let end = log.len() - 2;
    assert!(log[end].starts_with("REQUEST PHASE INTERRUPTED. 11 requests done in 1 seconds."));
    assert!(log[end + 1].contains("3/3 request threads aborted after 6 failed requests"));
    let mut patient = files.report("max_failed_requests=-1");
    assert_eq!(
        heard(&mut patient, &[interval("measure", 0, 1, 9)]),
        Heard::GoOn
    );
}

/// A text with every number replaced by `0`, and without doubled blanks.
fn shape(text: &str) -> String {
    let mut shape = String::new();
    let mut in_number = false;
    for letter in text.chars() {
        let is_of_number = letter.is_ascii_digit() || (in_number && letter == '.');
        match (is_of_number, in_number) {
            (true, false) => shape.push('0'),
            (true, true) => {}
            (false, _) => shape.push(letter),
        }
        in_number = is_of_number;
    }
    shape
}

fn shapes(text: &str) -> Vec<String> {
    text.lines().map(shape).collect()
}

#[test]
fn lines_and_rows_have_the_shape_of_linkbench_s_own() {
    let files = Files::new();
    let mut report = files.report("maxid1=2001\ndisplayfreq=1");
    let loaded = PhaseSummary::of_load("load", 2_000_000_000);
    let events = [
        hello(),
        phase("load", PhaseState::Begin, 0.0),
        progress("nodetable", 2000, 2000, 1.0),
        progress("linktable", 4000, 4000, 2.0),
        summary(loaded, true),
        hello(),
        phase("measure", PhaseState::Begin, 0.0),
        interval("measure", 0, 7, 0),
        interval("measure", 1, 0, 0),
        summary(measured(7, 0, 2.5), true),
    ];
    heard(&mut report, &events);
    let log = shapes(&files.read("log"));
    let theirs = include_str!("../../../../tests/golden/linkbench/load.log");
    for line in shapes(theirs) {
        assert!(log.contains(&line), "{line}\n{log:#?}");
    }
    let theirs = include_str!("../../../../tests/golden/linkbench/request.log");
    for line in shapes(theirs) {
        if line.contains("GET_NODE") || line.contains("PHASE") {
            assert!(log.contains(&line), "{line}\n{log:#?}");
        }
    }
    for line in shapes(include_str!(
        "../../../../tests/golden/linkbench/stream.log"
    )) {
        let line = line.replace("LOAD_COUNTS_BULK", "GET_NODE");
        if line.contains("GET_NODE") {
            assert!(log.contains(&line), "{line}\n{log:#?}");
        }
    }
    let stream = shapes(&files.read("stream"));
    for row in shapes(include_str!(
        "../../../../tests/golden/linkbench/stream.csv"
    )) {
        let row = row.replace("LOAD_COUNTS_BULK", "GET_NODE");
        if row.starts_with("threadID") || row.contains("GET_NODE") {
            assert!(stream.contains(&row), "{row}\n{stream:#?}");
        }
    }
    let stats = shapes(&files.read("stats"));
    let theirs = include_str!("../../../../tests/golden/linkbench/stats.csv");
    for row in shapes(theirs) {
        if row.starts_with("op,") || row.contains("GET_NODE") {
            assert!(stats.contains(&row), "{row}\n{stats:#?}");
        }
    }
}
