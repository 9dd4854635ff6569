//! A Lua state as sysbench's scripts expect it: the preludes, the script, and calls into it.
//!
//! Lua never sees an error raised in Rust: preludes raise them, as strings or tables.

mod callbacks;
mod error;
mod flow;
mod native;

use std::borrow::Cow;
use std::sync::atomic::Ordering;
use std::sync::Arc;

use mlua::{FromLua, Function, IntoLuaMulti, Lua, Result as LuaResult, Table, Value as LuaValue};

pub use error::ScriptError;
pub use flow::{pause, Pause, Progress, Running};

use crate::options::{Kind, Spec, Value};
use crate::shared::{self, Own, Shared, Source};
use crate::stats::Stat;

/// The preludes, in the order in which they are run. Each gets the table `host`. Their names appear
/// in error messages, like those of sysbench's own.
const PRELUDES: [(&str, &str); 8] = [
    ("sysbench.lua", include_str!("../prelude/base.lua")),
    (
        "sysbench.cmdline.lua",
        include_str!("../prelude/cmdline.lua"),
    ),
    ("sysbench.rand.lua", include_str!("../prelude/rand.lua")),
    ("sysbench.sql.lua", include_str!("../prelude/sql.lua")),
    ("sysbench.report.lua", include_str!("../prelude/report.lua")),
    ("sysbench.legacy.lua", include_str!("../prelude/legacy.lua")),
    ("sysbench.events.lua", include_str!("../prelude/events.lua")),
    ("sysbench.blocks.lua", include_str!("../prelude/blocks.lua")),
];

/// This program's version as seen from Lua; scripts and their users check it.
pub const VERSION: &str = "1.0.20";

/// A Lua state in which the preludes have been run.
pub struct State {
    lua: Lua,
    host: Table,
    shared: Arc<Shared>,
}

impl State {
    /// A state for this thread: that of worker `number`, or of a thread that isn't a worker, with a
    /// number above all of theirs.
    pub fn new(shared: &Arc<Shared>, number: usize) -> Result<State, ScriptError> {
        shared::enter(Box::new(Own::new(Arc::clone(shared), number)));
        Ok(Self::prepared(shared, number)?)
    }

    fn prepared(shared: &Arc<Shared>, number: usize) -> LuaResult<State> {
        let lua = native::state();
        let host = lua.create_table()?;
        let addresses = lua.create_table()?;
        for (name, address) in native::addresses() {
            // Addresses have 47 bits, which a float holds exactly.
            addresses.set(name, address as usize as f64)?;
        }
        host.set("addresses", addresses)?;
        host.set("tid", number)?;
        host.set("is_driven", shared.driven.is_some())?;
        host.set("version", VERSION)?;
        host.set("version_string", format!("sysbench {VERSION}"))?;
        host.set("command", shared.command.clone())?;
        host.set("driver", shared.settings.driver.clone())?;
        host.set("percentile", shared.settings.percentile())?;
        let argv = lua.create_table()?;
        for (index, argument) in shared.argv.iter().enumerate() {
            argv.set(index, argument.as_str())?;
        }
        host.set("argv", argv)?;
        let files = shared.files.iter();
        let files = files.map(|(path, text)| (path.as_str(), text.as_str()));
        host.set("files", lua.create_table_from(files)?)?;
        if let Source::Named(name) = &shared.source {
            host.set("script", name.as_str())?;
        }
        callbacks::register(&lua, &host)?;
        for (name, source) in PRELUDES {
            lua.load(source).set_name(name).call::<()>(&host)?;
        }
        Ok(State {
            lua,
            host,
            shared: Arc::clone(shared),
        })
    }

    /// A state for a worker or reporter, with the script loaded and its options set.
    pub fn ready(shared: &Arc<Shared>, number: usize) -> Result<State, ScriptError> {
        let state = State::new(shared, number)?;
        state.load()?;
        state.set_options()?;
        Ok(state)
    }

