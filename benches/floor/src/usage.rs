//! What the kernel reports about cost: a thread's CPU time and switches, a process's CPU time.

use std::fs;
use std::io::{Error, ErrorKind, Result};

use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::{TimeVal, TimeValLike};

// USER_HZ, the unit of /proc on every Linux of this century.
const TICKS_PER_S: f64 = 100.0;

/// CPU time and context switches.
#[derive(Debug, Clone, Default)]
pub struct Usage {
    /// In user mode.
    pub cpu_user_s: f64,
    /// In the kernel.
    pub cpu_system_s: f64,
    /// Switches because the thread had to wait for something.
    pub switches_voluntary: i64,
    /// Switches because something else had to run.
    pub switches_involuntary: i64,
}

impl Usage {
    /// Since the calling thread started.
    pub fn of_this_thread() -> Result<Usage> {
        let found = getrusage(UsageWho::RUSAGE_THREAD)?;
        Ok(Usage {
            cpu_user_s: seconds(found.user_time()),
            cpu_system_s: seconds(found.system_time()),
            switches_voluntary: found.voluntary_context_switches(),
            switches_involuntary: found.involuntary_context_switches(),
        })
    }

    /// What was added since an earlier reading.
    pub fn since(&self, before: &Usage) -> Usage {
        Usage {
            cpu_user_s: self.cpu_user_s - before.cpu_user_s,
            cpu_system_s: self.cpu_system_s - before.cpu_system_s,
            switches_voluntary: self.switches_voluntary - before.switches_voluntary,
            switches_involuntary: self.switches_involuntary - before.switches_involuntary,
        }
    }

    /// Adds another loop's.
    pub fn add(&mut self, other: &Usage) {
        self.cpu_user_s += other.cpu_user_s;
        self.cpu_system_s += other.cpu_system_s;
        self.switches_voluntary += other.switches_voluntary;
        self.switches_involuntary += other.switches_involuntary;
    }
}

/// CPU seconds of a process so far, in steps of 10 ms (proc(5), fields 14 and 15); None for none.
pub fn process_cpu_s(pid: Option<u32>) -> Result<Option<f64>> {
    let Some(pid) = pid else {
        return Ok(None);
    };
    let path = format!("/proc/{pid}/stat");
    let text = fs::read_to_string(&path)
        .map_err(|error| Error::new(error.kind(), format!("can't read {path}: {error}")))?;
    // The second field is a name in parentheses, which may contain spaces.
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().map_err(Error::other))
        .sum::<Result<u64>>()?;
    if ticks == 0 {
        return Err(Error::new(
            ErrorKind::InvalidData,
            format!("no CPU time in {path}"),
        ));
    }
    Ok(Some(ticks as f64 / TICKS_PER_S))
}

fn seconds(time: TimeVal) -> f64 {
    time.num_microseconds() as f64 / 1e6
}
