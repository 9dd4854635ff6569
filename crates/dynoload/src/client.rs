//! What the run cost this process, from the operating system.

use std::io;

use nix::sys::resource::{getrusage, Usage, UsageWho};
use nix::sys::time::TimeVal;
use workloads::event::Client;
use workloads::Error;

/// The cost so far; `bytes` are those sent and received over all connections.
pub fn client(bytes: (u64, u64)) -> Result<Client, Error> {
    let usage = usage()?;
    let (bytes_sent, bytes_received) = bytes;
    Ok(Client {
        cpu_user_s: seconds(usage.user_time()),
        cpu_system_s: seconds(usage.system_time()),
        // Linux counts in KiB.
        max_rss_bytes: u64::try_from(usage.max_rss()).unwrap_or(0) * 1024,
        bytes_sent,
        bytes_received,
    })
}

/// Processor seconds of this process so far: in user mode and in the kernel.
pub fn processor_time() -> Result<(f64, f64), Error> {
    let usage = usage()?;
    Ok((seconds(usage.user_time()), seconds(usage.system_time())))
}

fn usage() -> Result<Usage, Error> {
    getrusage(UsageWho::RUSAGE_SELF).map_err(|errno| Error::Io {
        doing: "reading the program's own cost",
        source: io::Error::from(errno),
    })
}

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
