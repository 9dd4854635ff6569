//! Figures over the iterations of a cell.

use std::time::Duration;

use super::Results;

/// Milliseconds as in mysqlslap: integers, truncated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Millis {
    /// The truncated mean of truncated milliseconds.
    pub average: u64,
    /// The shortest.
    pub minimum: u64,
    /// The longest.
    pub maximum: u64,
}

impl Millis {
    /// For all iterations.
    pub fn of(results: &Results) -> Millis {
        let times = results.iterations.iter();
        let times: Vec<u64> = times
            .map(|one| one.timed.total.as_millis() as u64)
            .collect();
        let sum: u64 = times.iter().sum();
        Millis {
            average: sum / times.len().max(1) as u64,
            minimum: times.iter().copied().min().unwrap_or(0),
            maximum: times.iter().copied().max().unwrap_or(0),
        }
    }
}

/// Milliseconds as written by mysqlslap.
pub fn seconds(millis: u64) -> String {
    format!("{}.{:03}", millis / 1000, millis % 1000)
}

/// Mean and spread in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The arithmetic mean.
    pub mean_s: f64,
    /// The sample standard deviation; `None` for one value.
    pub stddev_s: Option<f64>,
    /// The shortest.
    pub min_s: f64,
    /// The longest.
    pub max_s: f64,
}

impl Spread {
    /// `None` if there is no value.
    pub fn of(times: impl Iterator<Item = Duration>) -> Option<Spread> {
        let times: Vec<f64> = times.map(|time| time.as_secs_f64()).collect();
        let count = times.len() as f64;
        if times.is_empty() {
            return None;
        }
        let mean_s = times.iter().sum::<f64>() / count;
        let squares: f64 = times.iter().map(|time| (time - mean_s).powi(2)).sum();
        Some(Spread {
            mean_s,
            stddev_s: (times.len() > 1).then(|| (squares / (count - 1.0)).sqrt()),
            min_s: times.iter().copied().fold(f64::INFINITY, f64::min),
            max_s: times.iter().copied().fold(0.0, f64::max),
        })
    }
}

/// How many per second; `None` if the time is zero.
pub fn rate(count: u64, time: Duration) -> Option<f64> {
    let seconds = time.as_secs_f64();
    (seconds > 0.0).then(|| count as f64 / seconds)
}
