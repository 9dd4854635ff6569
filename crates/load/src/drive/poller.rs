//! Waits for many descriptors and a timer at once: epoll, with a finer timer than its own
//! milliseconds.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};

/// The timer's place among the events.
const TIMER: u64 = u64::MAX;
/// How many descriptors are handled after one wait.
const EVENTS: usize = 256;
/// The longest wait: how soon a stop is seen.
const LONGEST: Duration = Duration::from_millis(50);

/// The descriptors of one loop.
#[derive(Debug)]
pub(super) struct Poller {
    epoll: Epoll,
    timer: TimerFd,
    events: Vec<EpollEvent>,
}

impl Poller {
    pub(super) fn new() -> io::Result<Poller> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        let flags = TimerFlags::TFD_CLOEXEC | TimerFlags::TFD_NONBLOCK;
        let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
        // Edge-triggered: a timer that went off stays readable, and would end every later wait.
        epoll.add(
            &timer,
            event(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, TIMER),
        )?;
        Ok(Poller {
            epoll,
            timer,
            events: vec![EpollEvent::empty(); EVENTS],
        })
    }

    /// Reports when there is something to read, as `place`. A closed descriptor is forgotten.
    pub(super) fn add(&self, descriptor: BorrowedFd<'_>, place: usize) -> io::Result<()> {
        let reading = event(EpollFlags::EPOLLIN | EpollFlags::EPOLLET, place as u64);
        Ok(self.epoll.add(descriptor, reading)?)
    }

    /// Also reports, or no longer reports, when there is room to write.
    pub(super) fn set_writing(
        &self,
        descriptor: BorrowedFd<'_>,
        place: usize,
        writing: bool,
    ) -> io::Result<()> {
        let mut flags = EpollFlags::EPOLLIN | EpollFlags::EPOLLET;
        flags.set(EpollFlags::EPOLLOUT, writing);
        let mut changed = event(flags, place as u64);
        Ok(self.epoll.modify(descriptor, &mut changed)?)
    }

    /// Waits until something happens, `for_ns` have passed, or it is time to check for a stop.
    /// Returns the places of what is ready.
    pub(super) fn wait(
        &mut self,
        for_ns: Option<u64>,
    ) -> io::Result<impl Iterator<Item = usize> + '_> {
        let timeout = self.arm(for_ns)?;
        let ready = match self.epoll.wait(&mut self.events, timeout) {
            Ok(ready) => ready,
            Err(Errno::EINTR) => 0,
            Err(errno) => return Err(errno.into()),
        };
        let places = self.events[..ready].iter().map(EpollEvent::data);
        Ok(places
            .filter(|&place| place != TIMER)
            .map(|place| place as usize))
    }

    /// Sets the timer where epoll's milliseconds are too coarse.
    fn arm(&self, for_ns: Option<u64>) -> io::Result<EpollTimeout> {
        let longest = EpollTimeout::try_from(LONGEST).unwrap_or(EpollTimeout::ZERO);
        match for_ns.map(Duration::from_nanos) {
            Some(Duration::ZERO) => Ok(EpollTimeout::ZERO),
            Some(wait) if wait < LONGEST => {
                let once = Expiration::OneShot(TimeSpec::from(wait));
                self.timer.set(once, TimerSetTimeFlags::empty())?;
                Ok(longest)
            }
            Some(_) | None => Ok(longest),
        }
    }
}

fn event(flags: EpollFlags, place: u64) -> EpollEvent {
    EpollEvent::new(flags, place)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_timer_ends_one_wait_and_not_those_after_it() {
        let mut poller = Poller::new().unwrap();
        let mut wait = |for_ns| {
            let since = Instant::now();
            assert_eq!(poller.wait(for_ns).unwrap().count(), 0);
            since.elapsed()
        };
        for _ in 0..2 {
            assert!(wait(Some(3_000_000)) >= Duration::from_millis(3));
            assert!(wait(Some(10_000_000_000)) >= Duration::from_millis(45));
            assert!(wait(None) >= Duration::from_millis(45));
        }
    }
}
