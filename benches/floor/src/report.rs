//! The line of JSON.

use clap::ValueEnum;
use serde_json::{json, Value};

use crate::options::Options;
use crate::tally::Tally;

/// What was done and what it cost; `server_cpu_s` is null unless it was requested.
pub fn line(options: &Options, all: &Tally, server_cpu_s: Option<f64>) -> Value {
    json!({
        "strategy": word(options.strategy),
        "variant": word(options.variant()),
        "loops": options.loops(),
        "connections": options.connections,
        "ops": all.ops,
        "elapsed_s": all.elapsed_s(),
        "cpu_user_s": all.usage.cpu_user_s,
        "cpu_system_s": all.usage.cpu_system_s,
        "switches_voluntary": all.usage.switches_voluntary,
        "switches_involuntary": all.usage.switches_involuntary,
        "latency_us_p50": all.latency_us(0.5),
        "latency_us_p99": all.latency_us(0.99),
        "latency_us_max": all.latency_us_max(),
        "server_cpu_s": server_cpu_s,
    })
}

/// A choice as written on the command line.
fn word(choice: impl ValueEnum) -> Option<String> {
    choice
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
}
