//! The exit codes of this program, and the failures that several parts of it have.

use std::io;

pub use doors::Failure;

/// The exit codes; up to 13 they are mysqlslap's. Described in docs/reference/slap.md.
pub mod exit {
    /// A run that can't be done, and everything that has no code of its own.
    pub const REFUSED: u8 = 1;
    /// There is no such option.
    pub const UNKNOWN_OPTION: u8 = 2;
    /// Several options start like this.
    pub const AMBIGUOUS_OPTION: u8 = 3;
    /// The option takes no value.
    pub const NO_VALUE_ALLOWED: u8 = 4;
    /// The option needs a value.
    pub const VALUE_NEEDED: u8 = 5;
    /// There is no such option, and it was given a value.
    pub const UNKNOWN_VARIABLE: u8 = 7;
    /// Not a number.
    pub const NOT_A_NUMBER: u8 = 9;
    /// A number out of bounds.
    pub const OUT_OF_BOUNDS: u8 = 13;
    /// A client could not connect, or one of its statements failed.
    pub const CLIENT_FAILED: u8 = 20;
    /// Stopped by a signal.
    pub const SIGNAL: u8 = 130;
}

/// The results can't be written.
pub fn writing(error: &io::Error) -> Failure {
    Failure::refused(
        format!("Could not write the results: {error}"),
        "free space there, or name another file",
    )
}
