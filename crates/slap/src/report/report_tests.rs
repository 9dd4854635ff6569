//! Reports byte for byte, as mysqlslap printed them.

use load::Histogram;
use serde_json::{json, Value};

use super::*;

fn iteration(total_us: u64, statements: u64) -> Iteration {
    Iteration {
        load: Some(Duration::from_millis(7)),
        timed: Timed {
            total: Duration::from_micros(total_us),
            connect: Duration::from_micros(total_us - 20),
            run: Duration::from_micros(15),
            close: Duration::from_micros(5),
            statements,
            connect_retries: 1,
            client_cpu_s: Some(0.25),
        },
    }
}

fn results(engine: Option<&str>) -> Results {
    Results {
        engine: engine.map(str::to_owned),
        load_type: "mixed".to_owned(),
        clients: 2,
        shown: 100,
        is_timed: false,
        iterations: vec![iteration(25_999, 100), iteration(28_000, 100)],
        latency: {
            let mut latency = Histogram::new();
            (1..=100).for_each(|n| latency.record(n * 1_000_000));
            latency
        },
    }
}

#[test]
fn a_block_is_mysqlslaps() {
    let lines = "\tAverage number of seconds to run all queries: 0.026 seconds\n\
        \tMinimum number of seconds to run all queries: 0.025 seconds\n\
        \tMaximum number of seconds to run all queries: 0.028 seconds\n\
        \tNumber of clients running queries: 2\n\
        \tAverage number of queries per client: 100\n\n";
    assert_eq!(
        text::block(&results(None), false),
        format!("Benchmark\n{lines}")
    );
    assert_eq!(
        text::block(&results(Some("innodb")), false),
        format!("Benchmark\n\tRunning for engine innodb\n{lines}")
    );
}

#[test]
fn a_long_block_begins_as_the_short_one() {
    let (short, long) = (
        text::block(&results(None), false),
        text::block(&results(None), true),
    );
    let begin = short.trim_end();
    let more = long.strip_prefix(begin).unwrap();
    for line in [
        "\tStandard deviation of the time: 0.001415 seconds",
        "\tAverage time to load: 0.007000 seconds",
        "\tStatements run: 200",
        "\tStatements per second: 3703.8",
        "\tLatency p50: 50.",
        "\tLatency maximum: 100.000 ms",
    ] {
        assert!(more.contains(line), "{line} in {more}");
    }
    assert!(long.ends_with("ms\n\n"));
}

#[test]
fn a_line_of_csv_is_mysqlslaps() {
    assert_eq!(
        csv::line(&results(None)),
        ",mixed,0.026,0.025,0.028,2,100\n"
    );
    assert_eq!(
        csv::line(&results(Some("memory"))),
        "memory,mixed,0.026,0.025,0.028,2,100\n"
    );
    let long = Results {
        iterations: vec![iteration(61_002_345, 1)],
        ..results(None)
    };
    assert_eq!(csv::line(&long), ",mixed,61.002,61.002,61.002,2,100\n");
}

#[test]
fn with_a_limit_of_time_the_statements_are_counted() {
    let timed = Results {
        shown: 0,
        is_timed: true,
        ..results(None)
    };
    assert!(csv::line(&timed).ends_with(",2,50\n"));
}

#[test]
fn json_tells_it_all() {
    let line: Value = serde_json::from_str(&json::line(&results(Some("innodb")))).unwrap();
    assert_eq!(line["engine"], "innodb");
    assert_eq!(
        (&line["clients"], &line["statements"]),
        (&json!(2), &json!(200))
    );
    assert_eq!(line["time_s"]["min"], 0.025_999);
    assert_eq!(line["iterations"].as_array().unwrap().len(), 2);
    assert_eq!(line["iterations"][0]["load_s"], 0.007);
    assert_eq!(line["connect_retries"], 2);
    assert_eq!(line["latency_us"]["max"], 100_000.0);
    let p50 = line["latency_us"]["p50"].as_f64().unwrap();
    assert!((p50 / 50_000.0 - 1.0).abs() < 0.01, "{p50}");
}

#[test]
fn what_is_missing_is_null_and_no_zero() {
    let mut nothing = results(None);
    nothing.latency = Histogram::new();
    nothing.iterations = vec![Iteration {
        load: None,
        ..iteration(1_000, 0)
    }];
    let line: Value = serde_json::from_str(&json::line(&nothing)).unwrap();
    for key in ["engine", "load_s", "latency_us"] {
        assert!(line[key].is_null(), "{key}");
    }
    assert!(line["time_s"]["stddev"].is_null());
    assert!(text::block(&nothing, true).contains("\tLatency p50: -\n"));
}
