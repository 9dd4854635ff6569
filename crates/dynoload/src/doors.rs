//! The other programs that this one is: `dynoload sysbench …`, or a link of that name to it.
//!
//! Not their command lines, which belong to their own crates.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::ExitCode;

type Main = fn(Vec<OsString>) -> ExitCode;

/// Runs the program that this one was called as, if it is another one.
pub fn other_program() -> Option<ExitCode> {
    let mut arguments = env::args_os();
    let called = arguments.next()?;
    if let Some(main) = Path::new(&called).file_name().and_then(door) {
        return Some(main(arguments.collect()));
    }
    let main = door(&arguments.next()?)?;
    Some(main(arguments.collect()))
}

fn door(name: &OsStr) -> Option<Main> {
    match name.to_str()? {
        "sysbench" => Some(sysbench::main),
        "slap" | "mysqlslap" | "mariadb-slap" => Some(slap::main),
        _ => None,
    }
}
