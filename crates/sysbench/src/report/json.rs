//! The final report as JSON: one object, units in its keys.

use serde_json::{json, Map, Value};

use super::Final;
use crate::stats::spread;

/// The report as one object, over several lines.
pub fn json(report: &Final<'_>) -> String {
    let stat = report.stat;
    let mut percentiles = Map::new();
    for (percent, seconds) in report.settings.percentiles.iter().zip(&stat.percentiles_s) {
        percentiles.insert(percent.to_string(), json!(seconds * 1e3));
    }
    let workers = &report.fairness.workers;
    let events = spread(workers.iter().map(|worker| worker.events as f64));
    let times = spread(workers.iter().map(|worker| worker.sum_s));
    let mut object = json!({
        "threads": report.settings.threads,
        "time_total_s": stat.time_total_s,
        "time_interval_s": stat.time_interval_s,
        "events": stat.events,
        "events_per_s": stat.per_second(stat.events),
        "latency_ms": {
            "min": stat.latency_min_s * 1e3,
            "avg": stat.latency_avg_s * 1e3,
            "max": stat.latency_max_s * 1e3,
            "sum": stat.latency_sum_s * 1e3,
            "percentiles": percentiles,
        },
        "fairness": {
            "events_avg": events.0,
            "events_stddev": events.1,
            "execution_time_avg_s": times.0,
            "execution_time_stddev_s": times.1,
        },
    });
    if report.uses_sql {
        object["queries"] = json!({
            "read": stat.reads,
            "write": stat.writes,
            "other": stat.other,
            "total": stat.queries(),
            "per_s": stat.per_second(stat.queries()),
            "ignored_errors": stat.errors,
            "reconnects": stat.reconnects,
        });
    }
    pretty(&object)
}

fn pretty(object: &Value) -> String {
    format!("{object:#}\n")
}
