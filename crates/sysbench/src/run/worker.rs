//! One worker: a thread with its own Lua state, from `thread_init` to `thread_done`.

use std::fmt::Display;
use std::sync::Arc;
use std::thread;

use super::Run;
use crate::log::{say, Level};
use crate::lua::State;

/// Reports a failed call of a script's function.
pub fn failed(function: &str, error: &impl Display) {
    say(
        Level::Fatal,
        &format!("`{function}' function failed: {error}"),
    );
}

/// Makes room for the server on the calling thread, one of `threads`: with a processor for each of
/// them there is no need to.
pub fn make_room(threads: usize) {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    if threads > processors {
        load::yield_to_the_server();
    }
}

/// The whole life of worker `number`.
pub(super) fn work(run: &Arc<Run>, number: usize) {
    make_room(run.shared.settings.threads);
    say(Level::Debug, &format!("Worker thread (#{number}) started"));
    let Some(state) = begin(run, number) else {
        say(
            Level::Debug,
            &format!("Worker thread (#{number}) failed to initialize!"),
        );
        run.gate.fail();
        return;
    };
    say(
        Level::Debug,
        &format!("Worker thread (#{number}) initialized"),
    );
    run.gate.pass(1);
    let stopped = state
        .call("thread_run", number)
        .map_err(|error| ("thread_run", error));
    run.shared.stats.worker(number).abandon();
    let ended = stopped.and_then(|()| match state.has("thread_done") {
        true => state
            .call("thread_done", number)
            .map_err(|error| ("thread_done", error)),
        false => Ok(()),
    });
    if let Err((function, error)) = ended {
        failed(function, &error);
        run.shared.pace.fail();
    }
    drop(state);
    run.gate.leave(1);
}

fn begin(run: &Arc<Run>, number: usize) -> Option<State> {
    let state = match State::ready(&run.shared, number) {
        Ok(state) => state,
        Err(error) => {
            say(Level::Fatal, &error.to_string());
            return None;
        }
    };
    if state.has("thread_init") {
        if let Err(error) = state.call("thread_init", number) {
            failed("thread_init", &error);
            return None;
        }
    }
    Some(state)
}
