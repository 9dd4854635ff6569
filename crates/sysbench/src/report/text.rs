//! Reports as text, in the layout of sysbench 1.0, which programs parse.

use crate::options::{Limit, Settings};
use crate::stats::{spread, Fairness, Stat, LATENCY_BUCKETS};

/// What is printed before the threads are started.
pub fn banner(settings: &Settings) -> String {
    let mut banner = format!(
        "Running the test with following options:\nNumber of threads: {}\n",
        settings.threads
    );
    let mut add = |is_shown: bool, line: String| {
        if is_shown {
            banner += &line;
            banner.push('\n');
        }
    };
    let (warmup_s, rate) = (settings.warmup_s, settings.rate);
    let interval_s = settings.report_interval_s;
    add(warmup_s > 0, format!("Warmup time: {warmup_s}s"));
    add(rate > 0, format!("Target transaction rate: {rate}/sec"));
    add(
        interval_s > 0,
        format!("Report intermediate results every {interval_s} second(s)"),
    );
    let checkpoints: Vec<String> = settings.checkpoints_s.iter().map(u64::to_string).collect();
    add(
        !checkpoints.is_empty(),
        format!("Report checkpoint(s) at {} seconds", checkpoints.join(", ")),
    );
    add(settings.is_debug, "Debug mode enabled.\n".to_owned());
    add(settings.validates, "Validation checks: on.\n".to_owned());
    let seed = match settings.seed {
        0 => "Initializing random number generator from current time\n".to_owned(),
        seed => format!("Initializing random number generator from seed ({seed}).\n"),
    };
    add(true, seed);
    match settings.forced {
        Limit::At(second) => add(true, format!("Forcing shutdown in {second} seconds")),
        Limit::Off => {}
    }
    banner.push('\n');
    banner
}

/// The line of an interval; without a database it is shorter.
pub fn interval(stat: &Stat, percentile: f64, uses_sql: bool) -> String {
    let (time_s, threads) = (stat.time_total_s, stat.threads_running);
    let (tps, latency_ms) = (stat.per_second(stat.events), stat.percentile_s() * 1e3);
    if !uses_sql {
        return format!(
            "[ {time_s:.0}s ] thds: {threads} eps: {tps:.2} lat (ms,{percentile}%): \
             {latency_ms:.2}\n"
        );
    }
    format!(
        "[ {time_s:.0}s ] thds: {threads} tps: {tps:.2} qps: {:.2} (r/w/o: {:.2}/{:.2}/{:.2}) \
         lat (ms,{percentile}%): {latency_ms:.2} err/s: {:.2} reconn/s: {:.2}\n",
        stat.per_second(stat.queries()),
        stat.per_second(stat.reads),
        stat.per_second(stat.writes),
        stat.per_second(stat.other),
        stat.per_second(stat.errors),
        stat.per_second(stat.reconnects),
    )
}

/// The line below it in a run with a rate.
pub fn queue(stat: &Stat, uses_sql: bool) -> String {
    let comma = if uses_sql { "," } else { "" };
    format!(
        "[ {:.0}s ] queue length: {}{comma} concurrency: {}\n",
        stat.time_total_s, stat.queue_length, stat.concurrency
    )
}

/// The final report, or that of a checkpoint.
#[derive(Debug)]
pub struct Final<'a> {
    pub settings: &'a Settings,
    pub stat: &'a Stat,
    pub fairness: &'a Fairness,
    pub buckets: &'a [u64],
    pub uses_sql: bool,
}

impl Final<'_> {
    /// The picture of all latencies.
    pub fn histogram(&self) -> String {
        LATENCY_BUCKETS.picture(self.buckets)
    }

    /// All of it except the histogram.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.uses_sql {
            text += &self.sql();
        }
        text += &format!(
            "\nGeneral statistics:\n    total time:                          {:.4}s\n    total \
             number of events:              {}\n",
            self.stat.time_total_s, self.stat.events
        );
        text += &self.latency();
        text += &self.fairness();
        if self.settings.is_debug {
            text += &self.threads();
        }
        text
    }

    fn sql(&self) -> String {
        let stat = self.stat;
        let mut text = "SQL statistics:\n    queries performed:\n".to_owned();
        let kinds = [
            ("read:", stat.reads),
            ("write:", stat.writes),
            ("other:", stat.other),
            ("total:", stat.queries()),
        ];
        for (kind, count) in kinds {
            text += &format!("        {kind:<33}{count}\n");
        }
        let rates = [
            ("transactions:", stat.events),
            ("queries:", stat.queries()),
            ("ignored errors:", stat.errors),
            ("reconnects:", stat.reconnects),
        ];
        for (kind, count) in rates {
            let rate = stat.per_second(count);
            text += &format!("    {kind:<37}{count:<6} ({rate:.2} per sec.)\n");
        }
        text
    }

    fn latency(&self) -> String {
        let stat = self.stat;
        let line = |label: &str, seconds: f64| {
            let width = 53 - label.len();
            format!("{label}{:>width$.2}\n", seconds * 1e3)
        };
        let mut text = "\nLatency (ms):\n".to_owned();
        text += &line("         min:", stat.latency_min_s);
        text += &line("         avg:", stat.latency_avg_s);
        text += &line("         max:", stat.latency_max_s);
        if self.settings.percentiles.is_empty() {
            text += "         percentile stats:               disabled\n";
        }
        for (percent, seconds) in self.settings.percentiles.iter().zip(&stat.percentiles_s) {
            text += &line(&format!("{percent:>11}th percentile:"), *seconds);
        }
        text + &line("         sum:", stat.latency_sum_s)
    }

    fn fairness(&self) -> String {
        let workers = &self.fairness.workers;
        let events = spread(workers.iter().map(|worker| worker.events as f64));
        let times = spread(workers.iter().map(|worker| worker.sum_s));
        format!(
            "\nThreads fairness:\n    events (avg/stddev):           {:.4}/{:3.2}\n    execution \
             time (avg/stddev):   {:.4}/{:3.2}\n\n",
            events.0, events.1, times.0, times.1
        )
    }

    fn threads(&self) -> String {
        let mut text = "DEBUG: Verbose per-thread statistics:\n\n".to_owned();
        for (number, worker) in self.fairness.workers.iter().enumerate() {
            let average_s = worker.sum_s / worker.events.max(1) as f64;
            text += &format!(
                "DEBUG:     thread #{number:>3}: min: {:.4}s  avg: {average_s:.4}s  max: {:.4}s  \
                 events: {}\nDEBUG:                  total time taken by event execution: {:.4}s\n",
                worker.min_s, worker.max_s, worker.events, worker.sum_s
            );
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests;
