//! What the run cost this process, from the operating system.

use std::io;

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeVal;
use workloads::event::Client;
use workloads::Error;

/// The cost so far; `bytes` are those sent and received over all connections.
pub fn client(bytes: (u64, u64)) -> Result<Client, Error> {
    let usage = getrusage(UsageWho::RUSAGE_SELF).map_err(|errno| Error::Io {
        doing: "reading the program's own cost",
        source: io::Error::from(errno),
    })?;
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

fn seconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
}
