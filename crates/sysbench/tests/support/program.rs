//! The front door as a separate program, for tests. Users run it as `dynoload sysbench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sysbench::main(std::env::args_os().skip(1).collect())
}
