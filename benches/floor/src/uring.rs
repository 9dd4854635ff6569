//! io_uring: a loop over many connections, one system call for a batch of them.
//!
//! The only module with unsafe code: the kernel reads and writes memory that an entry names, after
//! the call that submitted it, which no type can express. Such memory lives until `run` returns:
//! requests in `work.sessions`, which nothing moves, and `Buffers`.
#![allow(unsafe_code)]

use std::alloc::{alloc_zeroed, Layout};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU16, Ordering};

use io_uring::squeue::{Entry, Flags};
use io_uring::types::{BufRingEntry, Fixed, SubmitArgs, Timespec};
use io_uring::{cqueue, opcode, squeue, IoUring, Submitter};
use nix::libc::{ENOBUFS, MSG_NOSIGNAL, MSG_WAITALL};

use crate::options::{Options, Taskrun, Variant};
use crate::work::{Next, Work};

const BUFFER_BYTES: usize = 1024;
const PAGE_BYTES: usize = 4096;
const GROUP: u16 = 0;
// IORING_RECVSEND_POLL_FIRST, which the crate doesn't define: don't try to receive before polling.
const POLL_FIRST: u16 = 1;
// Sends report a completion only if they fail.
const SEND: u64 = u64::MAX;

/// Runs the loop's connections.
pub fn run(work: &mut Work<'_>, options: &Options) -> Result<()> {
    let variant = options.variant();
    if !matches!(
        variant,
        Variant::Multishot | Variant::Posted | Variant::Linked
    ) {
        return Err(Error::other(format!("uring has no variant {variant:?}")));
    }
    let count = work.sessions.len();
    let mut ring = build(count, options.taskrun)?;
    let (mut submitter, mut queue, mut completed) = ring.split();
    let fds: Vec<_> = work.sessions.iter().map(|s| s.stream.as_raw_fd()).collect();
    submitter.register_files(&fds)?;
    submitter.register_ring_fd()?;
    let mut buffers = Buffers::new(count)?;
    if variant == Variant::Multishot {
        buffers.register(&submitter)?;
    }
    let limit = Timespec::new().sec(60);
    let linger = SubmitArgs::new()
        .min_wait_usec(options.linger_us)
        .timespec(&limit);
    work.start()?;
    for index in 0..count {
        push(&mut queue, &buffers.receive(index, variant))?;
        push(&mut queue, &send(work, index, Flags::empty()))?;
    }
    while work.left > 0 {
        queue.sync();
        let wait = options.wait.clamp(1, work.left);
        let entered = if options.linger_us == 0 || wait == 1 {
            submitter.submit_and_wait(wait)
        } else {
            submitter.submit_with_args(wait, &linger)
        };
        match entered {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => drop(other?),
        }
        // Again: what was submitted has made room.
        queue.sync();
        completed.sync();
        for entry in &mut completed {
            let more = cqueue::more(entry.flags());
            // Given back at once: nobody looks at its content.
            if let Some(buffer) = cqueue::buffer_select(entry.flags()) {
                buffers.give_back(buffer);
            }
            if entry.user_data() == SEND {
                return Err(Error::from_raw_os_error(-entry.result()));
            }
            let index = entry.user_data() as usize;
            let bytes = match entry.result() {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                result if result == -ENOBUFS => 0,
                result if result < 0 => return Err(Error::from_raw_os_error(-result)),
                result => result as usize,
            };
            answer(work, &mut queue, &buffers, variant, index, bytes, more)?;
        }
    }
    Ok(())
}

/// Queues what follows from received bytes.
fn answer(
    work: &mut Work<'_>,
    queue: &mut squeue::SubmissionQueue<'_>,
    buffers: &Buffers,
    variant: Variant,
    index: usize,
    bytes: usize,
    more: bool,
) -> Result<()> {
    let next = work.received(index, bytes)?;
    if next == Next::Send && variant == Variant::Linked {
        push(queue, &send(work, index, Flags::IO_LINK))?;
        return push(queue, &buffers.receive(index, variant));
    }
    if next != Next::Stop && !more {
        push(queue, &buffers.receive(index, variant))?;
    }
    if next == Next::Send {
        push(queue, &send(work, index, Flags::empty()))?;
    }
    Ok(())
}

