//! The command `run`, and commands that all threads run: threads, start, limits, end.

mod bundled;
mod gate;
mod plan;
mod reporter;
mod worker;

use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::log::{self, say, Level};
use crate::lua::State;
use crate::options::Limit;
use crate::report;
use crate::shared::Shared;
use bundled::Crew;
use gate::{Gate, Start};
use reporter::At;

pub use worker::{failed, make_room};

/// Less stack than this isn't enough for Lua and the connection together.
const STACK_BYTES_MIN: usize = 512 * 1024;
/// How often to check for the end of a run.
const TICK: Duration = Duration::from_millis(100);

/// The exit codes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Well = 0,
    Failed = 1,
    /// Cut off: the time for the end, or for the start, was up.
    CutOff = 2,
}

/// What the threads of a run share.
#[derive(Debug)]
struct Run {
    shared: Arc<Shared>,
    gate: Gate,
}

/// Runs the script's events. `state` is that of the main thread, with the script loaded.
pub fn run(shared: &Arc<Shared>, state: &State) -> Exit {
    if state.has("init") {
        if let Err(error) = state.call("init", ()) {
            failed("init", &error);
            return Exit::Failed;
        }
    }
    if !state.has("event") {
        let script = shared.script_name();
        say(
            Level::Fatal,
            &format!("cannot find the event() function in {script}"),
        );
        return Exit::Failed;
    }
    log::print(&report::banner(&shared.settings));
    log::print("Initializing worker threads...\n\n");
    let run = Arc::new(Run {
        shared: Arc::clone(shared),
        gate: Gate::default(),
    });
    let begun = Instant::now();
    let crew = Crew::assemble(shared, state);
    let reporters = match start(&run, crew, begun) {
        Ok(reporters) => reporters,
        Err(exit) => return exit,
    };
    let cut_off = wait(&run);
    run.gate.close();
    if cut_off {
        finish_recording(&run, false);
        return cut_short(&run, state);
    }
    for reporter in reporters {
        // One that panicked has reported that itself.
        let _ = reporter.join();
    }
    finish_recording(&run, !run.shared.pace.has_failed());
    end(&run, state)
}

fn finish_recording(run: &Run, complete: bool) {
    let Shared {
        recording,
        stats,
        pace,
        settings,
        ..
    } = run.shared.as_ref();
    let Some(recording) = recording else {
        return;
    };
    let finished = recording.finish(stats, pace.now_ns(), settings.threads, complete);
    reported(run, finished);
}

/// Starts all threads; returns the reporters'. Time spent connecting in vain counts in their limit.
fn start(run: &Arc<Run>, crew: Option<Crew>, begun: Instant) -> Result<Vec<JoinHandle<()>>, Exit> {
    let settings = &run.shared.settings;
    let mut limit = Duration::from_secs(settings.init_timeout_s);
    if crew.is_none() {
        limit = limit.saturating_sub(begun.elapsed());
    }
    let reporters = match spawn_all(run, crew) {
        Ok(reporters) => reporters,
        Err(error) => {
            say(Level::Fatal, &error.to_string());
            return Err(Exit::Failed);
        }
    };
    match run.gate.wait_ready(settings.threads, limit) {
        Start::Ready => {}
        Start::Failed => {
            say(Level::Fatal, "Thread initialization failed!");
            return Err(Exit::Failed);
        }
        Start::Late => {
            let limit_s = settings.init_timeout_s;
            let line = format!("Worker threads failed to initialize within {limit_s} seconds!");
            say(Level::Fatal, &line);
            return Err(Exit::CutOff);
        }
    }
    log::print("Threads started!\n\n");
    run.shared.pace.start();
    if let Some(recording) = &run.shared.recording {
        // By no thread that may be late, as the start is when its clock shows 0.
        reported(run, recording.hello());
        recording.begin(&run.shared.stats);
    }
    run.gate.open(settings.threads);
    Ok(reporters)
}

fn spawn_all(run: &Arc<Run>, crew: Option<Crew>) -> Result<Vec<JoinHandle<()>>, Error> {
    let settings = &run.shared.settings;
    let mut reporters = Vec::new();
    if settings.report_interval_s > 0 {
        reporters.push(spawn(run, |run| reported(run, reporter::intervals(run)))?);
    }
    if !settings.checkpoints_s.is_empty() {
        reporters.push(spawn(run, |run| reported(run, reporter::checkpoints(run)))?);
    }
    if run.shared.recording.is_some() {
        reporters.push(spawn(run, |run| {
            let recorded = run.shared.recording.as_ref();
            reported(
                run,
                recorded.map_or(Ok(()), |own| reporter::record(run, own)),
            );
        })?);
    }
    if let Some(crew) = crew {
        spawn(run, move |run| crew.work(run))?;
        return Ok(reporters);
    }
    for number in 0..settings.threads {
        spawn(run, move |run| worker::work(run, number))?;
    }
    Ok(reporters)
}

