//! The exit codes of this door, and failures with these codes.

pub use doors::Failure;

/// The exit codes for errors before anything runs; 1 and 2 are LinkBench's. Described in
/// docs/reference/linkbench.md.
pub mod exit {
    /// Wrong command line.
    pub const ARGUMENTS: u8 = 1;
    /// Wrong configuration.
    pub const CONFIG: u8 = 2;
    /// The server can't be reached, or its schema isn't as required.
    pub const SERVER: u8 = 3;
    /// A log or a CSV file can't be written.
    pub const OUTPUT: u8 = 5;
}

/// The command line is wrong.
pub fn arguments(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure::new(exit::ARGUMENTS, message, hint)
}

/// The configuration is wrong.
pub fn config(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure::new(exit::CONFIG, message, hint)
}

/// The server refuses.
pub fn server(message: impl Into<String>, hint: impl Into<String>) -> Failure {
    Failure::new(exit::SERVER, message, hint)
}
