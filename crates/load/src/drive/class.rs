//! The scheduling class of a thread that makes load.
//!
//! A load generator that shares a host with the server and wakes for every answer takes the
//! processor from the very threads that are about to send more answers: these switches are half of
//! its cost. In the class SCHED_BATCH a thread that wakes waits until a processor is free, and then
//! takes all answers that have come meanwhile (docs/adr/0008-io-strategy.md has the figures). Where
//! processors are idle, as on a separate host, the class changes nothing.
//!
//! A loop with one connection gathers nothing. A load generator with its own processors takes none
//! from the server, and in this class it would wait for whatever else runs there
//! (docs/adr/0028-few-connections.md).

use nix::sched::{sched_getaffinity, CpuSet};
use nix::unistd::{sysconf, Pid, SysconfVar};

/// Puts the calling thread into the class SCHED_BATCH if it may run on all processors of the host.
/// If the system refuses, the thread only costs more.
pub fn yield_to_the_server() {
    if may_run_everywhere() {
        enter_batch();
    }
}

/// Whether this thread may run on every online processor; true if that isn't known.
fn may_run_everywhere() -> bool {
    let Ok(Some(online)) = sysconf(SysconfVar::_NPROCESSORS_ONLN) else {
        return true;
    };
    let Ok(own) = sched_getaffinity(Pid::from_raw(0)) else {
        return true;
    };
    let own = (0..CpuSet::count()).filter(|&processor| own.is_set(processor) == Ok(true));
    own.count() as i64 >= online
}

#[allow(unsafe_code)]
fn enter_batch() {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is to a live value of the type that the call reads, and 0 is this thread.
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &parameters);
    }
}

#[cfg(test)]
mod tests {
    use nix::sched::sched_setaffinity;
    use std::thread;

    use super::*;

    fn class() -> i32 {
        // SAFETY: the call takes a number and returns one; 0 is this thread.
        #[allow(unsafe_code)]
        unsafe {
            libc::sched_getscheduler(0)
        }
    }

    #[test]
    fn a_thread_with_processors_of_its_own_stays_in_its_class() {
        let bound = thread::spawn(|| {
            let all = sched_getaffinity(Pid::from_raw(0)).unwrap();
            let first = (0..CpuSet::count()).find(|&processor| all.is_set(processor) == Ok(true));
            let mut one = CpuSet::new();
            one.set(first.unwrap()).unwrap();
            sched_setaffinity(Pid::from_raw(0), &one).unwrap();
            yield_to_the_server();
            (class(), sysconf(SysconfVar::_NPROCESSORS_ONLN).unwrap())
        });
        let (class, online) = bound.join().unwrap();
        let expected = if online == Some(1) {
            libc::SCHED_BATCH
        } else {
            libc::SCHED_OTHER
        };
        assert_eq!(class, expected);
    }
}
