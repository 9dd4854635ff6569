//! A script's event loop on a stack of its own: it stops where it asks for the next event, and
//! where it waits for the server, so that many loops share a thread.
//!
//! Lua sees a C function that returns late. So LuaJIT compiles the loop as it does under sysbench,
//! which it wouldn't do with a coroutine of Lua's own.
//!
//! Unsafe, because a loop goes on through a pointer to where it stopped, and because it goes on in
//! other threads than the one in which it began.

#![allow(unsafe_code)]

use std::cell::Cell;
use std::io;
use std::mem::ManuallyDrop;
use std::ptr;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::{ScriptError, State};

/// As much as a thread has that runs scripts; what isn't used takes no memory.
const STACK_BYTES: usize = 1024 * 1024;

/// Why a loop stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// It asks for the next event: the previous one, if any, is done. The answer is whether there
    /// is one.
    Event,
    /// It waits until it can read from the server or, if `sending`, write to it. The answer is
    /// whether to go on: if not, the command fails.
    Server { sending: bool },
}

/// How far a loop is.
#[derive(Debug)]
pub enum Progress {
    Paused(Pause),
    /// It ended, or an error ended it.
    Over(Result<(), ScriptError>),
}

type Place = Yielder<bool, Pause>;
type Loop = Coroutine<bool, Pause, Result<(), ScriptError>>;

thread_local! {
    /// Where the loop stops that runs on this thread.
    static PLACE: Cell<*const Place> = const { Cell::new(ptr::null()) };
}

/// Stops the loop that calls this until it goes on with the returned answer; false at once where
/// no loop runs.
// Not inlined: what goes on in another thread mustn't keep the address of a variable of this one.
#[inline(never)]
pub fn pause(pause: Pause) -> bool {
    // SAFETY: while a loop runs this is its own, on its stack; otherwise it is null.
    match unsafe { PLACE.get().as_ref() } {
        Some(place) => place.suspend(pause),
        None => false,
    }
}

/// True within a loop.
pub fn is_in_loop() -> bool {
    !PLACE.get().is_null()
}

/// A state whose loop has begun.
pub struct Running {
    /// Dropped only when it has ended: what is on its stack can't be undone from outside, since
    /// Lua's frames are in between.
    events: ManuallyDrop<Loop>,
    place: *const Place,
    state: State,
}

// SAFETY: a state and all that refers to it, on its stack too, are in here, and one thread at a
// time has it. Between threads a loop is always in `pause`, and nothing there is a thread's own.
unsafe impl Send for Running {}

impl Running {
    /// Gives a loop of `state` its stack; it begins with [`Running::go_on`].
    pub fn new(
        state: State,
        run: impl FnOnce() -> Result<(), ScriptError> + 'static,
    ) -> io::Result<Running> {
        let body = move |place: &Place, _: bool| {
            PLACE.set(place);
            run()
        };
        let events = Coroutine::with_stack(DefaultStack::new(STACK_BYTES)?, body);
        Ok(Running {
            events: ManuallyDrop::new(events),
            place: ptr::null(),
            state,
        })
    }

    /// Goes on to the next pause with the answer to the last one.
    pub fn go_on(&mut self, answer: bool) -> Progress {
        if self.events.done() {
            return Progress::Over(Ok(()));
        }
        PLACE.set(self.place);
        let progress = match self.events.resume(answer) {
            CoroutineResult::Yield(pause) => Progress::Paused(pause),
            CoroutineResult::Return(result) => Progress::Over(result),
        };
        self.place = PLACE.replace(ptr::null());
        progress
    }

    /// The state, for calls outside its loop.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.events.done() {
            // SAFETY: nothing uses it after this.
            unsafe { ManuallyDrop::drop(&mut self.events) };
        }
    }
}
