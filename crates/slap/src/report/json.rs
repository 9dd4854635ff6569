//! A cell as a JSON object on one line. Described in docs/reference/slap.md.

use std::time::Duration;

use load::Histogram;
use serde::Serialize;

use super::statistics::{rate, Spread};
use super::{Iteration, Results};

/// Increased when a field changes its meaning.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Line<'a> {
    schema: u32,
    engine: Option<&'a str>,
    load_type: &'a str,
    clients: usize,
    queries_per_client: u64,
    time_s: Option<Times>,
    load_s: Option<Times>,
    statements: u64,
    statements_per_s: Option<f64>,
    connect_retries: u64,
    latency_us: Option<Latencies>,
    iterations: Vec<One>,
}

#[derive(Serialize)]
struct Times {
    mean: f64,
    stddev: Option<f64>,
    min: f64,
    max: f64,
}

#[derive(Serialize)]
struct Latencies {
    mean: f64,
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
}

#[derive(Serialize)]
struct One {
    time_s: f64,
    connect_s: f64,
    run_s: f64,
    close_s: f64,
    load_s: Option<f64>,
    statements: u64,
    statements_per_s: Option<f64>,
    client_cpu_s: Option<f64>,
}

/// The object.
pub fn line(results: &Results) -> String {
    let timed = || results.iterations.iter().map(|one| &one.timed);
    let statements = timed().map(|one| one.statements).sum();
    let total: Duration = timed().map(|one| one.total).sum();
    let line = Line {
        schema: SCHEMA,
        engine: results.engine.as_deref(),
        load_type: &results.load_type,
        clients: results.clients,
        queries_per_client: results.queries_per_client(),
        time_s: times(timed().map(|one| one.total)),
        load_s: times(results.iterations.iter().filter_map(|one| one.load)),
        statements,
        statements_per_s: rate(statements, total).map(rounded),
        connect_retries: timed().map(|one| one.connect_retries).sum(),
        latency_us: micros(&results.latency),
        iterations: results.iterations.iter().map(one).collect(),
    };
    // Numbers and strings under fixed names can always be written.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}

fn one(iteration: &Iteration) -> One {
    let timed = &iteration.timed;
    let seconds = |time: Duration| rounded(time.as_secs_f64());
    One {
        time_s: seconds(timed.total),
        connect_s: seconds(timed.connect),
        run_s: seconds(timed.run),
        close_s: seconds(timed.close),
        load_s: iteration.load.map(seconds),
        statements: timed.statements,
        statements_per_s: rate(timed.statements, timed.total).map(rounded),
        client_cpu_s: timed.client_cpu_s.map(rounded),
    }
}

fn times(times: impl Iterator<Item = Duration>) -> Option<Times> {
    Spread::of(times).map(|spread| Times {
        mean: rounded(spread.mean_s),
        stddev: spread.stddev_s.map(rounded),
        min: rounded(spread.min_s),
        max: rounded(spread.max_s),
    })
}

fn micros(latencies: &Histogram) -> Option<Latencies> {
    let us = |ns: u64| ns as f64 / 1e3;
    (latencies.count() > 0).then(|| Latencies {
        mean: us(latencies.mean_ns()),
        p50: us(latencies.quantile_ns(0.5)),
        p95: us(latencies.quantile_ns(0.95)),
        p99: us(latencies.quantile_ns(0.99)),
        max: us(latencies.max_ns()),
    })
}

/// Rounded to the microsecond.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
