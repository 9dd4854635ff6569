//! Waits for many descriptors and a timer at once: epoll, with a finer timer than its own
//! milliseconds.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::Timespec;
use rustix::io::Errno;
use rustix::time::{timerfd_create, timerfd_settime, Itimerspec};
use rustix::time::{TimerfdClockId, TimerfdFlags, TimerfdTimerFlags};

/// The timer's place among the events.
const TIMER: u64 = u64::MAX;
/// How many descriptors are handled after one wait.
const EVENTS: usize = 256;
/// The longest wait: how soon a stop is seen.
const LONGEST: Duration = Duration::from_millis(50);
/// Edge-triggered: a timer that went off stays readable, and would end every later wait.
const READING: EventFlags = EventFlags::IN.union(EventFlags::ET);
const NO_TIME: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};

/// The descriptors of one loop.
pub(super) struct Poller {
    epoll: OwnedFd,
    timer: OwnedFd,
    /// The timer is set and hasn't been seen to go off. It then ends a wait within `LONGEST`.
    is_set: bool,
    events: Vec<Event>,
}

impl Poller {
    pub(super) fn new() -> io::Result<Poller> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), READING)?;
        Ok(Poller {
            epoll,
            timer,
            is_set: false,
            events: Vec::with_capacity(EVENTS),
        })
    }

    /// Reports when there is something to read, as `place`. A closed descriptor is forgotten.
    pub(super) fn add(&self, descriptor: BorrowedFd<'_>, place: usize) -> io::Result<()> {
        let place = EventData::new_u64(place as u64);
        Ok(epoll::add(&self.epoll, descriptor, place, READING)?)
    }

    /// Also reports, or no longer reports, when there is room to write.
    pub(super) fn set_writing(
        &self,
        descriptor: BorrowedFd<'_>,
        place: usize,
        writing: bool,
    ) -> io::Result<()> {
        let place = EventData::new_u64(place as u64);
        let mut flags = READING;
        flags.set(EventFlags::OUT, writing);
        Ok(epoll::modify(&self.epoll, descriptor, place, flags)?)
    }

    /// Waits until something happens, `for_ns` have passed, or it is time to check for a stop.
    /// Returns the places of what is ready.
    pub(super) fn wait(
        &mut self,
        for_ns: Option<u64>,
    ) -> io::Result<impl Iterator<Item = usize> + '_> {
        let for_ns = for_ns.map(Duration::from_nanos);
        self.set_timer(for_ns)?;
        // Else the timer ends the wait: epoll's own time limit is another timer, set for each wait.
        let limit = (for_ns == Some(Duration::ZERO)).then_some(&NO_TIME);
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), limit) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        let places = self.events.iter().map(|event| event.data.u64());
        self.is_set &= !places.clone().any(|place| place == TIMER);
        Ok(places
            .filter(|&place| place != TIMER)
            .map(|place| place as usize))
    }

    /// Has the timer end the next wait after `for_ns`, or in time to check for a stop.
    fn set_timer(&mut self, for_ns: Option<Duration>) -> io::Result<()> {
        let wait = match for_ns {
            Some(Duration::ZERO) => return Ok(()),
            Some(wait) if wait < LONGEST => wait,
            Some(_) | None if self.is_set => return Ok(()),
            Some(_) | None => LONGEST,
        };
        let once = Itimerspec {
            it_interval: NO_TIME,
            it_value: Timespec {
                tv_sec: wait.as_secs() as i64,
                tv_nsec: wait.subsec_nanos().into(),
            },
        };
        timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &once)?;
        self.is_set = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
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

    #[test]
    fn a_wait_that_a_descriptor_ends_leaves_the_timer_to_end_the_next_one() {
        let mut poller = Poller::new().unwrap();
        let (mut one, other) = UnixStream::pair().unwrap();
        poller.add(other.as_fd(), 7).unwrap();
        for _ in 0..3 {
            one.write_all(b"x").unwrap();
            assert_eq!(poller.wait(None).unwrap().collect::<Vec<_>>(), [7]);
            // The descriptor is still readable, and reports nothing new.
            assert_eq!(poller.wait(None).unwrap().count(), 0);
        }
    }
}
