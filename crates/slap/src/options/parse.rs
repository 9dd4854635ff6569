//! Parses a command line by the rules of MySQL's programs: combined short options, values after a
//! space or `=`, `--skip-x`, underscores, and abbreviated names.
//!
//! Knows names and syntax; what a value means is in `settings`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use doors::did_you_mean;

use super::table::{self, Spec, Takes};
use crate::failure::{exit, Failure};

/// The value given for an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A flag, on or off; off also undoes an option with a value.
    Switch(bool),
    /// A text or number.
    Text(OsString),
}

/// One option as given.
#[derive(Debug)]
pub struct Given {
    /// Which one.
    pub spec: &'static Spec,
    /// Its value.
    pub value: Value,
    /// True if it comes from the command line and not from an option file.
    pub typed: bool,
}

/// A parsed command line.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The options, in order: a later one overrides an earlier one.
    pub options: Vec<Given>,
    /// The remaining words: mysqlslap ignores them.
    pub positionals: Vec<OsString>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Parses `filed`, the words from option files, and then `typed`.
pub fn parse(filed: Vec<OsString>, typed: Vec<OsString>) -> Result<Parsed, Failure> {
    let mut parsed = Parsed::default();
    for (arguments, typed) in [(filed, false), (typed, true)] {
        let mut words = Words {
            left: arguments.into_iter(),
            typed,
            parsed: &mut parsed,
        };
        words.run()?;
    }
    Ok(parsed)
}

struct Words<'a> {
    left: std::vec::IntoIter<OsString>,
    typed: bool,
    parsed: &'a mut Parsed,
}

