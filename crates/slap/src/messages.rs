//! The name that messages begin with, and warnings.

use std::io::{self, Write};

/// The name that messages begin with.
pub const NAME: &str = "dynoload slap";

/// Prints a line on standard error that doesn't end the run.
pub fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
