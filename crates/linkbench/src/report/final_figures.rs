//! The final figures of a phase: one log line per operation, and the rows of `-csvstats`.

use load::Histogram;
use workloads::event::PhaseSummary;

use super::buckets::{of_percentile, PERCENTILES};
use super::numbers::{bound, decimal};

/// Operations in LinkBench's order.
const OPS: [&str; 10] = [
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_links_list",
];

/// One operation: its completed requests.
pub struct Figures {
    op: String,
    count: u64,
    max_ms: f64,
    mean_ms: f64,
    /// In microseconds, for each of [`PERCENTILES`].
    buckets: Vec<(u64, u64)>,
}

/// The operations that occurred in a phase. It fails if a histogram can't be read.
pub fn figures(phase: &PhaseSummary) -> Result<Vec<Figures>, String> {
    let mut all = Vec::new();
    for name in OPS {
        let done = phase.ops.iter();
        let mut done = done.filter(|op| op.op == name && op.outcome == "ok");
        let Some(op) = done.next() else { continue };
        let latencies = Histogram::decode(&op.histogram).map_err(|error| error.to_string())?;
        all.push(Figures {
            op: name.to_uppercase(),
            count: op.count,
            max_ms: op.max_ns as f64 / 1e6,
            mean_ms: op.mean_ns as f64 / 1e6,
            buckets: PERCENTILES
                .iter()
                .map(|&percentile| of_percentile(&latencies, percentile))
                .collect(),
        });
    }
    Ok(all)
}

/// A line of the log.
pub fn line(figures: &Figures) -> String {
    let mut text = format!("{} count = {} ", figures.op, figures.count);
    for (percentile, (low, high)) in PERCENTILES.iter().zip(&figures.buckets) {
        let (low, high) = (bound(*low), bound(*high));
        text.push_str(&format!(" p{percentile} = [{low},{high}]ms "));
    }
    let (max, mean) = (decimal(figures.max_ms, 3), decimal(figures.mean_ms, 3));
    text.push_str(&format!(" max = {max}ms  mean = {mean}ms"));
    text
}

/// The first line of `-csvstats`.
pub fn header() -> String {
    let mut text = "op,count".to_owned();
    for percentile in PERCENTILES {
        text.push_str(&format!(",p{percentile}_low,p{percentile}_high"));
    }
    text.push_str(",max,mean\n");
    text
}

/// The rows of `-csvstats`.
pub fn csv(all: &[Figures]) -> String {
    let mut text = String::new();
    for figures in all {
        text.push_str(&format!("{},{}", figures.op, figures.count));
        for (low, high) in &figures.buckets {
            text.push_str(&format!(",{},{}", bound(*low), bound(*high)));
        }
        let (max, mean) = (decimal(figures.max_ms, 2), decimal(figures.mean_ms, 2));
        text.push_str(&format!(",{max},{mean}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Figures {
        Figures {
            op: "ADD_LINK".to_owned(),
            count: 899,
            max_ms: 12.3456,
            mean_ms: 0.5,
            buckets: vec![
                (100, 200),
                (900, 1_000),
                (1_000, 2_000),
                (99_000, 100_000),
                (100_000, 200_000),
            ],
        }
    }

    #[test]
    fn a_line_is_laid_out_as_linkbench_does() {
        assert_eq!(
            line(&some()),
            "ADD_LINK count = 899  p25 = [0.1,0.2]ms  p50 = [0.9,1]ms  p75 = [1,2]ms  \
             p95 = [99,100]ms  p99 = [100,200]ms  max = 12.346ms  mean = 0.5ms"
        );
    }

    #[test]
    fn rows_have_the_columns_of_the_header() {
        let text = header() + &csv(&[some()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "op,count,p25_low,p25_high,p50_low,p50_high,p75_low,p75_high,p95_low,p95_high,\
             p99_low,p99_high,max,mean"
        );
        assert_eq!(
            lines[1],
            "ADD_LINK,899,0.1,0.2,0.9,1,1,2,99,100,100,200,12.35,0.5"
        );
    }
}
