//! The file of `-csvstream` and its lines in the log: every `displayfreq` seconds one row per op.
//!
//! LinkBench has a row per requester; here there is one for all, with 0 as its thread. Figures
//! cover all requests, whereas LinkBench takes a sample.

use std::collections::BTreeMap;

use load::Histogram;
use workloads::event::{IntervalEvent, PhaseSummary};

use super::numbers::decimal;

/// The first line.
pub const HEADER: &str = "threadID,timestamp,op,totalops,totalerrors,ops,sampleDuration_us,\
                          sampleOps,mean_us,min_us,p25_us,p50_us,p75_us,p90_us,p95_us,p99_us,\
                          max_us\n";
/// Operations in LinkBench's order, including the one that it leaves out.
const OPS: [&str; 10] = [
    "multiget_link",
    "get_links_list",
    "count_link",
    "update_link",
    "add_link",
    "delete_link",
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
];
/// The rows of lists aren't an operation, but have a row after the operations.
const RANGE_SIZE: &str = "RANGE_SIZE";

#[derive(Default)]
struct Op {
    total: u64,
    errors: u64,
    /// Since the last row; `None` before the first one.
    sample: Option<Box<Histogram>>,
}

/// What was added since the last rows.
#[derive(Default)]
pub struct Stream {
    ops: BTreeMap<String, Op>,
    duration_s: f64,
}

/// A row for the file, and a line for the log.
pub struct Row {
    pub csv: String,
    pub line: String,
}

impl Stream {
    /// Adds an interval. It fails if a histogram can't be read.
    pub fn add(&mut self, interval: &IntervalEvent) -> Result<(), String> {
        self.duration_s += interval.duration_s;
        for one in &interval.ops {
            let op = self.ops.entry(one.op.clone()).or_default();
            op.total += one.count;
            if one.outcome != "ok" {
                op.errors += one.count;
            }
            let read = Histogram::decode(&one.histogram).map_err(|error| error.to_string())?;
            op.sample.get_or_insert_default().merge(&read);
        }
        Ok(())
    }

    /// Seconds since the last rows.
    pub fn duration_s(&self) -> f64 {
        self.duration_s
    }

    /// The rows for what was added since the last ones, with `timestamp_s` as their time.
    pub fn rows(&mut self, timestamp_s: u64) -> Vec<Row> {
        let duration_ms = (self.duration_s * 1000.0).round() as u64;
        let none = Op::default();
        let row = |name: &&str| {
            let op = self.ops.get(*name).unwrap_or(&none);
            row(&name.to_uppercase(), op, timestamp_s, duration_ms)
        };
        let rows = OPS.iter().map(row).collect();
        for op in self.ops.values_mut() {
            if let Some(sample) = &mut op.sample {
                sample.clear();
            }
        }
        self.duration_s = 0.0;
        rows
    }
}

fn row(name: &str, op: &Op, timestamp_s: u64, duration_ms: u64) -> Row {
    let (total, errors) = (op.total, op.errors);
    let Some(sample) = op.sample.as_ref().filter(|sample| sample.count() > 0) else {
        return Row {
            csv: format!("0,{timestamp_s},{name},{total},{errors},0,{duration_ms},0,,,,,,,,,\n"),
            line: format!(
                "ThreadID = 0 {name} totalops = {total} totalErrors = {errors} ops = 0 \
                 sampleDuration = {duration_ms}ms samples = 0"
            ),
        };
    };
    let (ops, mean) = (sample.count(), sample.mean_ns() as f64 / 1e3);
    let us = |quantile: f64| sample.quantile_ns(quantile) / 1000;
    let (min, max) = (sample.min_ns() / 1000, sample.max_ns() / 1000);
    let [p25, p50, p75, p90, p95, p99] = [0.25, 0.5, 0.75, 0.9, 0.95, 0.99].map(us);
    Row {
        csv: format!(
            "0,{timestamp_s},{name},{total},{errors},{ops},{duration_ms},{ops},{mean:?},{min},\
             {p25},{p50},{p75},{p90},{p95},{p99},{max}\n"
        ),
        line: format!(
            "ThreadID = 0 {name} totalOps = {total} totalErrors = {errors} ops = {ops} \
             sampleDuration = {duration_ms}ms samples = {ops} mean = {} min = {min} 25% = {p25} \
             50% = {p50} 75% = {p75} 90% = {p90} 95% = {p95} 99% = {p99} max = {max}",
            decimal(mean, 2)
        ),
    }
}

