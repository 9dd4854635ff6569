//! The front door as a program of its own, for tests. Users have it as `dynoload sysbench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    sysbench::main(std::env::args_os().skip(1).collect())
}
