//! A run from the inside: the phases of each iteration in order, and the report after each cell.

use std::ffi::OsStr;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use load::{Histogram, Purpose, Stop};
use nix::sys::resource::{getrusage, UsageWho};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::clients::Common;
use crate::failure::{exit, Failure};
use crate::lists::Lists;
use crate::measure::{measure, stopped, Timed};
use crate::messages::warn;
use crate::only_print;
use crate::options::{Limit, Settings};
use crate::order::{groups, Cell, Group};
use crate::report::{say, Iteration, Progress, Reports, Results};
use crate::server::Server;
use workloads::slap::Statement;

/// Keys are drawn from here.
const SEED: u64 = 42;

/// Runs everything.
pub fn run(settings: &Settings) -> Result<(), Failure> {
    let progress = Progress::new(settings.verbose);
    let lists = Lists::build(settings, progress)?;
    if settings.only_print {
        return only_print::run(settings, &lists);
    }
    let reports = Reports::open(settings)?;
    let stop = Stop::new();
    listen(&stop)?;
    let server = Server::connect(settings, progress)?;
    let mut run = Run {
        settings,
        lists,
        server,
        reports,
        stop,
        progress,
        iterations: 0,
    };
    let done = groups(settings)
        .iter()
        .try_for_each(|group| run.group(group));
    if let Err(failure) = done {
        if !settings.no_drop {
            run.server.clean_up();
        }
        return Err(failure);
    }
    if settings.debug_info {
        say(&debug_info())?;
    }
    Ok(())
}

/// The first signal ends the run cleanly, dropping the schema; the second ends it at once.
fn listen(stop: &Stop) -> Result<(), Failure> {
    for signal in [SIGINT, SIGTERM] {
        let handled =
            flag::register_conditional_shutdown(signal, i32::from(exit::SIGNAL), stop.flag())
                .and_then(|_| flag::register(signal, stop.flag()));
        handled
            .map_err(|error| Failure::refused(format!("signals can't be caught: {error}"), ""))?;
    }
    Ok(())
}

struct Run<'a> {
    settings: &'a Settings,
    lists: Lists,
    server: Server,
    reports: Reports,
    stop: Stop,
    progress: Progress,
    /// How many began, so that no iteration draws the keys of the previous one.
    iterations: u64,
}

impl Run<'_> {
    fn group(&mut self, group: &Group) -> Result<(), Failure> {
        if group.begins {
            self.progress.step("Starting Concurrency Test")?;
        }
        let mut found: Vec<(Vec<Iteration>, Histogram)> = Vec::new();
        found.resize_with(group.cells.len(), || (Vec::new(), Histogram::new()));
        for _ in 0..self.settings.iterations {
            for (cell, (iterations, latency)) in group.cells.iter().zip(&mut found) {
                iterations.push(self.iteration(cell, latency)?);
            }
        }
        for (cell, (iterations, latency)) in group.cells.iter().zip(found) {
            self.progress.step("Generating stats")?;
            let share = self.lists.share(self.settings.limit, cell.clients);
            self.reports.add(&Results {
                engine: cell.engine.as_ref().map(|engine| engine.name.clone()),
                load_type: self.settings.load_type.clone(),
                clients: cell.clients,
                shown: share.shown,
                is_timed: matches!(self.settings.limit, Limit::Time(_)),
                iterations,
                latency,
            })?;
        }
        if group.ends && self.drops() {
            self.server.drop_schema()?;
        }
        Ok(())
    }

    /// True if schemas are created and dropped: only if this run creates the tables.
    fn drops(&self) -> bool {
        self.lists.makes_schema && !self.settings.no_drop
    }

    fn iteration(&mut self, cell: &Cell, latency: &mut Histogram) -> Result<Iteration, Failure> {
        let settings = self.settings;
        if self.stop.is_set() {
            return Err(stopped());
        }
        if settings.commit > 0 && self.iterations > 0 {
            // Otherwise this fill would wait for a COMMIT, and clients wouldn't see its rows.
            self.server.run(b"SET AUTOCOMMIT=1")?;
        }
        self.iterations += 1;
        if self.drops() {
            self.server.drop_schema()?;
        }
        let start = Instant::now();
        if self.lists.makes_schema {
            self.server
                .create_schema(&self.lists, cell.engine.as_ref())?;
        }
        let load = start.elapsed();
        let keys = self
            .server
            .keys(self.lists.has_keys, cell.engine.as_ref())?;
        if settings.commit > 0 {
            self.server.run(b"SET AUTOCOMMIT=0")?;
        }
        shell("pre_system", settings.pre_system.as_deref());
        self.statements(|lists| &lists.pre)?;
        let timed = self.timed(cell, keys, latency)?;
        self.statements(|lists| &lists.post)?;
        shell("post_system", settings.post_system.as_deref());
        Ok(Iteration {
            load: self.lists.makes_schema.then_some(load),
            timed,
        })
    }

    fn statements(&mut self, of: impl Fn(&Lists) -> &Vec<Statement>) -> Result<(), Failure> {
        let Run { lists, server, .. } = self;
        of(lists)
            .iter()
            .try_for_each(|statement| server.run(&statement.sql))
    }

    fn timed(
        &self,
        cell: &Cell,
        keys: Vec<Vec<u8>>,
        latency: &mut Histogram,
    ) -> Result<Timed, Failure> {
        use std::os::unix::ffi::OsStrExt;
        let settings = self.settings;
        let common = Arc::new(Common {
            options: self.server.options.clone(),
            list: self.lists.query.clone(),
            keys,
            draws: Purpose::new(SEED, &format!("slap/keys/{}", self.iterations)),
            init_command: settings
                .init_command
                .as_ref()
                .map(|sql| sql.as_bytes().to_vec()),
            commit: settings.commit,
            detach: settings.detach,
            prepared: settings.prepared,
            progress: self.progress,
            stop: self.stop.clone(),
            failure: Mutex::new(None),
        });
        let share = self.lists.share(settings.limit, cell.clients);
        let time = match settings.limit {
            Limit::Time(time) => Some(time),
            _ => None,
        };
        measure(&common, cell.clients, share, time, latency)
    }
}

/// Runs a shell command. As in mysqlslap, its failure is reported and the run continues.
fn shell(name: &str, command: Option<&OsStr>) {
    let Some(command) = command else {
        return;
    };
    use std::os::unix::process::ExitStatusExt;
    match Command::new("sh").arg("-c").arg(command).status() {
        Ok(status) if status.success() => {}
        Ok(status) => {
            let raw = status.into_raw();
            warn(&format!(
                "Warning: Execution of {name} option returned {raw}."
            ));
        }
        Err(error) => warn(&format!("Warning: Execution of {name} option: {error}")),
    }
}

/// What --debug-info prints at the end.
fn debug_info() -> String {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_SELF) else {
        return String::new();
    };
    let seconds = |seconds: i64, micros: i64| {
        Duration::from_micros((seconds * 1_000_000 + micros).unsigned_abs()).as_secs_f64()
    };
    let (user, system) = (usage.user_time(), usage.system_time());
    format!(
        "\nUser time {:.2}, System time {:.2}\nMaximum resident set size {}\n",
        seconds(user.tv_sec(), user.tv_usec()),
        seconds(system.tv_sec(), system.tv_usec()),
        usage.max_rss()
    )
}
