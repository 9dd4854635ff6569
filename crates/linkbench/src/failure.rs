//! The one error of this door: what is told, what to do about it, and the exit code.

/// The exit codes of what is wrong before anything runs; 1 and 2 are LinkBench's. Described in
/// docs/reference/linkbench.md.
pub mod exit {
    /// Wrong command line.
    pub const ARGUMENTS: u8 = 1;
    /// Wrong configuration.
    pub const CONFIG: u8 = 2;
    /// The server can't be reached, or its schema isn't as it must be.
    pub const SERVER: u8 = 3;
    /// A log or a CSV file can't be written.
    pub const OUTPUT: u8 = 5;
}

/// Why the program ends early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What the shell sees.
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

    /// The command line is wrong.
    pub fn arguments(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(exit::ARGUMENTS, message, hint)
    }

    /// The configuration is wrong.
    pub fn config(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(exit::CONFIG, message, hint)
    }

    /// The server says no.
    pub fn server(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        Failure::new(exit::SERVER, message, hint)
    }

    /// As it is told, in one or two lines.
    pub fn text(&self) -> String {
        match self.hint.as_str() {
            "" => format!("{}: {}\n", crate::NAME, self.message),
            hint => format!("{}: {}\nhint: {hint}\n", crate::NAME, self.message),
        }
    }
}

/// Which of the known words was meant, as a hint; `otherwise` if none is like it.
pub fn did_you_mean<'a>(
    seen: &str,
    known: impl Iterator<Item = &'a str>,
    otherwise: &str,
) -> String {
    let near = known
        .map(|name| {
            (
                strsim::normalized_damerau_levenshtein(&seen.to_lowercase(), name),
                name,
            )
        })
        // Less alike than this is another word, not a slip.
        .filter(|&(likeness, _)| likeness >= 0.7)
        .max_by(|left, right| left.0.total_cmp(&right.0));
    match near {
        Some((_, name)) => format!("did you mean {name}?"),
        None => otherwise.to_owned(),
    }
}
