//! The command line of LinkBench: its options and configuration files in, its log and CSV files
//! out. In between are load plans of the workload `linkbench` and their events.
//!
//! Running the plans isn't done here: this crate creates them and receives their events.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arguments;
mod config;
mod failure;
mod guard;
mod log;
mod plans;
mod report;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use kinds::load_plan::Plan;
use workloads::event::Event;

use arguments::Arguments;
use config::{Config, Settings};
pub use failure::Failure;
use guard::Wish;
use log::Log;
pub use report::Heard;
use report::{Out, Report};

/// The name at the start of messages.
pub const NAME: &str = "dynoload linkbench";

/// The exit code of a run that ended because of too many failed requests.
pub const TOO_MANY_FAILED: u8 = 20;

/// What the command line asks for.
pub enum Asked {
    /// This text is to be printed.
    Text(String),
    /// A run.
    Bench(Box<Bench>),
}

/// Reads the command line and its files; doesn't connect to anything yet.
pub fn read(words: Vec<OsString>) -> Result<Asked, Failure> {
    let arguments = arguments::read(words)?;
    if arguments.help {
        return Ok(Asked::Text(arguments::help()));
    }
    let config = Config::read(arguments.config.as_deref(), arguments.properties.clone())?;
    let settings = Settings::of(&config, arguments.loads, arguments.requests)?;
    settings.check_files()?;
    if arguments.plan {
        return plan_text(&settings, arguments.requests).map(Asked::Text);
    }
    let log = Log::open(settings.level, arguments.log.as_deref())?;
    let mut out = Out::open(log, &arguments)?;
    opening(&config, &settings, &mut out).map_err(|error| unwritten(&error))?;
    let report = Report::new(out, &settings);
    Ok(Asked::Bench(Box::new(Bench {
        arguments,
        settings,
        report: Mutex::new(report),
    })))
}

/// The plan of the requests, or of the load if there are none.
fn plan_text(settings: &Settings, requests: bool) -> Result<String, Failure> {
    let plan = match requests {
        true => plans::request(settings, settings.request_seed.unwrap_or(1)),
        false => plans::load(settings, settings.load_seed.unwrap_or(1)),
    }?;
    let text = serde_json::to_string_pretty(&plan).map_err(|error| unwritten(&error.into()))?;
    Ok(text + "\n")
}

/// Logs what was read.
fn opening(config: &Config, settings: &Settings, out: &mut Out) -> io::Result<()> {
    out.info(&format!("Config file: {}", config.file.display()))?;
    if let Some(path) = &config.workload_file {
        out.info(&format!("Workload config file: {}", path.display()))?;
    }
    for (key, why) in &settings.without_effect {
        out.info(&format!("{key} has no effect: {why}"))?;
    }
    Ok(())
}

fn unwritten(error: &io::Error) -> Failure {
    let message = format!("the log can't be written: {error}");
    Failure::new(failure::exit::OUTPUT, message, "name another file with -L")
}

/// One of the two parts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// -l
    Load,
    /// -r
    Request,
}

/// The requested run.
pub struct Bench {
    arguments: Arguments,
    settings: Settings,
    report: Mutex<Report>,
}

impl Bench {
    /// The plan of a part, once the schema is as required; `None` if it isn't requested.
    pub fn plan(&self, part: Part) -> Result<Option<Plan>, Failure> {
        let settings = &self.settings;
        let plan = match part {
            Part::Load if !self.arguments.loads => {
                self.info("Skipping load data per the cmdline arg")?;
                return Ok(None);
            }
            Part::Load => plans::load(settings, self.seed(part)?)?,
            Part::Request if !self.arguments.requests => {
                self.info("Skipping request phase per the cmdline arg")?;
                return Ok(None);
            }
            Part::Request if settings.requesters == 0 => {
                self.info("NO REQUEST PHASE CONFIGURED. ")?;
                return Ok(None);
            }
            Part::Request => plans::request(settings, self.seed(part)?)?,
        };
        let (wish, begin) = match part {
            Part::Load => (Wish::Load, format!("Starting loaders {}", settings.loaders)),
            Part::Request => (
                Wish::Request,
                format!(
                    "Starting {} requesters: will do {} ops after {} second warmup",
                    settings.requesters, settings.requests, settings.warmup_s
                ),
            ),
        };
        guard::look(settings, wish)?;
        self.info(&begin)?;
        Ok(Some(Plan {
            timeout_s: self.arguments.answer_s.unwrap_or(plan.timeout_s),
            ..plan
        }))
    }

    /// The seed of a part. It is logged, so that it can be given next time.
    fn seed(&self, part: Part) -> Result<i64, Failure> {
        let (key, given) = match part {
            Part::Load => ("load_random_seed", self.settings.load_seed),
            Part::Request => ("request_random_seed", self.settings.request_seed),
        };
        if let Some(seed) = given {
            self.info(&format!("Using configured random seed {key}={seed}"))?;
            return Ok(seed);
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let seed = since.unwrap_or_default().as_nanos() as i64;
        self.info(&format!(
            "Using random seed {seed} since {key} not specified"
        ))?;
        Ok(seed)
    }

    /// Where the events of the requests go, if they are requested.
    pub fn events(&self) -> Option<PathBuf> {
        self.arguments.events.clone()
    }

    /// Reports an event. It fails if a file can't be written.
    pub fn hear(&self, event: &Event) -> io::Result<Heard> {
        self.with_report(|report| report.hear(event))
    }

    /// Logs why the run ends.
    pub fn fail(&self, failure: &Failure) {
        // If the log can't be written, there is nowhere else to report it.
        let _ = self.with_report(|report| report.out().error(&failure.to_string()));
    }

    /// True once too many requests have failed.
    pub fn gave_up(&self) -> bool {
        self.with_report(|report| report.gave_up())
    }

    fn info(&self, text: &str) -> Result<(), Failure> {
        let written = self.with_report(|report| report.out().info(text));
        written.map_err(|error| unwritten(&error))
    }

    fn with_report<T>(&self, work: impl FnOnce(&mut Report) -> T) -> T {
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        work(&mut report)
    }
}
