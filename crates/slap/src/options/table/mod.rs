//! All options: their names, what value each takes and how it is set, and what it does in a few
//! words.
//!
//! What options mean together is in `settings`.

mod mysqlslap;
mod ours;

use std::borrow::Cow;
use std::ffi::OsStr;

use super::parse::Value;
use super::set;
use super::settings::Settings;
use crate::failure::Failure;

/// One option.
pub type Spec = doors::Spec<Takes>;
/// Options under one heading.
pub type Group = doors::Group<Takes>;

/// The value given for an option.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a, T> {
    /// The option's name.
    pub name: &'a str,
    /// True if it comes from the command line and not from an option file.
    pub typed: bool,
    /// The value.
    pub value: T,
}

/// Stores a value in the settings.
pub type Set<T> = fn(&mut Settings, Given<'_, T>) -> Result<(), Failure>;

/// What follows an option, and how it is set.
#[derive(Debug, Clone, Copy)]
pub enum Takes {
    /// Nothing, or `=0` and `=1`; `--skip-` turns it off.
    Flag(Set<bool>),
    /// Nothing, and it is set to how often it occurs; or a number.
    Count(Set<u64>),
    /// An integer.
    Number(Set<u64>),
    /// A text.
    Text(fn(&mut Settings, Given<'_, &OsStr>) -> Result<(), Failure>),
    /// A text after `=`, or nothing.
    Optional(fn(&mut Settings, Given<'_, &Value>) -> Result<(), Failure>),
}

/// Stores the value in a field.
macro_rules! field {
    ($($field:ident).+) => {
        |settings, given| {
            settings.$($field).+ = given.value;
            Ok(())
        }
    };
}

/// Stores the text in a field.
macro_rules! text {
    ($field:ident) => {
        |settings, given| {
            settings.$field = Some(given.value.to_owned());
            Ok(())
        }
    };
}

use {field, text};

const fn option(name: &'static str, short: Option<char>, takes: Takes, help: &'static str) -> Spec {
    Spec {
        name: Cow::Borrowed(name),
        short,
        takes,
        default: None,
        help: Cow::Borrowed(help),
    }
}

const fn with_default(
    name: &'static str,
    short: Option<char>,
    takes: Takes,
    default: &'static str,
    help: &'static str,
) -> Spec {
    Spec {
        name: Cow::Borrowed(name),
        short,
        takes,
        default: Some(Cow::Borrowed(default)),
        help: Cow::Borrowed(help),
    }
}

/// mysqlslap's options, whose names may be abbreviated.
pub const OLD: &[Group] = &[
    Group {
        title: "Options of mysqlslap:",
        options: mysqlslap::MARIADB,
    },
    Group {
        title: "Of MySQL's mysqlslap only:",
        options: mysqlslap::MYSQL,
    },
];

/// New ones, whose names may not: they can't make an old command line ambiguous.
pub const NEW: Group = Group {
    title: "New ones (their names can't be cut short):",
    options: ours::OURS,
};

/// All options.
pub fn all() -> impl Iterator<Item = &'static Spec> {
    let new = NEW.options.iter();
    OLD.iter().flat_map(|group| group.options).chain(new)
}
