//! Where a program waits for the others, so that a phase begins everywhere at one instant.
//!
//! Whoever runs the programs waits until all are ready, and then sends each a line `go <ns>`: an
//! instant of its own CLOCK_MONOTONIC.

use std::io::{self, BufRead};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use load::Stop;
use nix::time::{clock_gettime, ClockId};
use workloads::{Error, Scope};

/// How often somebody who waits looks whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The last part is waited for awake: a sleep may end later than it should by this.
const AWAKE_NS: u64 = 2_000_000;

/// The lines on standard input.
#[derive(Debug)]
pub struct Gate {
    lines: Receiver<String>,
}

impl Gate {
    /// Listens from now on.
    pub fn open() -> Gate {
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in io::stdin().lock().lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Gate { lines }
    }

    /// Waits for the line, and for the instant that it names; returns how late that was, in
    /// nanoseconds. If nobody is left to send one, the run is over.
    pub fn wait(&self, stop: &Stop) -> Result<u64, Error> {
        let at_ns = instant(&self.line(stop)?)?;
        loop {
            let now_ns = now_ns()?;
            if now_ns >= at_ns {
                return Ok(now_ns - at_ns);
            }
            if stop.is_set() {
                return Err(Error::Stopped);
            }
            let left = Duration::from_nanos((at_ns - now_ns).saturating_sub(AWAKE_NS));
            if !left.is_zero() {
                thread::sleep(left.min(LOOK_EVERY));
            }
        }
    }

    fn line(&self, stop: &Stop) -> Result<String, Error> {
        while !stop.is_set() {
            match self.lines.recv_timeout(LOOK_EVERY) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Err(Error::Stopped)
    }
}

fn instant(line: &str) -> Result<u64, Error> {
    let named = line.trim().strip_prefix("go ");
    named
        .and_then(|text| text.trim().parse().ok())
        .ok_or_else(|| Error::Script {
            message: format!("a line on standard input isn't an instant: {line:.80}"),
            scope: Scope::Plan,
            hint: "send `go` and nanoseconds of CLOCK_MONOTONIC".to_owned(),
        })
}

fn now_ns() -> Result<u64, Error> {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_err(|source| Error::Io {
        doing: "reading the clock",
        source: source.into(),
    })?;
    Ok(now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64)
}