impl Words<'_> {
    fn run(&mut self) -> Result<(), Failure> {
        while let Some(word) = self.left.next() {
            match word.as_bytes() {
                b"--" => self.parsed.positionals.extend(self.left.by_ref()),
                [b'-', b'-', long @ ..] => self.long(long)?,
                [b'-', short @ ..] if !short.is_empty() => self.short(short)?,
                _ => self.parsed.positionals.push(word),
            }
        }
        Ok(())
    }

    fn add(&mut self, spec: &'static Spec, value: Value) {
        let typed = self.typed;
        self.parsed.options.push(Given { spec, value, typed });
    }

    fn long(&mut self, text: &[u8]) -> Result<(), Failure> {
        let (name, value) = match text.iter().position(|&byte| byte == b'=') {
            Some(at) => (&text[..at], Some(OsStr::from_bytes(&text[at + 1..]))),
            None => (text, None),
        };
        let word = String::from_utf8_lossy(name).into_owned();
        let name = word.replace('_', "-");
        if let Some(spec) = self.find(&name, &word)? {
            return self.take(spec, value);
        }
        for prefix in ["skip-", "disable-", "enable-", "loose-"] {
            let Some(rest) = name.strip_prefix(prefix) else {
                continue;
            };
            let found = self.find(rest, &word)?;
            match (prefix, found) {
                ("loose-", None) => {
                    let note = format!(
                        "Warning: {}: unknown option '--{word}'",
                        crate::messages::NAME
                    );
                    self.parsed.notes.push(note);
                    return Ok(());
                }
                ("loose-", Some(spec)) => return self.take(spec, value),
                ("enable-", Some(spec)) if can_be_off(spec) => {
                    self.add(spec, Value::Switch(true));
                    return Ok(());
                }
                ("skip-" | "disable-", Some(spec)) if can_be_off(spec) => {
                    self.add(spec, Value::Switch(false));
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(unknown(&word, value.is_some()))
    }

    /// The option of this name, or the only one of mysqlslap's with this prefix.
    fn find(&mut self, name: &str, word: &str) -> Result<Option<&'static Spec>, Failure> {
        if let Some(spec) = table::all().find(|spec| spec.name == name) {
            return Ok(Some(spec));
        }
        if name.is_empty() {
            return Ok(None);
        }
        for group in table::OLD {
            let options = group.options.iter();
            let mut found = options.filter(|spec| spec.name.starts_with(name));
            let Some(spec) = found.next() else {
                continue;
            };
            if let Some(other) = found.next() {
                return Err(Failure::new(
                    exit::AMBIGUOUS_OPTION,
                    format!(
                        "ambiguous option '--{word}' ({}, {})",
                        spec.name, other.name
                    ),
                    "write the option's full name",
                ));
            }
            self.parsed.notes.push(format!(
                "Info: '{word}' is short for '{}' only until another option begins so",
                spec.name
            ));
            return Ok(Some(spec));
        }
        Ok(None)
    }

    fn take(&mut self, spec: &'static Spec, value: Option<&OsStr>) -> Result<(), Failure> {
        let value = match (spec.takes, value) {
            (Takes::Flag(_) | Takes::Count(_), None) => Value::Switch(true),
            (Takes::Flag(_), Some(_)) if matches!(&*spec.name, "help" | "version") => {
                return Err(Failure::new(
                    exit::NO_VALUE_ALLOWED,
                    format!("option '--{}' cannot take an argument", spec.name),
                    format!("write --{} alone", spec.name),
                ))
            }
            (Takes::Flag(_) | Takes::Count(_), Some(text)) => self.switch(spec, text),
            (Takes::Optional(_), None) => Value::Switch(true),
            (_, Some(text)) => Value::Text(text.to_owned()),
            (Takes::Number(_) | Takes::Text(_), None) => Value::Text(self.next(spec)?),
        };
        self.add(spec, value);
        Ok(())
    }

    /// A flag's value; anything that is neither yes nor no means no, as in mysqlslap.
    fn switch(&mut self, spec: &Spec, text: &OsStr) -> Value {
        let text = text.to_string_lossy().to_lowercase();
        match text.as_str() {
            "1" | "true" | "on" => Value::Switch(true),
            "0" | "false" | "off" => Value::Switch(false),
            _ if matches!(spec.takes, Takes::Count(_)) => Value::Text(text.into()),
            _ => {
                let name = &spec.name;
                self.parsed.notes.push(format!(
                    "Warning: option '{name}': '{text}' is neither on nor off; it is off"
                ));
                Value::Switch(false)
            }
        }
    }

    /// The word after an option that needs one.
    fn next(&mut self, spec: &Spec) -> Result<OsString, Failure> {
        self.left.next().ok_or_else(|| {
            Failure::new(
                exit::VALUE_NEEDED,
                format!("option '--{}' requires an argument", spec.name),
                format!("write --{}=VALUE", spec.name),
            )
        })
    }

    fn short(&mut self, letters: &[u8]) -> Result<(), Failure> {
        let mut rest = letters;
        while let [letter, after @ ..] = rest {
            let letter = char::from(*letter);
            let Some(spec) = table::all().find(|spec| spec.short == Some(letter)) else {
                return Err(Failure::new(
                    exit::UNKNOWN_OPTION,
                    format!("unknown option '-{letter}'"),
                    HINT,
                ));
            };
            let text = OsString::from_vec(after.to_vec());
            match spec.takes {
                Takes::Flag(_) | Takes::Count(_) => {
                    self.add(spec, Value::Switch(true));
                    rest = after;
                    continue;
                }
                Takes::Optional(_) if after.is_empty() => self.add(spec, Value::Switch(true)),
                Takes::Number(_) | Takes::Text(_) if after.is_empty() => {
                    let text = self.next(spec)?;
                    self.add(spec, Value::Text(text));
                }
                Takes::Optional(_) | Takes::Number(_) | Takes::Text(_) => {
                    self.add(spec, Value::Text(text));
                }
            }
            return Ok(());
        }
        Ok(())
    }
}

const HINT: &str = "--help lists the options";

/// A required text can't be turned off.
fn can_be_off(spec: &Spec) -> bool {
    !matches!(spec.takes, Takes::Text(_))
}

fn unknown(word: &str, has_value: bool) -> Failure {
    let name = word.replace('_', "-");
    let known = table::all().map(|spec| spec.name.as_ref());
    let hint = did_you_mean("--", &name, known, HINT);
    match has_value {
        true => Failure::new(
            exit::UNKNOWN_VARIABLE,
            format!("unknown variable '{word}'"),
            hint,
        ),
        false => Failure::new(
            exit::UNKNOWN_OPTION,
            format!("unknown option '--{word}'"),
            hint,
        ),
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
