//! Readings of the statistics: the sum over all workers, minus the values of an earlier reading.

use super::{Counter, Stats, LATENCY_BUCKETS};

/// An earlier reading, from which the next one counts.
#[derive(Debug, Clone, Default)]
pub struct Base {
    counters: [u64; 6],
    buckets: Vec<u64>,
    at_ns: u64,
}

/// A reading, as seen by reports and hooks of scripts. Times are in seconds.
#[derive(Debug, Clone, Default)]
pub struct Stat {
    pub threads_running: usize,
    pub time_interval_s: f64,
    pub time_total_s: f64,
    /// At each requested percentile.
    pub percentiles_s: Vec<f64>,
    pub events: u64,
    pub reads: u64,
    pub writes: u64,
    pub other: u64,
    pub errors: u64,
    pub reconnects: u64,
    pub queue_length: usize,
    pub concurrency: usize,
    pub latency_min_s: f64,
    pub latency_max_s: f64,
    pub latency_avg_s: f64,
    pub latency_sum_s: f64,
}

/// How evenly work was spread over the workers, since the last checkpoint.
#[derive(Debug, Clone, Default)]
pub struct Fairness {
    pub workers: Vec<Part>,
}

/// The share of one worker.
#[derive(Debug, Clone, Copy, Default)]
pub struct Part {
    pub events: u64,
    /// Time in events.
    pub sum_s: f64,
    pub min_s: f64,
    pub max_s: f64,
}

impl Stats {
    fn counters(&self) -> [u64; 6] {
        let kinds = [
            Counter::Other,
            Counter::Read,
            Counter::Write,
            Counter::Event,
            Counter::Error,
            Counter::Reconnect,
        ];
        kinds.map(|kind| self.workers.iter().map(|worker| worker.read(kind)).sum())
    }

    fn buckets(&self) -> Vec<u64> {
        let mut sum = vec![0; LATENCY_BUCKETS.count()];
        for worker in &self.workers {
            let latency = worker.latency();
            for (sum, count) in sum.iter_mut().zip(&latency.buckets) {
                *sum += count;
            }
        }
        sum
    }

    /// What has happened since `base`, which then becomes now. With the counts of the buckets.
    pub fn read(&self, base: &mut Base, now_ns: u64, percentiles: &[f64]) -> (Stat, Vec<u64>) {
        let counters = self.counters();
        let mut buckets = self.buckets();
        let next = Base {
            counters,
            buckets: buckets.clone(),
            at_ns: now_ns,
        };
        for (count, before) in buckets.iter_mut().zip(&base.buckets) {
            *count -= before;
        }
        let since = |kind: Counter| counters[kind as usize] - base.counters[kind as usize];
        let at = |percent: &f64| LATENCY_BUCKETS.percentile(&buckets, *percent) / 1e3;
        let stat = Stat {
            time_interval_s: now_ns.saturating_sub(base.at_ns) as f64 / 1e9,
            time_total_s: now_ns as f64 / 1e9,
            percentiles_s: percentiles.iter().map(at).collect(),
            events: since(Counter::Event),
            reads: since(Counter::Read),
            writes: since(Counter::Write),
            other: since(Counter::Other),
            errors: since(Counter::Error),
            reconnects: since(Counter::Reconnect),
            ..Stat::default()
        };
        *base = next;
        (stat, buckets)
    }

    /// A reading since the last checkpoint, which then becomes now: with exact latencies, each
    /// worker's share, and the counts of the buckets.
    pub fn checkpoint(
        &self,
        base: &mut Base,
        now_ns: u64,
        percentiles: &[f64],
    ) -> (Stat, Fairness, Vec<u64>) {
        let (mut stat, buckets) = self.read(base, now_ns, percentiles);
        let mut fairness = Fairness::default();
        let (mut min_ns, mut max_ns, mut sum_ns, mut count) = (u64::MAX, 0, 0, 0);
        for worker in &self.workers {
            let mut latency = worker.latency();
            min_ns = min_ns.min(latency.min_ns);
            max_ns = max_ns.max(latency.max_ns);
            sum_ns += latency.sum_ns;
            count += latency.count;
            let least = if latency.count == 0 {
                0
            } else {
                latency.min_ns
            };
            let seconds = |ns: u64| ns as f64 / 1e9;
            fairness.workers.push(Part {
                events: latency.count,
                sum_s: seconds(latency.sum_ns),
                min_s: seconds(least),
                max_s: seconds(latency.max_ns),
            });
            (latency.min_ns, latency.max_ns) = (u64::MAX, 0);
            (latency.sum_ns, latency.count) = (0, 0);
        }
        if count > 0 {
            stat.latency_min_s = min_ns as f64 / 1e9;
            stat.latency_max_s = max_ns as f64 / 1e9;
            stat.latency_sum_s = sum_ns as f64 / 1e9;
            stat.latency_avg_s = stat.latency_sum_s / count as f64;
        }
        (stat, fairness, buckets)
    }
}

impl Stat {
    /// Queries of all kinds.
    pub fn queries(&self) -> u64 {
        self.reads + self.writes + self.other
    }

    /// A count per second of the interval; 0 for an empty interval.
    pub fn per_second(&self, count: u64) -> f64 {
        if self.time_interval_s > 0.0 {
            return count as f64 / self.time_interval_s;
        }
        0.0
    }

    /// The first requested percentile; 0 if there is none.
    pub fn percentile_s(&self) -> f64 {
        self.percentiles_s.first().copied().unwrap_or_default()
    }
}

/// Average and standard deviation over all values.
pub fn spread(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count().max(1) as f64;
    let average = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - average).powi(2)).sum::<f64>() / count;
    (average, variance.sqrt())
}
