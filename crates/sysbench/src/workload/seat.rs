//! A Lua state with its events, apart from any thread.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use wire::Connection;

use crate::lua::{pause, Pause, Progress, Running, State};
use crate::shared::{self, Own, Shared};

/// How often a script may go on to wait for a server although it was given up.
const GIVE_UP_TIMES: usize = 20;

/// What a state has of its own is kept beside it, and is the thread's while a function runs.
pub(super) struct Seat {
    /// `None` while the events wait for a server: they have it.
    own: Option<Box<Own>>,
    running: Option<Running>,
}

impl Seat {
    /// A new state, stopped before its first event.
    pub(super) fn take(shared: &Arc<Shared>, number: usize) -> Result<Seat, String> {
        let begun = begin(shared, number);
        let own = shared::park();
        Ok(Seat {
            own,
            running: Some(begun?),
        })
    }

    fn enter<T>(&mut self, action: impl FnOnce(&mut Self) -> T) -> T {
        if let Some(own) = self.own.take() {
            shared::enter(own);
        }
        let done = action(self);
        self.own = shared::park();
        done
    }

    /// Goes on to the next pause with the answer to the last one.
    pub(super) fn go_on(&mut self, answer: bool) -> Progress {
        self.enter(|seat| match &mut seat.running {
            Some(running) => running.go_on(answer),
            None => Progress::Over(Ok(())),
        })
    }

    /// Gives up what is waited for: goes on until the script asks for its next event, or ends.
    pub(super) fn give_up(&mut self) {
        for _ in 0..GIVE_UP_TIMES {
            if !matches!(self.go_on(false), Progress::Paused(Pause::Server { .. })) {
                return;
            }
        }
    }

    /// Calls a function of the script, if it has it.
    pub(super) fn call_last(&mut self, function: &str, number: usize) {
        self.enter(|seat| {
            let state = seat.running.as_ref().map(Running::state);
            if let Some(state) = state.filter(|state| state.has(function)) {
                // The run is over: what fails here changes no figure.
                let _ = state.call(function, number);
            }
        });
    }

    /// The number of the error that ended the events, if a server gave it.
    pub(super) fn fatal(&self) -> Option<u16> {
        let sessions = self
            .own
            .iter()
            .flat_map(|own| own.sessions.iter().flatten());
        sessions.filter_map(|session| session.fatal).next_back()
    }

    /// A connection of the script.
    pub(super) fn connection(&mut self) -> Option<&mut Connection> {
        self.connections().next()
    }

    fn connections(&mut self) -> impl Iterator<Item = &mut Connection> {
        let own = self.own.iter_mut();
        let sessions = own.flat_map(|own| own.sessions.iter_mut().flatten());
        sessions.filter_map(|session| session.connection())
    }

    /// From now on the script stops where it waits for its only connection. What to wait on; `None`
    /// if there are none or several.
    pub(super) fn share_thread(&mut self) -> Option<OwnedFd> {
        let mut connections = self.connections();
        let (connection, None) = (connections.next()?, connections.next()) else {
            return None;
        };
        let polled = |connection: &mut Connection| -> io::Result<OwnedFd> {
            let descriptor = connection.descriptor().try_clone_to_owned()?;
            let set = connection.set_wait(Some(wait_for_server));
            set.map_err(io::Error::other)?;
            Ok(descriptor)
        };
        polled(connection).ok()
    }

    /// From now on the script keeps its thread while it waits.
    pub(super) fn keep_thread(&mut self) {
        for connection in self.connections() {
            // A socket that refuses this is broken, as its next command will show.
            let _ = connection.set_wait(None);
        }
    }
}

impl Drop for Seat {
    /// The script ends its loop, and Lua's objects are finalised with the thread's data in place.
    fn drop(&mut self) {
        self.give_up();
        self.go_on(false);
        self.enter(|seat| seat.running = None);
    }
}

fn begin(shared: &Arc<Shared>, number: usize) -> Result<Running, String> {
    let state = State::ready(shared, number).map_err(|error| error.to_string())?;
    if state.has("thread_init") {
        let called = state.call("thread_init", number);
        called.map_err(|error| format!("thread_init: {error}"))?;
    }
    let events = state.events(number);
    events.map_err(|error| format!("thread_run: {error}"))
}

fn wait_for_server(sending: bool) -> bool {
    pause(Pause::Server { sending })
}
