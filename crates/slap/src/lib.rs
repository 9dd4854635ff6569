//! The command line of mysqlslap and mariadb-slap on Dyno's connections.
//!
//! Not a workload of a plan: a separate front door, which prints what mysqlslap prints.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clients;
mod connecting;
mod crew;
mod failure;
mod lists;
mod measure;
mod messages;
mod only_print;
mod option_files;
mod options;
mod order;
mod phases;
mod report;
mod server;
mod split;

use std::ffi::OsString;
use std::process::ExitCode;

use failure::Failure;
use messages::{warn, NAME};
use options::{Asked, Wish};

/// The whole program; `arguments` are those after its name.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(NAME);
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
