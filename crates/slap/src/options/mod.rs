//! From the words of a command line and of option files to what is to be done.
//!
//! `table` lists the options, `set` says how each is set, `parse` parses words, `settings` says
//! what options mean together.

mod help;
mod login;
mod number;
mod parse;
mod set;
mod settings;
mod table;

use std::ffi::OsString;

use crate::failure::Failure;
use crate::option_files;

pub use login::Login;
pub use settings::{Engine, Limit, Settings, Sink};

/// What the user wants.
#[derive(Debug)]
pub enum Wish {
    /// A text, such as help.
    Text(String),
    /// A run.
    Run(Box<Settings>),
}

/// A parsed command line.
#[derive(Debug)]
pub struct Asked {
    /// What is wanted.
    pub wish: Wish,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// mysqlslap ignores one or two words that aren't options, and refuses more.
const POSITIONALS_MAX: usize = 2;

/// Reads the command line after the program's name, and the option files.
pub fn read(arguments: Vec<OsString>) -> Result<Asked, Failure> {
    let defaults = option_files::read(arguments)?;
    let mut notes = defaults.notes;
    if defaults.only_prints {
        let words = [defaults.words, defaults.left].concat();
        let wish = Wish::Text(option_files::listed(&words));
        return Ok(Asked { wish, notes });
    }
    let parsed = parse::parse(defaults.words, defaults.left)?;
    notes.extend(parsed.notes);
    for given in &parsed.options {
        let is_on = given.value == parse::Value::Switch(true);
        let wish = match given.spec.name.as_ref() {
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
    let mut settings = Box::new(Settings::new()?);
    settings.apply(&parsed.options)?;
    settings.check()?;
    notes.append(&mut settings.draft.notes);
    let wish = Wish::Run(settings);
    Ok(Asked { wish, notes })
}
