//! Why the program, or a thread of a run, can't go on.

use std::io;

use doors::Failure;

use crate::lua::ScriptError;
use crate::options::OptionError;
use crate::recording::RecordingError;

/// All errors that end a run. The text is what the user reads.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The command line.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The script.
    #[error(transparent)]
    Script(#[from] ScriptError),
    /// The events of `--dyno-events`.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The script could not be read from standard input.
    #[error("can't read the script from standard input: {0}")]
    Input(io::Error),
    /// The script is a pipe or a device.
    #[error("{0} isn't a regular file")]
    Special(String),
    /// One of sysbench's tests that need no database.
    #[error("The test '{0}' doesn't use a database and isn't part of this program")]
    BuiltIn(String),
    /// There is no such test.
    #[error("Cannot find benchmark '{0}': no such built-in test, file or module")]
    NotFound(String),
    /// The script lacks this function, and the command needs it.
    #[error("'{test}' test does not implement the '{command}' command.")]
    NotImplemented { test: String, command: String },
    /// The script has nothing to run.
    #[error("{0} has no function event()")]
    NoEvent(String),
    /// There is no such command.
    #[error("Unknown command: {0}")]
    Command(String),
    /// The operating system can't create more threads.
    #[error("can't start a thread: {0}")]
    Thread(io::Error),
}

impl Error {
    /// What to do about it, if that isn't obvious.
    pub fn hint(&self) -> &str {
        match self {
            Error::Option(error) => error.hint(),
            Error::Special(_) => "give a script on standard input as `-`",
            Error::BuiltIn(_) => "run it with the original sysbench",
            _ => "",
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::refused(error.to_string(), error.hint())
    }
}
