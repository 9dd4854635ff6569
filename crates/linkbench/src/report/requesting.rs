//! The lines and rows of the request phase, with its warm-up.

use std::io;

use workloads::event::{IntervalEvent, PhaseEvent, PhaseState, PhaseSummary};

use super::stream::{range_size, Stream};
use super::Out;
use crate::config::Settings;

/// The word for the end of a phase.
pub fn ended(complete: bool) -> &'static str {
    match complete {
        true => "COMPLETED",
        false => "INTERRUPTED",
    }
}

/// The progress of the requests.
pub struct Requesting {
    requesters: i64,
    /// For all requesters together.
    requests: u64,
    max_time_s: i64,
    warmup_s: i64,
    max_failed: Option<u64>,
    progress_s: f64,
    display_s: f64,
    every_requests: u64,
    /// In the current phase.
    done: u64,
    elapsed_s: f64,
    since_progress_s: f64,
    /// In both phases.
    failed: u64,
    stream: Stream,
    timestamp_s: u64,
}

impl Requesting {
    /// No requests have been sent yet.
    pub fn new(settings: &Settings) -> Requesting {
        Requesting {
            requesters: settings.requesters,
            requests: settings.requests,
            max_time_s: settings.max_time_s,
            warmup_s: settings.warmup_s,
            max_failed: settings.max_failed,
            progress_s: settings.progress_s as f64,
            display_s: settings.display_s as f64,
            every_requests: settings.request_progress,
            done: 0,
            elapsed_s: 0.0,
            since_progress_s: 0.0,
            failed: 0,
            stream: Stream::default(),
            timestamp_s: 0,
        }
    }

    /// True once more have failed than allowed.
    pub fn gave_up(&self) -> bool {
        self.max_failed.is_some_and(|most| self.failed > most)
    }

    /// A phase begins or ends.
    pub fn phase(&mut self, phase: &PhaseEvent, out: &mut Out) -> io::Result<()> {
        if phase.phase == "warmup" && phase.state == PhaseState::End {
            let (done, requests) = (self.done, self.requests);
            out.info(&format!(
                "All requesters: warmup finished after {done} warmup requests.  0/{requests} \
                 requests done"
            ))?;
        }
        if phase.state == PhaseState::Begin {
            (self.done, self.elapsed_s, self.since_progress_s) = (0, 0.0, 0.0);
        }
        Ok(())
    }

    /// An interval ended, at this wall-clock time.
    pub fn interval(
        &mut self,
        interval: &IntervalEvent,
        timestamp_s: u64,
        out: &mut Out,
    ) -> io::Result<()> {
        let before = self.done;
        for op in &interval.ops {
            self.done += op.count;
            if op.outcome != "ok" {
                self.failed += op.count;
            }
        }
        self.elapsed_s += interval.duration_s;
        self.since_progress_s += interval.duration_s;
        self.timestamp_s = timestamp_s;
        let measures = interval.phase == "measure";
        if measures {
            self.stream.add(interval).map_err(io::Error::other)?;
            if self.done / self.every_requests > before / self.every_requests {
                out.info(&self.progress())?;
            }
        }
        // The length of an interval is exact except for nanoseconds.
        if self.since_progress_s + 0.001 >= self.progress_s {
            self.since_progress_s = 0.0;
            out.info(&self.of_all(measures))?;
        }
        if measures && self.stream.duration_s() + 0.001 >= self.display_s {
            out.rows(&self.stream.rows(timestamp_s))?;
        }
        Ok(())
    }

    fn progress(&self) -> String {
        let (done, elapsed_s) = (self.done, self.elapsed_s.max(0.001));
        format!(
            "{done}/{} requests finished: {:.1}% complete at {:.1} ops/sec {elapsed_s:.1}/{} secs \
             elapsed: {:.1}% of time limit used",
            self.requests,
            done as f64 / self.requests as f64 * 100.0,
            done as f64 / elapsed_s,
            self.max_time_s,
            elapsed_s / self.max_time_s as f64 * 100.0,
        )
    }

    fn of_all(&self, measures: bool) -> String {
        let (done, requests) = (self.done, self.requests);
        match measures {
            true => format!("All requesters: {done}/{requests} requests done"),
            false => format!(
                "All requesters: warming up.  {done} warmup requests done. {}/{} seconds of \
                 warmup done",
                self.elapsed_s as u64, self.warmup_s
            ),
        }
    }

    /// The end of the requests, or of the part of them that was done.
    pub fn end(&mut self, phase: &PhaseSummary, complete: bool, out: &mut Out) -> io::Result<()> {
        if self.stream.duration_s() > 0.0 {
            out.rows(&self.stream.rows(self.timestamp_s))?;
        }
        if let Some(row) = range_size(phase, self.timestamp_s) {
            out.rows(&[row])?;
        }
        let failed: u64 = phase.failed.values().sum();
        let done = phase.ok + failed;
        let counter = |name: &str| phase.counters.get(name).copied().unwrap_or(0);
        let found = counter("multiget_rows");
        let elapsed_s = phase.elapsed_s.max(0.001);
        let per_s = (done as f64 / elapsed_s) as u64;
        out.info(&format!(
            "ThreadID = 0 total requests = {done} requests/second = {per_s} found = {found} not \
             found = {} history queries = {}/{}",
            counter("multiget_ids").saturating_sub(found),
            counter("history_lists"),
            counter("lists"),
        ))?;
        out.final_figures(phase)?;
        if phase.skipped > 0 {
            let skipped = phase.skipped;
            out.info(&format!(
                "{skipped} requests were due and never begun: the rate was too high"
            ))?;
        }
        out.info(&format!(
            "REQUEST PHASE {}. {done} requests done in {} seconds. Requests/second = {per_s}",
            ended(complete),
            elapsed_s as u64,
        ))?;
        if self.gave_up() {
            let (all, failed) = (self.requesters, self.failed);
            out.error(&format!(
                "Benchmark did not complete cleanly: {all}/{all} request threads aborted after \
                 {failed} failed requests.  See log entries for details.\nhint: \
                 max_failed_requests is how many may fail; -1 never stops"
            ))?;
        }
        Ok(())
    }
}