    /// Runs the script's body.
    pub fn load(&self) -> Result<(), ScriptError> {
        let (is_found, error): (bool, Option<String>) = match &self.shared.source {
            Source::Named(_) => self.host_call("load", ())?,
            Source::Text(text) => {
                let text = self.lua.create_string(text)?;
                self.host_call("load_text", text)?
            }
        };
        match (is_found, error) {
            (false, _) => Err(ScriptError::Missing),
            (true, Some(error)) => Err(ScriptError::Raised(error)),
            (true, None) => Ok(()),
        }
    }

    /// True if the script, and what it includes, came with the program.
    pub fn is_bundled(&self) -> bool {
        self.host_call("is_bundled", ()).unwrap_or(false)
    }

    /// The options that the script declares.
    pub fn declared(&self) -> Result<Vec<Spec>, ScriptError> {
        let function: Function = self.host.get("declared")?;
        let found = self.guarded(function.into_lua_multi(&self.lua)?)?;
        let found = Vec::<Table>::from_lua(found, &self.lua)?;
        let declared = found.iter().map(declared).collect::<LuaResult<_>>();
        Ok(declared?)
    }

    /// Creates `sysbench.opt` and, for an older script, its globals.
    pub fn set_options(&self) -> Result<(), ScriptError> {
        let Some(options) = self.shared.options.get() else {
            return Ok(());
        };
        let table = self.lua.create_table()?;
        for (name, value) in options.values() {
            let value = self.value(value)?;
            table.set(name, value)?;
        }
        let is_legacy = self.shared.is_legacy.load(Ordering::Relaxed);
        self.host_call("set_options", (table, is_legacy))
    }

    fn value(&self, value: &Value) -> LuaResult<LuaValue> {
        Ok(match value {
            Value::Unset => LuaValue::Nil,
            Value::Bool(on) => LuaValue::Boolean(*on),
            Value::Int(number) => LuaValue::Number(*number as f64),
            Value::Double(number) => LuaValue::Number(*number),
            Value::Text(text) => LuaValue::String(self.lua.create_string(text)?),
            Value::List(list) => {
                let list = list.iter().map(String::as_str);
                LuaValue::Table(self.lua.create_sequence_from(list)?)
            }
            Value::Percents(percents) => {
                LuaValue::Number(percents.first().copied().unwrap_or_default())
            }
        })
    }

    /// Begins the events of worker `number`: they stop before the first one.
    pub fn events(self, number: usize) -> Result<Running, ScriptError> {
        let guarded: Function = self.host.get("guarded")?;
        let thread_run: LuaValue = self.lua.globals().get("thread_run")?;
        let run = move || unguarded(guarded.call((thread_run, number))?).map(|_| ());
        let mut running = Running::new(self, run).map_err(ScriptError::Stack)?;
        match running.go_on(true) {
            Progress::Paused(_) => Ok(running),
            Progress::Over(Err(error)) => Err(error),
            Progress::Over(Ok(())) => Err(ScriptError::NoEvents),
        }
    }

    /// True if the script has a global function of this name.
    pub fn has(&self, function: &str) -> bool {
        self.lua.globals().get::<Function>(function).is_ok()
    }

    /// True if the script has an event loop of its own.
    pub fn replaces_loop(&self) -> bool {
        self.host_call("replaces_loop", ()).unwrap_or(false)
    }

    /// True if the script has a hook of this name.
    pub fn has_hook(&self, hook: &str) -> bool {
        self.host_call("has_hook", hook).unwrap_or(false)
    }

    /// Calls a global function. The error reads as sysbench prints it.
    pub fn call(&self, function: &str, arguments: impl IntoLuaMulti) -> Result<(), ScriptError> {
        let function: Function = self.lua.globals().get(function)?;
        let mut arguments = arguments.into_lua_multi(&self.lua)?;
        arguments.push_front(LuaValue::Function(function));
        self.guarded(arguments).map(|_| ())
    }

    /// Calls a hook with a reading.
    pub fn report(&self, hook: &str, stat: &Stat, is_cumulative: bool) -> Result<(), ScriptError> {
        let stat = self.stat(stat, is_cumulative)?;
        let hook: Function = self.host_call("hook", hook)?;
        let arguments = (hook, stat).into_lua_multi(&self.lua)?;
        self.guarded(arguments).map(|_| ())
    }

