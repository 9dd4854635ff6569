//! Epoll: a loop over many non-blocking connections.

use std::io::{Error, Result};

use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};

use crate::options::{Options, Variant};
use crate::work::{Next, Work};

const EVENTS: usize = 1024;

/// Runs the loop's connections.
pub fn run(work: &mut Work<'_>, options: &Options) -> Result<()> {
    let (edge, gather) = match options.variant() {
        Variant::Each => (EpollFlags::EPOLLET, false),
        Variant::Gather => (EpollFlags::EPOLLET, true),
        Variant::Level => (EpollFlags::empty(), false),
        other => return Err(Error::other(format!("epoll has no variant {other:?}"))),
    };
    let count = work.sessions.len();
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
    for (index, session) in work.sessions.iter().enumerate() {
        let event = EpollEvent::new(EpollFlags::EPOLLIN | edge, index as u64);
        epoll.add(&session.stream, event)?;
    }
    let mut events = vec![EpollEvent::empty(); count.min(EVENTS)];
    let mut to_send = Vec::with_capacity(count);
    let mut reply = [0u8; 4096];
    work.start()?;
    for index in 0..count {
        work.send(index)?;
    }
    while work.left > 0 {
        let ready = match epoll.wait(&mut events, EpollTimeout::NONE) {
            Err(Errno::EINTR) => continue,
            other => other?,
        };
        for event in &events[..ready] {
            // One read empties the socket: the buffer is larger than any reply, and there is never
            // more than one. So no edge is missed.
            let index = event.data() as usize;
            let bytes = work.read(index, &mut reply)?;
            match work.received(index, bytes)? {
                Next::Send if gather => to_send.push(index),
                Next::Send => work.send(index)?,
                Next::Wait | Next::Stop => {}
            }
        }
        for index in to_send.drain(..) {
            work.send(index)?;
        }
    }
    Ok(())
}
