//! The command `dynoload`. Everything is in the library next to it, so that tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    dynoload::main()
}
