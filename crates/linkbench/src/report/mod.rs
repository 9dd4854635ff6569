//! The report of a run: its events as LinkBench's log, `-csvstats` and `-csvstream`.
//!
//! `loading` has the load's lines, `requesting` those of the requests; `final_figures`, `stream`
//! and `buckets` the figures. How the run works isn't known here.

mod buckets;
mod final_figures;
mod loading;
mod numbers;
mod requesting;
mod stream;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use workloads::event::{Event, PhaseSummary};

use crate::arguments::Arguments;
use crate::config::Settings;
use crate::failure::Failure;
use crate::log::{cannot_write, named, Log};
use loading::Loading;
use requesting::Requesting;
use stream::Row;

/// The reaction to an event that the run is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Nothing.
    GoOn,
    /// To stop: too many requests failed.
    Stop,
}

/// A CSV file being written.
struct Csv {
    file: File,
    path: PathBuf,
}

impl Csv {
    fn create(path: Option<&Path>, header: &str) -> Result<Option<Csv>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let made = File::create(path).and_then(|mut file| {
            file.write_all(header.as_bytes())?;
            Ok(file)
        });
        let file = made.map_err(|error| cannot_write(path, &error))?;
        let path = path.to_owned();
        Ok(Some(Csv { file, path }))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        named(&self.path, self.file.write_all(text.as_bytes()))
    }
}

/// The destinations of all reports.
pub struct Out {
    log: Log,
    stats: Option<Csv>,
    stream: Option<Csv>,
}

impl Out {
    /// Opens all files, each with its header.
    pub fn open(log: Log, arguments: &Arguments) -> Result<Out, Failure> {
        let header = final_figures::header();
        Ok(Out {
            log,
            stats: Csv::create(arguments.csv_stats.as_deref(), &header)?,
            stream: Csv::create(arguments.csv_stream.as_deref(), stream::HEADER)?,
        })
    }

    /// An entry of the log.
    pub fn info(&mut self, text: &str) -> io::Result<()> {
        self.log.info(text)
    }

    /// An entry of the log.
    pub fn warn(&mut self, text: &str) -> io::Result<()> {
        self.log.warn(text)
    }

    /// An entry of the log.
    pub fn error(&mut self, text: &str) -> io::Result<()> {
        self.log.error(text)
    }

    fn rows(&mut self, rows: &[Row]) -> io::Result<()> {
        for row in rows {
            self.log.info(&row.line)?;
            if let Some(csv) = &mut self.stream {
                csv.write(&row.csv)?;
            }
        }
        Ok(())
    }

    fn final_figures(&mut self, phase: &PhaseSummary) -> io::Result<()> {
        let all = final_figures::figures(phase).map_err(io::Error::other)?;
        for figures in &all {
            self.log.info(&final_figures::line(figures))?;
        }
        match &mut self.stats {
            Some(csv) => csv.write(&final_figures::csv(&all)),
            None => Ok(()),
        }
    }
}

/// Takes the events of a run, and reports them.
pub struct Report {
    out: Out,
    loading: Loading,
    requesting: Requesting,
    unix_ms: u64,
}

impl Report {
    /// Nothing has happened yet.
    pub fn new(out: Out, settings: &Settings) -> Report {
        Report {
            out,
            loading: Loading::new(settings),
            requesting: Requesting::new(settings),
            unix_ms: 0,
        }
    }

    /// The log, for what isn't an event.
    pub fn out(&mut self) -> &mut Out {
        &mut self.out
    }

    /// True once too many requests have failed.
    pub fn gave_up(&self) -> bool {
        self.requesting.gave_up()
    }

    /// Reports an event. It fails if a file can't be written.
    pub fn hear(&mut self, event: &Event) -> io::Result<Heard> {
        let out = &mut self.out;
        match event {
            Event::Hello(hello) => self.unix_ms = hello.unix_ms,
            Event::Phase(phase) if phase.phase == "load" => self.loading.phase(phase, out)?,
            Event::Phase(phase) => self.requesting.phase(phase, out)?,
            Event::Interval(interval) => {
                let end_ms = (interval.t_s + interval.duration_s) * 1000.0;
                let timestamp_s = (self.unix_ms + end_ms as u64) / 1000;
                self.requesting.interval(interval, timestamp_s, out)?;
            }
            Event::Error(error) => {
                let text = format!("{}\nhint: {}", error.message, error.hint);
                match error.fatal {
                    true => out.log.error(&text)?,
                    false => out.log.warn(&text)?,
                }
            }
            Event::Summary(summary) => {
                for phase in &summary.phases {
                    match phase.phase.as_str() {
                        "load" => self.loading.end(phase, summary.complete, out)?,
                        "measure" => self.requesting.end(phase, summary.complete, out)?,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(match self.gave_up() {
            true => Heard::Stop,
            false => Heard::GoOn,
        })
    }
}

#[cfg(test)]
mod tests;
