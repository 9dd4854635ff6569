//! One worker: a thread with a Lua state of its own, from `thread_init` to `thread_done`.

use std::sync::Arc;
use std::thread;

use super::Run;
use crate::log::{say, Level};
use crate::lua::State;

/// What a call of the script's that failed is reported as.
pub fn failed(function: &str, message: &str) {
    say(
        Level::Fatal,
        &format!("`{function}' function failed: {message}"),
    );
}

/// The whole life of worker `number`.
pub(super) fn work(run: &Arc<Run>, number: usize) {
    // With a processor a thread there is nobody to make room for.
    let processors = thread::available_parallelism().map_or(1, usize::from);
    if run.shared.settings.threads > processors {
        load::yield_to_the_server();
    }
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
        .map_err(|message| ("thread_run", message));
    run.shared.stats.worker(number).abandon();
    let ended = stopped.and_then(|()| match state.has("thread_done") {
        true => state
            .call("thread_done", number)
            .map_err(|message| ("thread_done", message)),
        false => Ok(()),
    });
    if let Err((function, message)) = ended {
        failed(function, &message);
        run.shared.pace.fail();
    }
    drop(state);
    run.gate.leave(1);
}

fn begin(run: &Arc<Run>, number: usize) -> Option<State> {
    let state = match State::ready(&run.shared, number) {
        Ok(state) => state,
        Err(message) => {
            say(Level::Fatal, &message);
            return None;
        }
    };
    if state.has("thread_init") {
        if let Err(message) = state.call("thread_init", number) {
            failed("thread_init", &message);
            return None;
        }
    }
    Some(state)
}