/// A ring with room for two entries per connection, so that a batch always fits.
fn build(count: usize, taskrun: Taskrun) -> Result<IoUring> {
    let entries = u32::try_from((2 * count).next_power_of_two()).map_err(Error::other)?;
    let mut builder = IoUring::builder();
    builder.setup_cqsize(2 * entries);
    match taskrun {
        Taskrun::Defer => builder.setup_single_issuer().setup_defer_taskrun(),
        Taskrun::Coop => builder.setup_single_issuer().setup_coop_taskrun(),
        Taskrun::Plain => builder.setup_single_issuer(),
    };
    builder.build(entries)
}

fn send(work: &Work<'_>, index: usize, flags: Flags) -> Entry {
    let request = &work.sessions[index].request;
    opcode::Send::new(Fixed(index as u32), request.as_ptr(), request.len() as u32)
        .flags(MSG_NOSIGNAL | MSG_WAITALL)
        .build()
        .flags(Flags::SKIP_SUCCESS | flags)
        .user_data(SEND)
}

fn push(queue: &mut squeue::SubmissionQueue<'_>, entry: &Entry) -> Result<()> {
    // SAFETY: entries only name requests and buffers, which live as long as the ring is used.
    unsafe { queue.push(entry) }.map_err(|_| Error::other("the submission queue is full"))
}

/// Memory to receive into: one buffer per connection, shared by all if the kernel chooses.
struct Buffers {
    bytes: NonNull<u8>,
    entries: NonNull<BufRingEntry>,
    mask: u16,
    tail: u16,
}

impl Buffers {
    fn new(count: usize) -> Result<Buffers> {
        let slots = u16::try_from(count.next_power_of_two()).map_err(Error::other)?;
        Ok(Buffers {
            bytes: pages(usize::from(slots) * BUFFER_BYTES)?,
            entries: pages(usize::from(slots) * size_of::<BufRingEntry>())?.cast(),
            mask: slots - 1,
            tail: 0,
        })
    }

    fn register(&mut self, submitter: &Submitter<'_>) -> Result<()> {
        let address = self.entries.as_ptr() as u64;
        // SAFETY: the memory has that many entries and is never freed.
        unsafe { submitter.register_buf_ring_with_flags(address, self.mask + 1, GROUP, 0) }?;
        (0..=self.mask).for_each(|buffer| self.give_back(buffer));
        Ok(())
    }

    /// Gives the kernel a buffer, again or for the first time.
    fn give_back(&mut self, buffer: u16) {
        let address = self.address(usize::from(buffer)) as u64;
        // SAFETY: the mask keeps the index within the ring, the tail is in its first entry, and the
        // kernel doesn't look at an entry before the tail has passed it.
        unsafe {
            let entry = self
                .entries
                .add(usize::from(self.tail & self.mask))
                .as_mut();
            entry.set_addr(address);
            entry.set_len(BUFFER_BYTES as u32);
            entry.set_bid(buffer);
            self.tail = self.tail.wrapping_add(1);
            let tail = BufRingEntry::tail(self.entries.as_ptr()).cast::<AtomicU16>();
            (*tail).store(self.tail, Ordering::Release);
        }
    }

    /// The entry that receives for a connection.
    fn receive(&self, index: usize, variant: Variant) -> Entry {
        let fd = Fixed(index as u32);
        let entry = match variant {
            Variant::Multishot => opcode::RecvMulti::new(fd, GROUP).build(),
            // The reply can't have arrived yet.
            _ => opcode::Recv::new(fd, self.address(index), BUFFER_BYTES as u32)
                .ioprio(POLL_FIRST)
                .build(),
        };
        entry.user_data(index as u64)
    }

    /// Where a buffer starts; `index` is below the number of slots.
    fn address(&self, index: usize) -> *mut u8 {
        self.bytes.as_ptr().wrapping_add(index * BUFFER_BYTES)
    }
}

/// Zeroed memory, aligned to a page. Never freed: the kernel releases what it was given only some
/// time after a ring has been closed, and the program ends then anyway.
fn pages(size: usize) -> Result<NonNull<u8>> {
    let layout = Layout::from_size_align(size, PAGE_BYTES).map_err(Error::other)?;
    // SAFETY: the size isn't zero, there is at least one connection.
    let memory = unsafe { alloc_zeroed(layout) };
    NonNull::new(memory).ok_or_else(|| ErrorKind::OutOfMemory.into())
}
