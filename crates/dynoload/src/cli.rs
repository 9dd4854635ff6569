//! The command line. Thin: it reads the plan and hands over.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use workloads::plan::{Plan, PlanError};

use crate::doors;
use crate::exit::Exit;
use crate::run::{self, Asked};
use crate::signals;
use crate::writer::tell;

const VERSION: &str = if cfg!(debug_assertions) {
    concat!(env!("CARGO_PKG_VERSION"), " (debug)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (release)")
};

/// Makes load on a MySQL or MariaDB server: a load plan in, events out.
#[derive(Debug, Parser)]
#[command(name = "dynoload", version = VERSION, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a sysbench command line: `dynoload sysbench --help`
    Sysbench,
    /// Run a mysqlslap command line: `dynoload slap --help`
    Slap,
    /// Run a LinkBench command line: `dynoload linkbench --help`
    Linkbench,
    /// Run a plan and write events, one JSON object a line
    Run {
        /// The plan, a JSON file; `-` reads it from standard input
        plan: PathBuf,
        /// Write the events to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        events: Option<PathBuf>,
        /// Stop, as on SIGTERM, when the thread that started this program ends
        #[arg(long)]
        die_with_parent: bool,
    },
    /// Check a plan and print it with every default filled in
    Check {
        /// The plan, a JSON file; `-` reads it from standard input
        plan: PathBuf,
    },
}

/// The whole program.
pub fn main() -> ExitCode {
    if let Some(exit) = doors::other_program() {
        return exit;
    }
    let parent = signals::parent();
    let exit = match Arguments::parse().command {
        // Taken by doors, which leaves all that follows the name to them.
        Command::Sysbench | Command::Slap | Command::Linkbench => Exit::Done,
        Command::Run {
            plan,
            events,
            die_with_parent,
        } => run::run(Asked {
            plan: read(&plan),
            events,
            listener: None,
            end_with: die_with_parent.then_some(parent),
        }),
        Command::Check { plan } => check(&plan),
    };
    ExitCode::from(exit.code())
}

fn read(path: &Path) -> Result<Plan, PlanError> {
    let mut text = String::new();
    let done = if path == Path::new("-") {
        io::stdin().read_to_string(&mut text).map(|_| ())
    } else {
        fs::read_to_string(path).map(|read| text = read)
    };
    done.map_err(|error| {
        let message = format!("the plan {} can't be read: {error}", path.display());
        PlanError::new(
            "",
            &message,
            "give the path of a JSON file, or `-` for standard input",
        )
    })?;
    Plan::read(&text)
}

fn check(path: &Path) -> Exit {
    let plan = match read(path) {
        Ok(plan) => plan,
        Err(error) => {
            tell("error", &error.to_string(), error.hint());
            return Exit::Plan;
        }
    };
    let written = serde_json::to_string_pretty(&plan)
        .map_err(io::Error::from)
        .and_then(|text| writeln!(io::stdout(), "{text}"));
    match written {
        Ok(()) => Exit::Done,
        Err(error) => {
            let message = format!("the plan can't be written to standard output: {error}");
            tell("error", &message, "keep the reader of it running");
            Exit::Events
        }
    }
}
