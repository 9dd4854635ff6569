//! The command line of mysqlslap and mariadb-slap on Dyno's connections.
//!
//! Not a workload of a plan: a front door of its own, which prints what mysqlslap prints.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clients;
mod connecting;
mod crew;
mod failure;
mod lists;
mod measure;
mod only_print;
mod option_files;
mod options;
mod order;
mod phases;
mod report;
mod server;
mod split;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use failure::Failure;
use options::{Asked, Wish};

/// The name that messages begin with.
const NAME: &str = "dynoload slap";

/// The whole program; `arguments` are those behind its name.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // There is nowhere to tell that standard error is gone.
            let _ = io::stderr().write_all(failure.text(NAME).as_bytes());
            ExitCode::from(failure.code)
        }
    }
}

fn run(arguments: Vec<OsString>) -> Result<(), Failure> {
    let Asked { wish, notes } = options::read(arguments)?;
    for note in notes {
        warn(&note);
    }
    match wish {
        Wish::Text(text) => report::say(&text),
        Wish::Run(settings) => phases::run(&settings),
    }
}

/// Tells something on standard error that doesn't end the run.
fn warn(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
