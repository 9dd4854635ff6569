//! What a run cost this process, from the operating system.

use std::{fs, io};

use crate::error::Error;
use crate::event::Client;
use nix::sys::resource::{getrusage, Usage, UsageWho};
use nix::sys::time::TimeVal;

const COST: &str = "reading the program's own cost";

/// The cost so far; `bytes` are those sent and received on all connections.
pub fn client(bytes: (u64, u64)) -> Result<Client, Error> {
    let usage = usage()?;
    let (bytes_sent, bytes_received) = bytes;
    Ok(Client {
        cpu_user_s: seconds(usage.user_time()),
        cpu_system_s: seconds(usage.system_time()),
        max_rss_bytes: max_rss_bytes()?,
        bytes_sent,
        bytes_received,
    })
}

/// Processor seconds of this process so far: in user mode and in the kernel.
pub fn processor_time() -> Result<(f64, f64), Error> {
    let usage = usage()?;
    Ok((seconds(usage.user_time()), seconds(usage.system_time())))
}

/// The peak of resident memory. Not from getrusage(2), which also counts that of the process that
/// started this program: that peak survives exec(2).
fn max_rss_bytes() -> Result<u64, Error> {
    let status = fs::read_to_string("/proc/self/status").map_err(|source| Error::Io {
        doing: COST,
        source,
    })?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    Ok(kib.unwrap_or(0) * 1024)
}

fn usage() -> Result<Usage, Error> {
    getrusage(UsageWho::RUSAGE_SELF).map_err(|errno| Error::Io {
        doing: COST,
        source: io::Error::from(errno),
    })
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
