//! The script as a run sees it: loaded once to find mistakes early, prepared, and given workers.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use wire::Connection;
use workloads::watchdog::Slot;
use workloads::{Error as RunError, Scope, Shared as RunShared, Workload};

use super::spec::Scripted;
use super::worker::LuaWorker;
use crate::db::Driven;
use crate::error::Error;
use crate::log;
use crate::lua::{ScriptError, State};
use crate::options::{Options, Settings};
use crate::run::{in_threads, Exit};
use crate::shared::{Shared, Source};
use crate::{is_special, not_loaded, set_options};

/// Only calls that did nothing, and worse: standard output belongs to the events.
const VERBOSITY: u8 = 1;

/// What to do about most mistakes of scripts.
const ALONE: &str = "run the script by `dynoload sysbench` until it works";

/// A script that could be loaded.
#[derive(Debug)]
pub struct Script<'a> {
    plan: &'a Scripted,
    seed: u64,
    /// What all workers share; `init` has been called.
    running: OnceLock<Result<Arc<Shared>, String>>,
}

impl<'a> Script<'a> {
    /// Loads the script: mistakes in it and in its options show before anything is loaded.
    pub fn open(plan: &'a Scripted, seed: u64) -> Result<Script<'a>, RunError> {
        log::set_verbosity(VERBOSITY);
        if !plan.files.contains_key(&plan.script) && is_special(Path::new(&plan.script)) {
            return Err(refused(&Error::Special(plan.script.clone())));
        }
        let script = Script {
            plan,
            seed,
            running: OnceLock::new(),
        };
        let state = script.introduce(1, "run", None);
        let (_, state) = state.map_err(|error| refused(&error))?;
        if !state.has("event") && !state.replaces_loop() {
            return Err(refused(&Error::NoEvent(plan.script.clone())));
        }
        Ok(script)
    }

    /// What states share that run `command`, and the first of them, with the script's options set.
    fn introduce(
        &self,
        threads: usize,
        command: &str,
        driven: Option<Driven>,
    ) -> Result<(Arc<Shared>, State), Error> {
        let arguments = self.plan.arguments(threads, command);
        let options = Options::read(&arguments)?;
        let mut settings = Settings::new(&options)?;
        settings.login.is_dry = driven.is_none();
        let source = Source::Named(self.plan.script.clone());
        let argv = [vec!["sysbench".to_owned()], arguments].concat();
        let command = Some(command.to_owned());
        let shared = Arc::new(Shared {
            driven,
            files: self.plan.files.clone(),
            ..Shared::new(argv, source, command, settings, self.seed)
        });
        shared.pace.start();
        let state = State::new(&shared, threads)?;
        state.load().map_err(|error| not_loaded(&shared, error))?;
        let declared = state.declared()?;
        set_options(&shared, &state, &declared, options)?;
        Ok((shared, state))
    }

    fn driven(run: &RunShared, slots: &Arc<[Slot]>) -> Option<Driven> {
        (!run.noop).then(|| Driven {
            connector: Arc::clone(&run.connector),
            slots: Arc::clone(slots),
            first: run.first,
            limit: run.limit(),
            stop: run.stop.clone(),
        })
    }

    fn start(&self, run: &RunShared) -> Result<Arc<Shared>, String> {
        let driven = Self::driven(run, &run.slots);
        let made = self.introduce(run.of, "run", driven);
        let (shared, state) = made.map_err(|error| error.to_string())?;
        if state.has("init") {
            let called = state.call("init", ());
            called.map_err(|error| format!("init: {error}"))?;
        }
        Ok(shared)
    }

    fn prepare(&self, run: &RunShared) -> Result<(), String> {
        let threads = self.plan.loaders as usize;
        let driven = Driven {
            limit: None,
            first: 0,
            ..Self::driven(run, &run.loader_slots).ok_or("there is no server")?
        };
        let made = self.introduce(threads, "prepare", Some(driven));
        let (shared, state) = made.map_err(|error| error.to_string())?;
        for slot in run.loader_slots.iter() {
            slot.begin();
        }
        let prepared = Self::call_prepare(&shared, state);
        for slot in run.loader_slots.iter() {
            slot.end();
        }
        prepared
    }

    fn call_prepare(shared: &Arc<Shared>, state: State) -> Result<(), String> {
        let text = |error: ScriptError| format!("prepare: {error}");
        match state.command("prepare").map_err(text)? {
            Some(true) => {
                drop(state);
                match in_threads(shared, "prepare") {
                    Exit::Well => Ok(()),
                    _ => Err(format!("prepare: {}", log::last_fatal())),
                }
            }
            Some(false) => match state.run_command("prepare").map_err(text)? {
                true => Ok(()),
                false => Err("prepare: it reports failure".to_owned()),
            },
            None if state.has("prepare") => state.call("prepare", ()).map_err(text),
            // There is nothing to load.
            None => Ok(()),
        }
    }

    fn failed(&self, message: &str, scope: Scope) -> RunError {
        // The script's error says no more than that; the server's own words were logged.
        let why = match message.ends_with("SQL API error") {
            true => format!(": {}", log::last_fatal()),
            false => String::new(),
        };
        RunError::Script {
            message: format!("{}: {message}{why}", self.plan.op()),
            scope,
            hint: ALONE.to_owned(),
        }
    }
}

/// The error for a script that can't be a workload. It keeps only the first line of a message: Lua
/// lists every place where it looked for a module.
fn refused(error: &Error) -> RunError {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    let hint = match error.hint() {
        "" => ALONE,
        hint => hint,
    };
    RunError::Script {
        message: format!("workload.script: {}", line.trim_end_matches(':')),
        scope: Scope::Plan,
        hint: hint.to_owned(),
    }
}

impl Workload for Script<'_> {
    type Worker = LuaWorker;

    fn ops(&self) -> Vec<String> {
        vec![self.plan.op().to_owned()]
    }

    fn fill(&self, shared: &RunShared, _connection: &mut Connection) -> Result<(), RunError> {
        let prepared = self.prepare(shared);
        if shared.stop.is_set() {
            return Err(RunError::Stopped);
        }
        prepared.map_err(|message| self.failed(&message, Scope::Load))
    }

    fn worker(&self, shared: &Arc<RunShared>, number: usize) -> Result<LuaWorker, RunError> {
        let running = self.running.get_or_init(|| self.start(shared));
        let failed = |message: String| self.failed(&message, Scope::Session);
        let script = running.clone().map_err(failed)?;
        LuaWorker::begin(Arc::clone(shared), script, number).map_err(failed)
    }
}
