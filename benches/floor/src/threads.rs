//! Threads: one connection, blocking calls.

use std::io::{Error, Result};
use std::os::fd::AsFd;

use nix::poll::{poll, PollFd, PollFlags, PollTimeout};

use crate::options::{Options, Variant};
use crate::work::{Next, Work};

/// Runs the loop's only connection.
pub fn run(work: &mut Work<'_>, options: &Options) -> Result<()> {
    let polls = match options.variant() {
        Variant::Read => false,
        Variant::Poll => true,
        other => return Err(Error::other(format!("threads has no variant {other:?}"))),
    };
    let mut reply = [0u8; 4096];
    work.start()?;
    work.send(0)?;
    loop {
        if polls {
            // A Unix socket also wakes its blocked reader when the peer has taken the request; poll
            // sleeps through that.
            let fd = work.sessions[0].stream.as_fd();
            poll(&mut [PollFd::new(fd, PollFlags::POLLIN)], PollTimeout::NONE)?;
        }
        let bytes = work.read(0, &mut reply)?;
        match work.received(0, bytes)? {
            Next::Wait => {}
            Next::Send => work.send(0)?,
            Next::Stop => return Ok(()),
        }
    }
}