    /// Finishes what reporters have begun, such as a JSON list.
    pub fn finish_reports(&self) {
        // A list that can't be finished doesn't fail a run.
        let _: Result<(), ScriptError> = self.host_call("finish_reports", ());
    }

    fn guarded(&self, arguments: mlua::MultiValue) -> Result<LuaValue, ScriptError> {
        unguarded(self.host_call("guarded", arguments)?)
    }

    /// Whether the script has a command of this name: if so, whether it is for all threads.
    pub fn command(&self, name: &str) -> Result<Option<bool>, ScriptError> {
        self.host_call("command", name)
    }

    /// Runs a command of the script; false if it reports failure.
    pub fn run_command(&self, name: &str) -> Result<bool, ScriptError> {
        let function: Function = self.host.get("call_command")?;
        let arguments = (function, name).into_lua_multi(&self.lua)?;
        Ok(!matches!(
            self.guarded(arguments)?,
            LuaValue::Boolean(false)
        ))
    }

    /// An option whose value is refused by the script itself.
    pub fn refused(&self) -> Result<Option<(String, String)>, ScriptError> {
        let (name, value): (Option<String>, Option<String>) = self.host_call("refused", ())?;
        Ok(name.zip(value))
    }

    /// The first line of a run: it begins like sysbench's, and says what this is. Nobody compares
    /// it, unlike `sysbench.version_string`.
    pub fn version_line(&self) -> String {
        let jit = self.lua.load("return jit.version").eval::<String>();
        let jit = jit.unwrap_or_else(|_| "LuaJIT".to_owned());
        let dyno = env!("CARGO_PKG_VERSION");
        format!("sysbench {VERSION} (Dyno {dyno}, using bundled {jit})")
    }

    /// Prints the script's options.
    pub fn print_options(&self) -> Result<(), ScriptError> {
        self.host_call("print_options", ())
    }

    fn host_call<R: mlua::FromLuaMulti>(
        &self,
        function: &str,
        arguments: impl IntoLuaMulti,
    ) -> Result<R, ScriptError> {
        let function: Function = self.host.get(function)?;
        Ok(function.call(arguments)?)
    }

    fn stat(&self, stat: &Stat, is_cumulative: bool) -> LuaResult<Table> {
        let table = self.lua.create_table()?;
        table.set("threads_running", stat.threads_running)?;
        table.set("time_interval", stat.time_interval_s)?;
        table.set("time_total", stat.time_total_s)?;
        table.set("latency_pct", stat.percentile_s())?;
        table.set("events", stat.events)?;
        table.set("reads", stat.reads)?;
        table.set("writes", stat.writes)?;
        table.set("other", stat.other)?;
        table.set("errors", stat.errors)?;
        table.set("reconnects", stat.reconnects)?;
        if is_cumulative {
            table.set("latency_min", stat.latency_min_s)?;
            table.set("latency_max", stat.latency_max_s)?;
            table.set("latency_avg", stat.latency_avg_s)?;
            table.set("latency_sum", stat.latency_sum_s)?;
        } else {
            table.set("queue_length", stat.queue_length)?;
            table.set("concurrency", stat.concurrency)?;
        }
        Ok(table)
    }
}

/// What a guarded call gave, or raised.
fn unguarded((is_well, result): (bool, LuaValue)) -> Result<LuaValue, ScriptError> {
    match is_well {
        true => Ok(result),
        false => Err(ScriptError::raised(&result)),
    }
}

impl Drop for State {
    fn drop(&mut self) {
        shared::leave();
    }
}

/// An option as the prelude describes it.
fn declared(table: &Table) -> LuaResult<Spec> {
    let kind: String = table.get("kind")?;
    let default: Option<String> = table.get("default")?;
    Ok(Spec {
        name: table.get::<String>("name")?.into(),
        short: None,
        takes: match kind.as_str() {
            "bool" => Kind::Bool,
            "int" => Kind::Int,
            "size" => Kind::Size,
            "double" => Kind::Double,
            "list" => Kind::List,
            "file" => Kind::File,
            _ => Kind::Text,
        },
        default: default.map(Cow::Owned),
        help: table.get::<String>("description")?.into(),
    })
}
