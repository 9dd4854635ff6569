//! From the words of a command line and of option files to what is to be done.
//!
//! `table` lists the options, `parse` takes words apart, `settings` says what they mean.

mod help;
mod login;
mod number;
mod parse;
mod settings;
mod table;

use std::ffi::OsString;

use crate::failure::Failure;
use crate::option_files;

pub use login::{Encryption, Login};
pub use settings::{Engine, Limit, Settings, Sink};

/// What the user wants.
#[derive(Debug)]
pub enum Wish {
    /// To be told something.
    Text(String),
    /// A run.
    Run(Box<Settings>),
}

/// A command line that is understood.
#[derive(Debug)]
pub struct Asked {
    /// What is wanted.
    pub wish: Wish,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// mysqlslap ignores one or two words that are no options, and refuses more.
const POSITIONALS_MAX: usize = 2;

/// Reads the command line behind the program's name, and the option files.
pub fn read(arguments: Vec<OsString>) -> Result<Asked, Failure> {
    let defaults = option_files::read(arguments)?;
    let mut notes = defaults.notes;
    if defaults.only_tell {
        let words = [defaults.words, defaults.left].concat();
        let wish = Wish::Text(option_files::tell(&words));
        return Ok(Asked { wish, notes });
    }
    let parsed = parse::parse(defaults.words, defaults.left)?;
    notes.extend(parsed.notes);
    for given in &parsed.options {
        let is_on = given.value == parse::Value::Switch(true);
        let wish = match given.spec.name {
            "help" if is_on => Wish::Text(help::help()),
            "version" if is_on => Wish::Text(help::version()),
            _ => continue,
        };
        return Ok(Asked { wish, notes });
    }
    if parsed.positionals.len() > POSITIONALS_MAX {
        return Err(Failure::refused(
            "Too many arguments",
            "every option begins with a dash",
        ));
    }
    let mut settings = Box::new(Settings::default());
    settings.apply(&parsed.options, &mut notes)?;
    settings.check(&mut notes)?;
    let wish = Wish::Run(settings);
    Ok(Asked { wish, notes })
}