fn spawn(
    run: &Arc<Run>,
    body: impl FnOnce(&Arc<Run>) + Send + 'static,
) -> Result<JoinHandle<()>, Error> {
    let run = Arc::clone(run);
    let stack_bytes = run.shared.settings.stack_bytes.max(STACK_BYTES_MIN);
    let builder = Builder::new().stack_size(stack_bytes);
    let spawned = builder.spawn(move || body(&run));
    spawned.map_err(Error::Thread)
}

fn reported(run: &Run, result: Result<(), impl Into<Error>>) {
    if let Err(error) = result {
        failed("report", &error.into());
        run.shared.pace.fail();
    }
}

/// Waits for the end of all workers: true if they were cut off.
fn wait(run: &Run) -> bool {
    let (settings, pace) = (&run.shared.settings, &run.shared.pace);
    if settings.warmup_s > 0 {
        let warmup_s = settings.warmup_s;
        log::print(&format!("Warming up for {warmup_s} seconds...\n\n"));
        let left_ns = pace.warmup_ns().saturating_sub(pace.now_ns());
        let is_over = run.gate.wait_done(Duration::from_nanos(left_ns));
        run.shared.end_warmup();
        if is_over {
            return false;
        }
    }
    while !run.gate.wait_done(TICK) {
        // Checked here too, because no worker checks while all are in long events.
        pace.queue_length();
        if let Limit::At(second) = settings.forced {
            let second = second + settings.warmup_s;
            if pace.now_ns() >= second.saturating_mul(1_000_000_000) {
                return true;
            }
        }
    }
    false
}

/// Reports what there is for a run that exceeds its time.
fn cut_short(run: &Run, state: &State) -> Exit {
    let unfinished = run.shared.stats.busy();
    say(
        Level::Fatal,
        "The --max-time limit has expired, forcing shutdown...\n",
    );
    log::print(&format!(
        "Number of unfinished transactions on forced shutdown: {unfinished}\n\n"
    ));
    if let Err(error) = reporter::cumulative(run, state, At::CutOff) {
        failed("report_cumulative", &error);
    }
    Exit::CutOff
}

/// For a run that went well, prints the final report; then calls the script's `done`.
fn end(run: &Run, state: &State) -> Exit {
    let mut exit = Exit::Failed;
    if !run.shared.pace.has_failed() {
        say(Level::Info, "Done.\n");
        match reporter::cumulative(run, state, At::End) {
            Ok(()) => exit = Exit::Well,
            Err(error) => failed("report_cumulative", &error),
        }
        state.finish_reports();
    }
    if state.has("done") {
        if let Err(error) = state.call("done", ()) {
            failed("done", &error);
            return Exit::Failed;
        }
    }
    exit
}

/// Runs a command of the script once in each thread. Like the original, it ends when all are done,
/// but it fails if one of them does.
pub fn in_threads(shared: &Arc<Shared>, command: &str) -> Exit {
    log::print("Initializing worker threads...\n\n");
    let run = Arc::new(Run {
        shared: Arc::clone(shared),
        gate: Gate::default(),
    });
    let mut threads = Vec::new();
    for number in 0..shared.settings.threads {
        let command = command.to_owned();
        match spawn(&run, move |run| once(run, number, &command)) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                say(Level::Fatal, &error.to_string());
                return Exit::Failed;
            }
        }
    }
    let panicked = threads.into_iter().filter_map(|thread| thread.join().err());
    match panicked.count() == 0 && !shared.pace.has_failed() {
        true => Exit::Well,
        false => Exit::Failed,
    }
}

fn once(run: &Run, number: usize, command: &str) {
    let state = match State::ready(&run.shared, number) {
        Ok(state) => state,
        Err(error) => {
            say(Level::Fatal, &error.to_string());
            run.shared.pace.fail();
            return;
        }
    };
    match state.run_command(command) {
        Ok(_) => {}
        Err(error) => {
            failed("sysbench.cmdline.call_command", &error);
            run.shared.pace.fail();
        }
    }
}
