//! The options of a command line: which there are, what was given, what each is worth.
//!
//! Not what they mean: that is `settings`. Names are kept with underscores; `-` and `_` are one.

mod help;
mod kind;
mod settings;
mod table;

use std::collections::HashMap;
use std::path::Path;

use workloads::bounded;

pub use help::{general_help, lines as help_lines};
pub use kind::{Kind, Value};
pub use settings::{Limit, Login, Settings};
use table::GROUPS;

/// More than any file of options has.
const FILE_BYTES: u64 = 1 << 20;

/// An option that can be given.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// As it is written in help.
    pub name: String,
    /// How its value is read.
    pub kind: Kind,
    /// Its value unless given, as text.
    pub default: Option<String>,
    /// What it is for.
    pub description: String,
}

/// A command line, taken apart.
#[derive(Debug, Default)]
pub struct Options {
    values: HashMap<String, Value>,
    /// Given, but not known before the script has said what it takes.
    unknown: Vec<(String, Option<String>)>,
    /// What isn't an option: the test's name and the command.
    pub words: Vec<String>,
    /// Deprecated spellings that were used, as warnings.
    pub warnings: Vec<String>,
}

/// The name under which scripts find an option.
pub fn key(name: &str) -> String {
    name.replace('-', "_")
}

fn built_in() -> impl Iterator<Item = &'static table::BuiltIn> {
    GROUPS.iter().flat_map(|group| group.options)
}

impl Options {
    /// Reads the arguments; an error is the line to print.
    pub fn read(arguments: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        for option in built_in() {
            let value = option.kind.default(option.default);
            options.values.insert(key(option.name), value);
        }
        for argument in arguments {
            match argument.strip_prefix("--") {
                Some(option) => options.take(option)?,
                None => options.words.push(argument.clone()),
            }
        }
        match options.words.get(2) {
            Some(third) => Err(format!("Unrecognized command line argument: {third}")),
            None => Ok(options),
        }
    }

    fn take(&mut self, option: &str) -> Result<(), String> {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let name = key(name);
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
        match built_in().find(|known| key(known.name) == name) {
            Some(known) => self.set_built_in(known, value),
            None => {
                self.unknown.push((name, value.map(str::to_owned)));
                Ok(())
            }
        }
    }

    fn set_built_in(&mut self, known: &table::BuiltIn, given: Option<&str>) -> Result<(), String> {
        let value = parse(known.name, known.kind, given)?;
        let mut name = key(known.name);
        if let Some((_, now)) = table::ALIASES.iter().find(|(old, _)| *old == known.name) {
            // Scripts of old look for it under its old name.
            self.values.insert(name, value.clone());
            name = key(now);
        }
        self.values.insert(name, value);
        Ok(())
    }

    /// A file of lines `name=value`; `#` begins a comment.
    fn read_file(&mut self, path: &str) -> Result<(), String> {
        let text = bounded::text(Path::new(path), FILE_BYTES);
        let text = text.map_err(|error| format!("{path}: {error}"))?;
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

    /// Takes what the script declares; what is then still unknown is an error, unless the script
    /// declares nothing at all: then every option is its own, and a text.
    pub fn declare(&mut self, declared: &[Declared]) -> Result<(), String> {
        for option in declared {
            let name = key(&option.name);
            let value = option.kind.default(option.default.as_deref());
            self.values.insert(name, value);
        }
        for (name, given) in std::mem::take(&mut self.unknown) {
            match declared.iter().find(|known| key(&known.name) == name) {
                Some(known) => {
                    let value = parse(&known.name, known.kind, given.as_deref())?;
                    self.values.insert(name, value);
                }
                None if declared.is_empty() => {
                    let value = Value::Text(given.unwrap_or_default());
                    self.values.insert(name, value);
                }
                None => return Err(invalid(&name, given.as_deref())),
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

    /// The value of an option; [`Value::Unset`] where there is none of the name.
    pub fn get(&self, name: &str) -> &Value {
        self.values.get(name).unwrap_or(&Value::Unset)
    }
}

fn invalid(name: &str, value: Option<&str>) -> String {
    match value {
        Some(value) => format!("invalid option: --{name}={value}"),
        None => format!("invalid option: --{name}"),
    }
}

fn parse(name: &str, kind: Kind, given: Option<&str>) -> Result<Value, String> {
    kind.parse(given).ok_or_else(|| match kind {
        Kind::Bool | Kind::Tls => invalid(name, given),
        _ => {
            let given = given.unwrap_or_default();
            format!("Invalid value for the '{name}' option: '{given}'")
        }
    })
}

#[cfg(test)]
mod tests;
