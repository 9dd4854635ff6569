//! Reports: results as text, CSV or JSON, and the steps of a run.
//!
//! The formats are pure functions in the other files of this folder; this file writes them.

mod csv;
mod json;
mod statistics;
mod text;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use load::Histogram;

use crate::failure::{self, Failure};
use crate::measure::Timed;
use crate::options::{Settings, Sink};

/// Everything about one cell.
#[derive(Debug, Clone)]
pub struct Results {
    /// `None` without --engine.
    pub engine: Option<String>,
    /// The text of --auto-generate-sql-load-type.
    pub load_type: String,
    /// How many at once.
    pub clients: usize,
    /// mysqlslap's number of queries per client.
    pub shown: u64,
    /// True if the limit was a time; `shown` then means nothing.
    pub is_timed: bool,
    /// At least one.
    pub iterations: Vec<Iteration>,
    /// The statements of all iterations together.
    pub latency: Histogram,
}

/// One iteration.
#[derive(Debug, Clone)]
pub struct Iteration {
    /// Creating and filling the tables; `None` if this run doesn't create them.
    pub load: Option<Duration>,
    /// The timed part.
    pub timed: Timed,
}

impl Results {
    /// The value shown as the average number of queries per client.
    pub fn queries_per_client(&self) -> u64 {
        if !self.is_timed {
            return self.shown;
        }
        let statements: u64 = self.iterations.iter().map(|one| one.timed.statements).sum();
        statements / (self.iterations.len() * self.clients) as u64
    }
}

/// Where results go.
pub struct Reports {
    text: bool,
    is_long: bool,
    csv: Option<Target>,
    json: Option<Target>,
}

enum Target {
    Out,
    File(File),
}

impl Reports {
    /// Opens the files before anything runs.
    pub fn open(settings: &Settings) -> Result<Reports, Failure> {
        let open = |kind: &str, sink: &Option<Sink>| match sink {
            None => Ok(None),
            Some(Sink::Out) => Ok(Some(Target::Out)),
            Some(Sink::File(path)) => append_to(kind, path).map(Some),
        };
        Ok(Reports {
            text: !settings.silent,
            is_long: settings.verbose_report,
            csv: open("csv", &settings.csv)?,
            json: open("json", &settings.json)?,
        })
    }

    /// Reports one cell.
    pub fn add(&mut self, results: &Results) -> Result<(), Failure> {
        if self.text {
            say(&text::block(results, self.is_long))?;
        }
        write(&mut self.csv, || csv::line(results))?;
        write(&mut self.json, || json::line(results))
    }
}

fn write(target: &mut Option<Target>, text: impl Fn() -> String) -> Result<(), Failure> {
    match target {
        None => Ok(()),
        Some(Target::Out) => say(&text()),
        Some(Target::File(file)) => {
            let written = file.write_all(text().as_bytes());
            written.map_err(|error| failure::writing(&error))
        }
    }
}

/// Files are never overwritten: a series of runs appends to one.
fn append_to(kind: &str, path: &Path) -> Result<Target, Failure> {
    let mut options = OpenOptions::new();
    let opened = options.append(true).create(true).mode(0o640).open(path);
    opened.map(Target::File).map_err(|error| {
        Failure::refused(
            format!("Could not open {kind} file: {}: {error}", path.display()),
            "name a file in a folder that exists and that this user may write to",
        )
    })
}

/// Writes to standard output.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| failure::writing(&error))
}

/// The steps of a run, for --verbose given twice; with statements if it is given three times.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    level: u64,
}

impl Progress {
    /// For --verbose given this many times.
    pub fn new(level: u64) -> Progress {
        Progress { level }
    }

    /// Prints a step.
    pub fn step(self, text: &str) -> Result<(), Failure> {
        if self.level < 2 {
            return Ok(());
        }
        say(&format!("{text}\n"))
    }

    /// True if statements are printed.
    pub fn shows_statements(self) -> bool {
        self.level >= 3
    }

    /// Prints a statement. Clients do this while they run, so an error doesn't stop them.
    pub fn statement(self, text: &[u8]) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(&[text, b"\n"].concat());
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
