//! The scheduling class of a thread that makes load.
//!
//! On a host that it shares with the server, a load generator that is woken for every answer takes
//! the processor from the very threads that are about to give more answers: half of its cost is
//! these switches. In the class SCHED_BATCH a thread that wakes waits until a processor is free,
//! and then takes all answers that came meanwhile (docs/adr/0008-io-strategy.md has the figures).
//! Where processors are idle, as on a host of its own, the class changes nothing.

/// Puts the calling thread into the class SCHED_BATCH. A system that refuses this only makes the
/// thread dearer.
#[allow(unsafe_code)]
pub fn yield_to_the_server() {
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the pointer is to a live value of the type that the call reads, and 0 is this thread.
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_BATCH, &parameters);
    }
}
