//! Every strategy against a scripted peer that cuts its replies in two, or sends too much.
//!
//! The peer is scripted because a real server never does either with such a short reply.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};

use clap::Parser;

use crate::options::{Options, Strategy};
use crate::session::Session;
use crate::tally::Tally;
use crate::work::{Gate, Work};

const REQUEST_BYTES: usize = 24;
const REPLY: [usize; 2] = [10, 20];
const CONNECTIONS: usize = 3;

/// A session whose peer answers in the given pieces; the thread returns the requests answered.
fn pair(strategy: Strategy, pieces: &'static [usize]) -> (Session, JoinHandle<u64>) {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(strategy == Strategy::Epoll).unwrap();
    let peer = thread::spawn(move || {
        let (mut request, mut count) = ([0; REQUEST_BYTES], 0);
        while theirs.read_exact(&mut request).is_ok() {
            for &length in pieces {
                // The peer doesn't care whether the other side still listens.
                let _ = theirs.write_all(&vec![1; length]);
                thread::yield_now();
            }
            count += 1;
        }
        count
    });
    let session = Session {
        stream: File::from(OwnedFd::from(ours)),
        request: vec![0; REQUEST_BYTES],
        has_id: true,
        reply_bytes: REPLY.iter().sum(),
        received: 0,
        begun_ns: 0,
    };
    (session, peer)
}

/// Runs a strategy on peers; returns its ops (or error), and the requests that peers answered.
fn run(arguments: &str, pieces: &'static [usize]) -> (std::io::Result<u64>, u64) {
    let words = format!("floor --seconds 0.03 {arguments}");
    let options = Options::parse_from(words.split_whitespace());
    let count = match options.strategy {
        Strategy::Threads => 1,
        _ => CONNECTIONS,
    };
    let (mut sessions, peers): (Vec<_>, Vec<_>) =
        (0..count).map(|_| pair(options.strategy, pieces)).unzip();
    let gate = Gate::new(1, options.seconds);
    let work = Work::new(&mut sessions, 0, &options, &gate);
    let ops = on_own_thread(work, &options).map(|tally| tally.ops);
    drop(sessions);
    let answered = peers.into_iter().map(|peer| peer.join().unwrap()).sum();
    (ops, answered)
}

/// A thread that registered a ring keeps it, and the ring its sockets, until the thread ends.
fn on_own_thread(work: Work<'_>, options: &Options) -> std::io::Result<Tally> {
    thread::scope(|scope| scope.spawn(|| crate::run(work, options)).join().unwrap())
}

const WAYS: [&str; 10] = [
    "--strategy threads --variant read",
    "--strategy threads --variant poll",
    "--strategy epoll --variant each",
    "--strategy epoll --variant gather",
    "--strategy epoll --variant level",
    "--strategy uring --variant multishot",
    "--strategy uring --variant posted",
    "--strategy uring --variant linked --taskrun coop",
    "--strategy uring --wait 2 --taskrun plain",
    "--strategy uring --wait 3 --linger-us 50",
];

/// Ways that work here: containers often forbid io_uring.
fn allowed() -> impl Iterator<Item = &'static str> {
    let forbidden = io_uring::IoUring::new(8).is_err_and(|error| {
        matches!(
            error.kind(),
            ErrorKind::PermissionDenied | ErrorKind::Unsupported
        )
    });
    WAYS.into_iter()
        .filter(move |way| !(forbidden && way.contains("uring")))
}

#[test]
fn replies_in_pieces_are_counted_once_each() {
    for way in allowed() {
        let (ops, answered) = run(way, &REPLY);
        assert_eq!(ops.unwrap(), answered, "{way}");
        assert!(answered >= 1, "{way}");
    }
}

#[test]
fn a_longer_reply_ends_the_run() {
    for way in allowed() {
        let (ops, _) = run(way, &[31]);
        assert_eq!(
            ops.unwrap_err().to_string(),
            "a reply of 31 bytes, not 30",
            "{way}"
        );
    }
}

#[test]
fn a_lost_connection_ends_the_run() {
    for way in allowed() {
        let words = format!("floor --seconds 60 {way}");
        let options = Options::parse_from(words.split_whitespace());
        let (mut session, peer) = pair(options.strategy, &REPLY);
        let (ours, _) = UnixStream::pair().unwrap();
        ours.set_nonblocking(options.strategy == Strategy::Epoll)
            .unwrap();
        session.stream = File::from(OwnedFd::from(ours));
        let gate = Gate::new(1, options.seconds);
        let work = Work::new(std::slice::from_mut(&mut session), 0, &options, &gate);
        assert!(on_own_thread(work, &options).is_err(), "{way}");
        peer.join().unwrap();
    }
}

#[test]
fn ids_stay_within_the_table() {
    let words = "floor --seconds 1 --rows 7";
    let options = Options::parse_from(words.split_whitespace());
    let (mut session, peer) = pair(Strategy::Threads, &REPLY);
    let gate = Gate::new(1, options.seconds);
    let mut work = Work::new(std::slice::from_mut(&mut session), 0, &options, &gate);
    work.start().unwrap();
    let mut seen = [0u32; 8];
    for _ in 0..7000 {
        let request = &work.sessions[0].request;
        let id = u64::from_le_bytes(request[REQUEST_BYTES - 8..].try_into().unwrap());
        seen[id as usize] += 1;
        work.received(0, 30).unwrap();
    }
    assert_eq!(seen[0], 0);
    // Seven times a thousand: six standard deviations around.
    assert!(
        seen[1..].iter().all(|n| (820..1180).contains(n)),
        "{seen:?}"
    );
    drop(session);
    peer.join().unwrap();
}