/// The row of list sizes, at the end of a phase: their number and mean. Their spread isn't known.
pub fn range_size(phase: &PhaseSummary, timestamp_s: u64) -> Option<Row> {
    let counter = |name: &str| phase.counters.get(name).copied().unwrap_or(0);
    let (lists, rows) = (counter("lists"), counter("list_rows"));
    if lists == 0 {
        return None;
    }
    let mean = rows as f64 / lists as f64;
    let duration_ms = (phase.elapsed_s * 1000.0).round() as u64;
    Some(Row {
        csv: format!(
            "0,{timestamp_s},{RANGE_SIZE},{lists},0,{lists},{duration_ms},{lists},{mean:?}\
             ,,,,,,,,\n"
        ),
        line: format!(
            "ThreadID = 0 {RANGE_SIZE} totalOps = {lists} totalErrors = 0 ops = {lists} \
             sampleDuration = {duration_ms}ms samples = {lists} mean = {}",
            decimal(mean, 2)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::event::IntervalOp;

    fn interval(ops: &[(&str, &str, &[u64])]) -> IntervalEvent {
        let ops = ops.iter().map(|&(op, outcome, latencies_us)| {
            let mut histogram = Histogram::new();
            let ns = latencies_us.iter().map(|us| us * 1000);
            ns.for_each(|latency| histogram.record(latency));
            IntervalOp {
                op: op.to_owned(),
                outcome: outcome.to_owned(),
                count: latencies_us.len() as u64,
                histogram: histogram.encode().unwrap(),
            }
        });
        IntervalEvent {
            phase: "measure".to_owned(),
            index: 0,
            t_s: 0.0,
            duration_s: 1.0,
            ops: ops.collect(),
            bins: Vec::new(),
            retries: 0,
            backlog: None,
        }
    }

    #[test]
    fn rows_have_as_many_fields_as_the_header() {
        let mut stream = Stream::default();
        let latencies: &[u64] = &[100, 200, 300];
        let of = [
            ("get_node", "ok", latencies),
            ("get_node", "failed", &[9][..]),
        ];
        stream.add(&interval(&of)).unwrap();
        stream.add(&interval(&of[..1])).unwrap();
        let rows = stream.rows(77);
        let width = HEADER.split(',').count();
        assert_eq!(width, 17);
        for row in &rows {
            assert_eq!(row.csv.split(',').count(), width, "{}", row.csv);
        }
        let node = &rows.last().unwrap();
        assert!(
            node.csv.starts_with("0,77,GET_NODE,7,1,7,2000,7,"),
            "{}",
            node.csv
        );
        assert!(rows[0].csv.starts_with("0,77,MULTIGET_LINK,0,0,0,2000,0,,"));
        assert!(rows[0]
            .line
            .ends_with("sampleDuration = 2000ms samples = 0"));
    }

    #[test]
    fn totals_grow_and_samples_start_over() {
        let mut stream = Stream::default();
        let of = [("add_link", "ok", &[1000, 2000][..])];
        stream.add(&interval(&of)).unwrap();
        stream.rows(1);
        assert!(stream.duration_s() < 0.001);
        stream.add(&interval(&[])).unwrap();
        assert!(stream.rows(2)[4]
            .csv
            .starts_with("0,2,ADD_LINK,2,0,0,1000,0,"));
        stream.add(&interval(&of)).unwrap();
        assert!(stream.rows(3)[4]
            .csv
            .starts_with("0,3,ADD_LINK,4,0,2,1000,2,"));
    }
}
