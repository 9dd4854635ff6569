//! Messages on standard output, unbuffered: errors and progress.
//!
//! A repeated message is counted instead. Reports aren't messages: they are written unchanged.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much a message matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The run, or a part of it, can't go on.
    Fatal,
    /// A call was wrong and did nothing.
    Alert,
    /// Something probably isn't as intended.
    Warning,
    /// What everybody wants to see.
    Notice,
    /// More than that.
    Info,
    /// Everything.
    Debug,
}

impl Level {
    /// By number, as known to scripts' preludes.
    pub fn from_number(number: u8) -> Level {
        match number {
            0 => Level::Fatal,
            1 => Level::Alert,
            2 => Level::Warning,
            3 => Level::Notice,
            4 => Level::Info,
            _ => Level::Debug,
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Level::Fatal => "FATAL: ",
            Level::Alert => "ALERT: ",
            Level::Warning => "WARNING: ",
            Level::Debug => "DEBUG: ",
            Level::Notice | Level::Info => "",
        }
    }
}

#[derive(Default)]
struct Last {
    message: String,
    repeats: u64,
}

static VERBOSITY: AtomicU8 = AtomicU8::new(3);
static LAST: Mutex<Option<Last>> = Mutex::new(None);
/// The last message of level fatal.
static FATAL: Mutex<String> = Mutex::new(String::new());
static UNWRITTEN: Mutex<Option<String>> = Mutex::new(None);

/// Messages up to this level are shown.
pub fn set_verbosity(verbosity: u8) {
    VERBOSITY.store(verbosity, Ordering::Relaxed);
}

/// True if messages of the level are shown.
pub fn shows(level: Level) -> bool {
    level as u8 <= VERBOSITY.load(Ordering::Relaxed)
}

/// Prints a message, if its level is shown.
pub fn say(level: Level, message: &str) {
    if level == Level::Fatal {
        *FATAL.lock().unwrap_or_else(PoisonError::into_inner) = message.to_owned();
    }
    if !shows(level) {
        return;
    }
    let line = format!("{}{message}\n", level.prefix());
    let mut last = lock();
    if let Some(last) = last.as_mut().filter(|last| last.message == line) {
        last.repeats += 1;
        return;
    }
    flush_repeats(&mut last);
    write(&line);
    *last = Some(Last {
        message: line,
        repeats: 0,
    });
}

/// The last message about something that can't go on; empty if there was none.
pub fn last_fatal() -> String {
    FATAL.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Writes text as it is, if notices are shown.
pub fn print(text: &str) {
    if shows(Level::Notice) {
        print_always(text);
    }
}

/// Writes text as it is.
pub fn print_always(text: &str) {
    let mut last = lock();
    flush_repeats(&mut last);
    write(text);
}

fn lock() -> MutexGuard<'static, Option<Last>> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner)
}

fn flush_repeats(last: &mut Option<Last>) {
    if let Some(Last {
        repeats: repeats @ 1..,
        ..
    }) = last
    {
        write(&format!("(last message repeated {repeats} times)\n"));
    }
    *last = None;
}

/// A failed write doesn't stop a load, but is reported at its end; if the reader went away, not
/// even that.
fn write(text: &str) {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Err(error) = written {
        if error.kind() != io::ErrorKind::BrokenPipe {
            let mut first = UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert_with(|| error.to_string());
        }
    }
}

/// Why something could not be written, if that ever happened.
pub fn unwritten() -> Option<String> {
    let first = UNWRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
    first.clone()
}
