//! The command line of sysbench, and its Lua scripts, on Dyno's connections.
//!
//! A front door, which prints what sysbench prints, and a workload of plans: any script under the
//! load engine. One thread per worker, each with a Lua state and blocking connections, because
//! scripts may block anywhere: in `os.execute`, in C functions, in loops.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod db;
mod embedded;
mod error;
mod log;
mod lua;
mod options;
mod pace;
mod random;
mod recording;
mod report;
mod run;
mod shared;
mod stats;
mod workload;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::SystemTime;

use doors::Failure;
use error::Error;
use log::{say, Level};
use lua::{ScriptError, State};
use options::{OptionError, Options, Settings, Spec as Declared};
use recording::Recording;
use run::{failed, Exit};
use shared::{Shared, Source};
use workloads::bounded;

pub use workload::Scripted;

/// Tests of sysbench that aren't scripts.
const BUILT_IN: [&str; 5] = ["fileio", "cpu", "memory", "threads", "mutex"];

/// The whole program; `arguments` are those after its name.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    let arguments = arguments.into_iter();
    let arguments: Vec<String> = arguments
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let exit = Options::read(&arguments)
        .map_err(Error::from)
        .and_then(|options| start(arguments, options))
        .unwrap_or_else(|error| {
            Failure::from(error).print("");
            Exit::Failed
        });
    if let Some(error) = log::unwritten() {
        // Other errors would have been reported there, too.
        let message = format!("error: can't write standard output: {error}");
        Failure::refused(message, "").print("");
        if exit == Exit::Well {
            return ExitCode::from(Exit::Failed as u8);
        }
    }
    ExitCode::from(exit as u8)
}

/// Failures after the command line was read are messages on standard output, as in sysbench.
fn fatal(error: Error) -> Exit {
    say(Level::Fatal, &Failure::from(error).to_string());
    Exit::Failed
}

/// Everything after reading the options.
fn start(arguments: Vec<String>, options: Options) -> Result<Exit, Error> {
    for warning in &options.warnings {
        let _ = writeln!(io::stderr(), "WARNING: {warning}");
    }
    if options.get("version").is_on() {
        log::print(&format!("sysbench {}\n", lua::VERSION));
        return Ok(Exit::Well);
    }
    if options.get("help").is_on() {
        log::print(&options::general_help(&embedded::names()));
        return Ok(Exit::Well);
    }
    if !set_verbosity(&options) {
        return Ok(Exit::Failed);
    }
    for (old, now) in &options.deprecated {
        let line = format!("WARNING: --{old} is deprecated, use --{now} instead\n");
        // At any verbosity, as in sysbench.
        match options.get("json").is_on() {
            true => drop(io::stderr().write_all(line.as_bytes())),
            false => log::print_always(&line),
        }
    }
    let settings = match Settings::new(&options) {
        Ok(settings) => settings,
        Err(error) => {
            return Ok(fatal(error.into()));
        }
    };
    let shared = Arc::new(share(arguments, &options, settings)?);
    script(&shared, options)
}

fn set_verbosity(options: &Options) -> bool {
    let is_debug = options.get("debug").is_on() || options.get("mysql_debug").is_on();
    let verbosity = match options.get("verbosity").int() {
        _ if is_debug => 5,
        // Standard output is then only for the report.
        verbosity @ 0..=5 if options.get("json").is_on() => verbosity.min(2) as u8,
        verbosity @ 0..=5 => verbosity as u8,
        verbosity => {
            log::print(&format!("Invalid value for verbosity: {verbosity}\n"));
            return false;
        }
    };
    log::set_verbosity(verbosity);
    true
}

/// Larger than any script.
const SCRIPT_BYTES: u64 = 64 << 20;

/// A pipe or a device: it would block, or never end.
fn is_special(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|meta| !meta.is_file() && !meta.is_dir())
}

