//! The name at the start of messages, and warnings.

use std::io::{self, Write};

/// The name at the start of messages.
pub const NAME: &str = "dynoload slap";

/// Prints a line on standard error without ending the run.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
