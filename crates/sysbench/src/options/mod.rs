//! The options of a command line: which ones exist, which were given, and their values.
//!
//! What they mean is in `settings`. Names are kept with underscores; `-` and `_` are equivalent.

mod error;
mod help;
mod kind;
mod settings;
mod table;

use std::collections::HashMap;
use std::path::Path;

use doors::did_you_mean;
use workloads::bounded;

pub use error::OptionError;
pub use help::{general_help, lines as help_lines};
pub use kind::{Kind, Value};
pub use settings::{Limit, Login, Settings};
use table::GROUPS;

/// Larger than any options file.
const FILE_BYTES: u64 = 1 << 20;

/// An option that can be given; scripts find its value under its name.
pub type Spec = doors::Spec<Kind>;
/// Options under one heading.
type Group = doors::Group<Kind>;

/// A parsed command line.
#[derive(Debug, Default)]
pub struct Options {
    values: HashMap<String, Value>,
    /// Options given, as typed, that stay unknown until the script has declared its own.
    unknown: Vec<(String, Option<String>)>,
    /// What isn't an option: the test's name and the command.
    pub words: Vec<String>,
    /// Deprecated spellings that were used, as warnings.
    pub warnings: Vec<String>,
    /// Deprecated options that were used, and what to use instead.
    pub deprecated: Vec<(&'static str, &'static str)>,
}

/// The name under which scripts find an option.
pub fn key(name: &str) -> String {
    name.replace('-', "_")
}

/// True for an option that is known without a script; `name` as scripts find it.
pub fn is_built_in(name: &str) -> bool {
    built_in().any(|known| key(&known.name) == name)
}

fn built_in() -> impl Iterator<Item = &'static Spec> {
    GROUPS.iter().flat_map(|group| group.options)
}

impl Options {
    /// Reads the arguments.
    pub fn read(arguments: &[String]) -> Result<Options, OptionError> {
        let mut options = Options::default();
        for option in built_in() {
            let value = option.takes.default(option.default.as_deref());
            options.values.insert(key(&option.name), value);
        }
        for argument in arguments {
            match argument.strip_prefix("--") {
                Some(option) => options.take(option)?,
                None => options.words.push(argument.clone()),
            }
        }
        options.follow_aliases();
        match options.words.get(2) {
            Some(third) => Err(OptionError::Word(third.clone())),
            None => Ok(options),
        }
    }

    fn take(&mut self, option: &str) -> Result<(), OptionError> {
        let (typed, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let name = key(typed);
        match name.as_str() {
            "test" => {
                self.warnings.push(
                    "the --test option is deprecated. You can pass a script name or path on the \
                     command line without any options."
                        .to_owned(),
                );
                self.words.insert(0, value.unwrap_or_default().to_owned());
                return Ok(());
            }
            "config_file" => return self.read_file(value.unwrap_or_default()),
            _ => {}
        }
        match built_in().find(|known| key(&known.name) == name) {
            Some(known) => {
                let value = parse(typed, known.takes, value)?;
                self.values.insert(name, value);
            }
            None => {
                let value = value.map(str::to_owned);
                self.unknown.push((typed.to_owned(), value));
            }
        }
        Ok(())
    }

    /// A deprecated option overrides the one it stands for, in any order, unless its value is its
    /// default. Older scripts find it under its old name.
    fn follow_aliases(&mut self) {
        for &(old, now, unset) in table::ALIASES {
            let value = self.get(&key(old)).clone();
            if value.int() > unset {
                self.deprecated.push((old, now));
                self.values.insert(key(now), value);
            }
        }
    }

    /// A file of lines `name=value`; `#` starts a comment.
    fn read_file(&mut self, path: &str) -> Result<(), OptionError> {
        let text = bounded::text(Path::new(path), FILE_BYTES);
        let text = text.map_err(|source| OptionError::File {
            path: path.to_owned(),
            source,
        })?;
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let line = line.trim_start_matches("--");
            match line.split_once('=') {
                Some((name, value)) => {
                    let value = value.trim().trim_matches(['"', '\'']);
                    self.take(&format!("{name}={value}"))?;
                }
                None => self.take(line)?,
            }
        }
        Ok(())
    }

    /// Takes what the script declares. Options still unknown are then an error, unless the script
    /// declares nothing at all: then every option is the script's, and a text.
    pub fn declare(&mut self, declared: &[Spec]) -> Result<(), OptionError> {
        for option in declared {
            let name = key(&option.name);
            let value = option.takes.default(option.default.as_deref());
            self.values.insert(name, value);
        }
        for (typed, given) in std::mem::take(&mut self.unknown) {
            let name = key(&typed);
            match declared.iter().find(|known| key(&known.name) == name) {
                Some(known) => {
                    let value = parse(&typed, known.takes, given.as_deref())?;
                    self.values.insert(name, value);
                }
                None if declared.is_empty() => {
                    let value = Value::Text(given.unwrap_or_default());
                    self.values.insert(name, value);
                }
                None => return Err(unknown(&typed, given, declared)),
            }
        }
        Ok(())
    }

    /// Every option with its value.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.values
            .iter()
            .map(|(name, value)| (name.as_str(), value))
    }

    /// The value of an option; [`Value::Unset`] if there is none of this name.
    pub fn get(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Unset)
    }
}

/// Neither the program nor the script has an option of this name.
fn unknown(typed: &str, value: Option<String>, declared: &[Spec]) -> OptionError {
    let own = built_in().map(|known| known.name.as_ref());
    let known = own.chain(declared.iter().map(|known| known.name.as_ref()));
    OptionError::Unknown {
        name: typed.to_owned(),
        value,
        hint: did_you_mean("--", &typed.replace('_', "-"), known, ""),
    }
}

/// In one error sysbench shows the option as typed, in the other as it stores its name.
fn parse(typed: &str, kind: Kind, given: Option<&str>) -> Result<Value, OptionError> {
    kind.parse(given).ok_or_else(|| match kind {
        Kind::Bool | Kind::Tls => OptionError::Switch {
            name: typed.to_owned(),
            value: given.map(str::to_owned),
        },
        _ => OptionError::Kind {
            name: key(typed),
            value: given.unwrap_or_default().to_owned(),
        },
    })
}

#[cfg(test)]
mod tests;
