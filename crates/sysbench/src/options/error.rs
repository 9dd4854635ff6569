//! Why a command line is refused. Most of the texts are sysbench's own, which its users know.

use std::io;

/// An option or a word that can't be accepted.
#[derive(Debug, thiserror::Error)]
pub enum OptionError {
    /// The text isn't a value of the option's kind.
    #[error("Invalid value for the '{name}' option: '{value}'")]
    Kind { name: String, value: String },
    /// Neither the program nor the script has such an option.
    #[error("invalid option: --{name}{}", with_sign(value))]
    Unknown {
        name: String,
        value: Option<String>,
        hint: String,
    },
    /// The option is on or off, and this is neither; sysbench reports it with the same text.
    #[error("invalid option: --{name}{}", with_sign(value))]
    Switch { name: String, value: Option<String> },
    /// A third word that isn't an option.
    #[error("Unrecognized command line argument: {0}")]
    Word(String),
    /// The options file can't be read.
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    /// A number out of bounds.
    #[error("Invalid value for --{name}: {value}")]
    Bounds { name: String, value: String },
    /// Fewer than one thread; sysbench ends this line differently from all others.
    #[error("Invalid value for --threads: {0}.\n")]
    Threads(i64),
    /// A text that the option doesn't accept.
    #[error("Invalid value for --{name}: '{value}'")]
    Text { name: &'static str, value: String },
    /// There is no such distribution.
    #[error("Invalid random numbers distribution: {0}.")]
    Distribution(String),
    /// A histogram is requested, but percentiles are off.
    #[error("--histogram cannot be used with --percentile=0")]
    HistogramAlone,
    /// A certificate is to be verified, but no CA file is given.
    #[error("--mysql-ssl is to verify, but --mysql-ssl-ca names no file")]
    NoAuthorities,
    /// sysbench has the option, this program doesn't.
    #[error("--{0} is not supported")]
    Unsupported(String),
}

fn with_sign(value: &Option<String>) -> String {
    value
        .as_ref()
        .map_or(String::new(), |value| format!("={value}"))
}

impl OptionError {
    /// `name` is as scripts see it, with underscores.
    pub(super) fn bounds(name: &str, value: impl ToString) -> OptionError {
        OptionError::Bounds {
            name: name.replace('_', "-"),
            value: value.to_string(),
        }
    }

    pub(super) fn text(name: &'static str, value: &str) -> OptionError {
        OptionError::Text {
            name,
            value: value.to_owned(),
        }
    }

    /// What to do about it, if that isn't obvious.
    pub fn hint(&self) -> &str {
        match self {
            OptionError::Unknown { hint, .. } => hint,
            OptionError::Unsupported(_) => "leave it out, or use the original sysbench for it",
            _ => "",
        }
    }
}
