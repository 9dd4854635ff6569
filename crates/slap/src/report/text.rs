//! A cell as mysqlslap's block of text; more lines only follow if requested.

use std::fmt::Write;
use std::time::Duration;

use super::statistics::{rate, seconds, Millis, Spread};
use super::Results;

/// The block.
pub fn block(results: &Results, is_long: bool) -> String {
    let times = Millis::of(results);
    let mut out = String::from("Benchmark\n");
    let mut line = |text: String| {
        out.push('\t');
        out.push_str(&text);
        out.push('\n');
    };
    if let Some(engine) = &results.engine {
        line(format!("Running for engine {engine}"));
    }
    for (what, time) in [
        ("Average", times.average),
        ("Minimum", times.minimum),
        ("Maximum", times.maximum),
    ] {
        let time = seconds(time);
        line(format!(
            "{what} number of seconds to run all queries: {time} seconds"
        ));
    }
    line(format!(
        "Number of clients running queries: {}",
        results.clients
    ));
    let each = results.queries_per_client();
    line(format!("Average number of queries per client: {each}"));
    if is_long {
        long(results).lines().for_each(|text| line(text.to_owned()));
    }
    out.push('\n');
    out
}

/// What mysqlslap doesn't report.
fn long(results: &Results) -> String {
    let mut out = String::new();
    let mut line = |what: &str, text: Option<String>| {
        let text = text.unwrap_or_else(|| "-".to_owned());
        // Writing into a String can't fail.
        let _ = writeln!(out, "{what}: {text}");
    };
    let timed = || results.iterations.iter().map(|one| &one.timed);
    let spread = Spread::of(timed().map(|one| one.total));
    let time = |seconds: f64| format!("{seconds:.6} seconds");
    line(
        "Standard deviation of the time",
        spread.and_then(|spread| spread.stddev_s).map(time),
    );
    let connect = Spread::of(timed().map(|one| one.connect));
    let run = Spread::of(timed().map(|one| one.run));
    let close = Spread::of(timed().map(|one| one.close));
    for (what, spread) in [("connect", connect), ("run", run), ("close", close)] {
        let mean = spread.map(|spread| time(spread.mean_s));
        line(&format!("Average time to {what}"), mean);
    }
    let loads = results.iterations.iter().filter_map(|one| one.load);
    line(
        "Average time to load",
        Spread::of(loads).map(|spread| time(spread.mean_s)),
    );
    let statements: u64 = timed().map(|one| one.statements).sum();
    line("Statements run", Some(statements.to_string()));
    let total: Duration = timed().map(|one| one.total).sum();
    let rate = rate(statements, total);
    line(
        "Statements per second",
        rate.map(|rate| format!("{rate:.1}")),
    );
    let all = &results.latency;
    for (name, quantile) in [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("maximum", 1.0)] {
        let found = (all.count() > 0).then(|| all.quantile_ns(quantile) as f64 / 1e6);
        let text = found.map(|latency_ms| format!("{latency_ms:.3} ms"));
        line(&format!("Latency {name}"), text);
    }
    out
}
