//! The one error of a door: what failed, what to do about it, and the exit code.

use std::fmt::{self, Display, Formatter};
use std::io::{self, Write};

/// Why a program ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What the shell gets.
    pub code: u8,
    /// What failed, and the value seen.
    pub message: String,
    /// What to do next; may be empty.
    pub hint: String,
}

impl Failure {
    /// With this exit code.
    pub fn new(code: u8, message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// With the exit code for everything that has none of its own.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(1, message, hint)
    }

    /// Prints it on standard error, after the name of the program unless that is empty.
    pub fn print(&self, name: &str) {
        let sign = if name.is_empty() { "" } else { ": " };
        // If standard error is gone, nobody is left to read it.
        let _ = io::stderr().write_all(format!("{name}{sign}{self}\n").as_bytes());
    }
}

impl Display for Failure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.hint.as_str() {
            "" => Ok(()),
            hint => write!(f, "\nhint: {hint}"),
        }
    }
}

/// A hint that names the known word that was probably meant, after `sign`; else `otherwise`.
pub fn did_you_mean<'a>(
    sign: &str,
    seen: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    match workloads::nearest(seen, known) {
        Some(name) => format!("did you mean {sign}{name}?"),
        None => otherwise.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_a_line_of_its_own() {
        let bare = Failure::refused("no", "");
        assert_eq!((bare.to_string().as_str(), bare.code), ("no", 1));
        let hinted = Failure::new(7, "no", "say yes");
        assert_eq!(hinted.to_string(), "no\nhint: say yes");
    }

    #[test]
    fn a_slip_is_named_and_another_word_is_not() {
        let hint = |seen| did_you_mean("--", seen, ["threads", "time"], "see --help");
        assert_eq!(hint("thraeds"), "did you mean --threads?");
        assert_eq!(hint("events"), "see --help");
    }
}