fn share(arguments: Vec<String>, options: &Options, settings: Settings) -> Result<Shared, Error> {
    let source = match options.words.first().map(String::as_str) {
        None | Some("-") => {
            let read = bounded::bytes(io::stdin().lock(), SCRIPT_BYTES);
            Source::Text(read.map_err(Error::Input)?)
        }
        Some(name) if is_special(Path::new(name)) => {
            return Err(Error::Special(name.to_owned()));
        }
        Some(name) => Source::Named(name.to_owned()),
    };
    let seed = match settings.seed {
        0 => SystemTime::UNIX_EPOCH
            .elapsed()
            .map_or(1, |since| since.as_nanos() as u64),
        seed => seed,
    };
    let name = options.words.first().map_or("-", String::as_str);
    let op = name.rsplit('/').next().unwrap_or(name);
    let op = op.strip_suffix(".lua").unwrap_or(op);
    let recording = match options.get("dyno_events").text() {
        "" => None,
        path => Some(Recording::create(path, op, settings.warmup_s)?),
    };
    let mut argv = vec!["sysbench".to_owned()];
    argv.extend(arguments);
    let command = options.words.get(1).cloned();
    Ok(Shared {
        recording,
        ..Shared::new(argv, source, command, settings, seed)
    })
}

/// Loads the script, reads its options, and runs the command.
fn script(shared: &Arc<Shared>, options: Options) -> Result<Exit, Error> {
    let state = State::new(shared, 0)?;
    let settings = &shared.settings;
    if shared.command.as_deref() == Some("run") && settings.events == 0 && settings.time_s == 0 {
        let line = "Both event and time limits are disabled, running an endless test";
        say(Level::Warning, line);
    }
    log::print(&format!("{}\n\n", state.version_line()));
    if let Err(error) = state.load() {
        return Ok(fatal(not_loaded(shared, error)));
    }
    let declared = match state.declared() {
        Ok(declared) => declared,
        Err(error) => {
            failed("sysbench.cmdline.read_cmdline_options", &error);
            return Ok(Exit::Failed);
        }
    };
    set_options(shared, &state, &declared, options)?;
    let Some(command) = shared.command.clone() else {
        return Ok(Exit::Well);
    };
    if let Source::Text(_) = shared.source {
        return Ok(Exit::Well);
    }
    match state.command(&command)? {
        Some(true) if settings.threads > 1 => Ok(run::in_threads(shared, &command)),
        Some(_) => Ok(own_command(&state, &command)),
        None => built_in_command(shared, &state, &command, !declared.is_empty()),
    }
}

/// Sets the options of the script that was loaded into the first state, with their values.
fn set_options(
    shared: &Shared,
    state: &State,
    declared: &[Declared],
    mut options: Options,
) -> Result<(), Error> {
    shared
        .is_legacy
        .store(declared.is_empty(), Ordering::Relaxed);
    options.declare(declared)?;
    // Nobody else has set it: this is the first state.
    let _ = shared.options.set(options);
    state.set_options()?;
    match state.refused()? {
        Some((name, value)) => Err(OptionError::Kind { name, value }.into()),
        None => Ok(()),
    }
}

/// The script doesn't exist, or its body failed.
fn not_loaded(shared: &Shared, error: ScriptError) -> Error {
    let name = shared.script_name();
    match error {
        ScriptError::Missing if BUILT_IN.contains(&name) => Error::BuiltIn(name.to_owned()),
        ScriptError::Missing => Error::NotFound(name.to_owned()),
        error => error.into(),
    }
}

fn own_command(state: &State, command: &str) -> Exit {
    match state.run_command(command) {
        Ok(true) => Exit::Well,
        Ok(false) => Exit::Failed,
        Err(error) => {
            failed("sysbench.cmdline.call_command", &error);
            Exit::Failed
        }
    }
}

fn built_in_command(
    shared: &Arc<Shared>,
    state: &State,
    command: &str,
    has_options: bool,
) -> Result<Exit, Error> {
    let name = shared.script_name();
    match command {
        "run" => return Ok(run::run(shared, state)),
        "help" | "prepare" | "cleanup" if state.has(command) => {}
        "help" if has_options => {
            let base = name.rsplit('/').next().unwrap_or(name);
            log::print_always(&format!("{base} options:\n"));
            state.print_options()?;
            return Ok(Exit::Well);
        }
        "help" | "prepare" | "cleanup" => {
            return Err(Error::NotImplemented {
                test: name.to_owned(),
                command: command.to_owned(),
            });
        }
        _ => return Err(Error::Command(command.to_owned())),
    }
    Ok(match state.call(command, ()) {
        Ok(()) => Exit::Well,
        Err(error) => {
            failed(command, &error);
            Exit::Failed
        }
    })
}
