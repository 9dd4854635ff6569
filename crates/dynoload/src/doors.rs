//! The other programs in this one: `dynoload sysbench …`, or a link to it of that name.
//!
//! Their command lines aren't here: they belong to their own crates.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

use crate::hide;
use crate::linkbench;
use crate::run::allow_descriptors;

type Main = fn(Vec<OsString>) -> ExitCode;

/// Runs the program that this one was called as, if it is another one.
pub fn other_program(words: &[OsString]) -> Option<ExitCode> {
    let (called, arguments) = words.split_first()?;
    let (main, arguments) = match Path::new(called).file_name().and_then(door) {
        Some(main) => (main, arguments),
        None => {
            let (name, arguments) = arguments.split_first()?;
            (door(name)?, arguments)
        }
    };
    hide::passwords();
    allow_descriptors();
    Some(main(arguments.to_vec()))
}

fn door(name: &OsStr) -> Option<Main> {
    match name.to_str()? {
        "sysbench" => Some(sysbench::main),
        "linkbench" => Some(linkbench::main),
        "slap" | "mysqlslap" | "mariadb-slap" => Some(slap::main),
        _ => None,
    }
}
