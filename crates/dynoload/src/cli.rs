//! The command line. Thin: it reads the plan and hands over.

use std::io::{self, Write};
use std::os::fd::RawFd;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kinds::load_plan::Plan;
use workloads::bounded;
use workloads::plan::{PlanError, Secret};

use crate::arguments;
use crate::doors;
use crate::exit::Exit;
use crate::run::{self, Asked};
use crate::signals;
use crate::writer::{own_stdout, report};

const VERSION: &str = if cfg!(debug_assertions) {
    concat!(env!("CARGO_PKG_VERSION"), " (debug)")
} else {
    concat!(env!("CARGO_PKG_VERSION"), " (release)")
};

/// Larger than any plan.
const PLAN_BYTES: u64 = 16 << 20;

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
        /// Read the password from this open file descriptor, not from the environment
        #[arg(long, value_name = "NUMBER")]
        password_fd: Option<RawFd>,
    },
    /// Check a plan, and print it with every default filled in
    Check {
        /// Open the files that the plan names, too
        #[arg(long)]
        files: bool,
        /// The plan, a JSON file; `-` reads it from standard input
        plan: PathBuf,
    },
}

/// Help goes to standard output, which may be full; command line errors go to standard error.
fn print_help(error: &clap::Error) -> ExitCode {
    let shown = error.print();
    if error.use_stderr() {
        return ExitCode::from(Exit::Plan.code());
    }
    match shown.and_then(|()| io::stdout().flush()) {
        Ok(()) => ExitCode::from(Exit::Done.code()),
        Err(error) => {
            let message = format!("can't write standard output: {error}");
            report(
                "error",
                &message,
                "check its permissions, and what kind of file it is",
            );
            ExitCode::from(Exit::Events.code())
        }
    }
}

/// The whole program.
pub fn main() -> ExitCode {
    let words = match arguments::read() {
        Ok(words) => words,
        Err(error) => {
            report(
                "error",
                &format!("the command line can't be read: {error}"),
                "",
            );
            return ExitCode::from(Exit::Plan.code());
        }
    };
    if let Some(exit) = doors::other_program(&words) {
        return exit;
    }
    let parent = signals::parent();
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => return print_help(&error),
    };
    let exit = match arguments.command {
        // Handled by doors, which leaves everything after the name to them.
        Command::Sysbench | Command::Slap | Command::Linkbench => Exit::Done,
        Command::Run {
            plan,
            events,
            die_with_parent,
            password_fd,
        } => run::run(Asked {
            plan: read(&plan).and_then(|plan| with_password(plan, password_fd)),
            events,
            listener: None,
            end_with: die_with_parent.then_some(parent),
        }),
        Command::Check { files, plan } => check(&plan, files),
    };
    ExitCode::from(exit.code())
}

fn read(path: &Path) -> Result<Plan, PlanError> {
    let read = if path == Path::new("-") {
        bounded::bytes(io::stdin().lock(), PLAN_BYTES)
    } else {
        bounded::file(path, PLAN_BYTES)
    };
    let text = read.and_then(bounded::utf8).map_err(|error| {
        let message = format!("the plan {} can't be read: {error}", path.display());
        PlanError::new(
            "",
            &message,
            "give the path of a JSON file, or `-` for standard input",
        )
    })?;
    Plan::read(&text)
}

fn with_password(mut plan: Plan, from: Option<RawFd>) -> Result<Plan, PlanError> {
    if let Some(number) = from {
        let password = arguments::descriptor(number).and_then(bounded::utf8);
        plan.target.password = Some(Secret(password.map_err(|error| {
            let message = format!("no password can be read from descriptor {number}: {error}");
            PlanError::new("", &message, "open it before dynoload starts")
        })?));
    }
    Ok(plan)
}

fn check(path: &Path, with_files: bool) -> Exit {
    let plan = match read(path) {
        Ok(plan) => plan,
        Err(error) => {
            report("error", &error.to_string(), error.hint());
            return Exit::Plan;
        }
    };
    let out = own_stdout();
    if with_files {
        if let Err(error) = run::open_files(&plan) {
            report("error", &error.to_string(), error.hint());
            return Exit::from_error(&error);
        }
    }
    let written = serde_json::to_string_pretty(&plan)
        .map_err(io::Error::from)
        .and_then(|text| writeln!(out?, "{text}"));
    match written {
        Ok(()) => Exit::Done,
        Err(error) => {
            let message = format!("the plan can't be written to standard output: {error}");
            report("error", &message, "keep the reader of it running");
            Exit::Events
        }
    }
}
