//! The timed part: all clients connect, run their statements and disconnect. As in mysqlslap, the
//! time covers all three; each is also recorded separately.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use load::{run_phase, Class, Histogram, Limits, Monotonic, Phase};
use workloads::cost::processor_time;

use crate::clients::{Client, Common};
use crate::crew::together;
use crate::failure::{exit, Failure};
use crate::lists::Share;

/// After the time is over, how long to wait for running statements.
const DRAIN_NS: u64 = 86_400_000_000_000;

/// The result of one timed part.
#[derive(Debug, Clone)]
pub struct Timed {
    /// All of it.
    pub total: Duration,
    /// Until the last client had connected.
    pub connect: Duration,
    /// From the first statement to the end of the last.
    pub run: Duration,
    /// The last COMMIT, and disconnecting.
    pub close: Duration,
    /// Statements answered; COMMIT isn't one.
    pub statements: u64,
    /// How often a client tried again to connect.
    pub connect_retries: u64,
    /// Processor time of this program, in seconds; `None` if the system doesn't report it.
    pub client_cpu_s: Option<f64>,
}

/// Runs one timed part with this number of clients. Adds latencies: from sending a statement until
/// the end of its answer, including its COMMIT; with --detach from the reconnect before it, if
/// there is one.
pub fn measure(
    common: &Arc<Common>,
    clients: usize,
    share: Share,
    time: Option<Duration>,
    latency: &mut Histogram,
) -> Result<Timed, Failure> {
    match common.detach {
        0 => Part::<false>::run(common, clients, share, time, latency),
        _ => Part::<true>::run(common, clients, share, time, latency),
    }
}

struct Part<const BLOCKING: bool>;

impl<const BLOCKING: bool> Part<BLOCKING> {
    fn run(
        common: &Arc<Common>,
        clients: usize,
        share: Share,
        time: Option<Duration>,
        latency: &mut Histogram,
    ) -> Result<Timed, Failure> {
        let mut crew: Vec<Client<BLOCKING>> = (0..clients)
            .map(|number| Client::new(common, number))
            .collect();
        let cpu_before = cpu_s();
        let connect = together(&mut crew, Client::connect).map_err(no_threads)?;
        check(common)?;
        let (mut run, mut statements) = (Duration::ZERO, 0);
        if share.done != Some(0) {
            let phase = phase(common, clients, share, time);
            let end = run_phase(&phase, crew, |_| {}).map_err(no_threads)?;
            run = Duration::from_nanos(end.end_ns - end.start_ns);
            statements = end.tally.counts.ok;
            for (_, class, op) in end.tally.ops() {
                if class == Class::Ok {
                    latency.merge(&op.latency);
                }
            }
            crew = end.workers;
            check(common)?;
        }
        let close = close(common, &mut crew).map_err(no_threads)?;
        check(common)?;
        // With --detach, clients connect until the end.
        let connect_retries = crew.iter().map(|client| u64::from(client.retries())).sum();
        Ok(Timed {
            total: connect + run + close,
            connect,
            run,
            close,
            statements,
            connect_retries,
            client_cpu_s: cpu_s()
                .zip(cpu_before)
                .map(|(after, before)| after - before),
        })
    }
}

fn phase(
    common: &Common,
    clients: usize,
    share: Share,
    time: Option<Duration>,
) -> Phase<Monotonic> {
    let limits = Limits {
        // Dealt out in turn, so each client gets exactly its share.
        ops: share.done.map(|each| each.saturating_mul(clients as u64)),
        duration_ns: time.map(|time| time.as_nanos() as u64),
    };
    Phase {
        limit_ns: common
            .options
            .read_timeout
            .map(|limit| limit.as_nanos() as u64),
        ..Phase::closed(common.stop.clone(), limits, DRAIN_NS)
    }
}

/// The last COMMIT takes time, so all clients do it at once; disconnecting takes none.
fn close<const BLOCKING: bool>(
    common: &Common,
    crew: &mut [Client<BLOCKING>],
) -> io::Result<Duration> {
    let commits = match common.commit {
        0 => Duration::ZERO,
        _ => together(crew, Client::finish)?,
    };
    let start = Instant::now();
    crew.iter_mut().for_each(Client::close);
    Ok(commits + start.elapsed())
}

/// A run with a failure has no time worth reporting.
fn check(common: &Common) -> Result<(), Failure> {
    if let Some(failure) = common.first_failure() {
        return Err(failure);
    }
    if common.stop.is_set() {
        return Err(stopped());
    }
    Ok(())
}

/// The failure for a run ended by a signal.
pub fn stopped() -> Failure {
    Failure::new(exit::SIGNAL, "stopped by a signal", "")
}

fn no_threads(error: io::Error) -> Failure {
    Failure::refused(
        format!("the clients can't be made: {error}"),
        "use fewer clients, or raise the limits of this user (ulimit -u, ulimit -n)",
    )
}

/// Processor seconds so far.
fn cpu_s() -> Option<f64> {
    let (user, system) = processor_time().ok()?;
    Some(user + system)
}
