//! The floor of a client's cost: static packets over raw sockets, with three ways of doing I/O.
//!
//! Not a client: replies are counted in bytes and never parsed, so no load generator can cost less
//! with the same way. `benches/run.py` compares other figures with it, `benches/strategies.py`
//! compares the ways with each other. Prints one line of JSON.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod options;
mod poller;
mod report;
mod session;
mod tally;
#[cfg(test)]
mod tests;
mod threads;
mod uring;
mod usage;
mod work;

use std::io::{self, Error, Result, Write};
use std::process::ExitCode;
use std::thread;

use clap::Parser;

use crate::options::{Options, Strategy};
use crate::session::Session;
use crate::tally::Tally;
use crate::work::{Gate, Work};

// A loop's frames are small; a thousand default stacks would only cost address space and time.
const STACK_BYTES: usize = 128 * 1024;

fn main() -> ExitCode {
    let options = Options::parse();
    match measure(&options).and_then(|line| writeln!(io::stdout(), "{line}")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done if this fails, too.
            let _ = writeln!(io::stderr(), "floor: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Connects, runs all loops from one instant to another, and returns the line to print.
fn measure(options: &Options) -> Result<serde_json::Value> {
    if options.connections == 0 {
        return Err(Error::other("--connections 0; hint: give at least 1"));
    }
    let mut sessions = (0..options.connections)
        .map(|_| Session::open(options))
        .collect::<Result<Vec<_>>>()?;
    let loops = options.loops();
    let gate = Gate::new(loops + 1, options.seconds);
    let (tallies, server_cpu_s) = thread::scope(|scope| {
        let mut rest = sessions.as_mut_slice();
        let mut handles = Vec::new();
        for index in 0..loops {
            // The rest is shared evenly among the remaining loops.
            let (part, tail) = rest.split_at_mut(rest.len() / (loops - index));
            rest = tail;
            let work = Work::new(part, index, options, &gate);
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            handles.push(builder.spawn_scoped(scope, move || run(work, options))?);
        }
        let before = usage::process_cpu_s(options.server_pid)?;
        gate.wait();
        let mut tallies = Vec::new();
        for handle in handles {
            let ended = handle.join().map_err(|_| Error::other("a loop panicked"))?;
            tallies.push(ended?);
        }
        let after = usage::process_cpu_s(options.server_pid)?;
        let server_cpu_s = after.zip(before).map(|(after, before)| after - before);
        Ok::<_, Error>((tallies, server_cpu_s))
    })?;
    Ok(report::line(options, &Tally::sum(&tallies), server_cpu_s))
}

/// One loop, on its own thread.
fn run(mut work: Work<'_>, options: &Options) -> Result<Tally> {
    let done = match options.strategy {
        Strategy::Threads => threads::run(&mut work, options),
        Strategy::Epoll => poller::run(&mut work, options),
        Strategy::Uring => uring::run(&mut work, options),
    };
    // A loop that failed during setup must still let the others pass.
    work.arrive();
    done?;
    work.finish()
}
