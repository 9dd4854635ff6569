//! Queued deliveries (2.7.2): a terminal only puts its delivery into a queue, and servers in the
//! background execute it, each on its own blocking connection.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use load::Stop;
use wire::Connection;

use super::counts::Counts;
use super::txn::{Delivery, Transaction};
use crate::account::Counters;
use crate::error::Error;
use crate::refusal::code_of;
use crate::script::Ear;
use crate::session::run_session;
use crate::workload::Shared;

/// 90 % must be executed within this time after being queued (2.7.2.2).
const IN_TIME: Duration = Duration::from_secs(80);
/// How many warehouses one background server works for: each queues a delivery in 50 s.
const WAREHOUSES_A_SERVER: u32 = 100;
/// How long to wait for the servers at the end.
const GOODBYE: Duration = Duration::from_secs(1);
/// How often a waiting thread checks whether the run is to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// All terminals' deliveries, and the servers that execute them.
#[derive(Debug)]
pub struct Queue {
    state: Arc<State>,
    servers: Vec<JoinHandle<()>>,
}

/// What terminals and servers share.
#[derive(Debug)]
pub struct State {
    stop: Stop,
    at: Mutex<At>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct At {
    waiting: VecDeque<(Delivery, Instant)>,
    running: usize,
    is_closed: bool,
    done: Done,
}

/// How deliveries ended.
#[derive(Debug, Clone, Copy, Default)]
struct Done {
    queued: u64,
    executed: u64,
    in_time: u64,
    failed: u64,
    counts: Counts,
}

impl Queue {
    /// Connects the servers for a number of warehouses; each connection starts with `session`.
    pub fn open(shared: &Arc<Shared>, warehouses: u32, session: &[String]) -> Result<Queue, Error> {
        let state = State {
            stop: shared.stop.clone(),
            at: Mutex::default(),
            changed: Condvar::new(),
        };
        let mut queue = Queue {
            state: Arc::new(state),
            servers: Vec::new(),
        };
        for _ in 0..warehouses.div_ceil(WAREHOUSES_A_SERVER) {
            let mut connection = shared.connector.connect(shared.limit())?;
            run_session(session, &mut connection)?;
            let server = Server {
                shared: Arc::clone(shared),
                state: Arc::clone(&queue.state),
                session: session.to_vec(),
                connection,
            };
            queue.servers.push(thread::spawn(move || server.serve()));
        }
        Ok(queue)
    }

    /// The terminals' handle.
    pub fn state(&self) -> Arc<State> {
        Arc::clone(&self.state)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        self.state.lock().is_closed = true;
        self.state.changed.notify_all();
        // Each quits its connection to the database, unless that hangs.
        let until = Instant::now() + GOODBYE;
        while Instant::now() < until && self.servers.iter().any(|server| !server.is_finished()) {
            thread::sleep(LOOK_EVERY);
        }
    }
}

impl State {
    /// Appends a delivery to the queue.
    pub fn put(&self, delivery: Delivery) {
        let mut at = self.lock();
        at.done.queued += 1;
        at.waiting.push_back((delivery, Instant::now()));
        drop(at);
        self.changed.notify_one();
    }

    /// What was done since the last call, once everything queued is done; or 80 s later.
    pub fn settle(&self) -> Counters {
        let until = Instant::now() + IN_TIME;
        let mut at = self.lock();
        let is_open = |at: &At| !at.waiting.is_empty() || at.running > 0;
        while is_open(&at) && Instant::now() < until && !self.stop.is_set() {
            at = self.wait(at);
        }
        let done = std::mem::take(&mut at.done);
        let mut counters = done.counts.named();
        counters.extend([
            ("deliveries_queued", done.queued),
            ("deliveries_executed", done.executed),
            ("deliveries_in_time", done.in_time),
            ("deliveries_failed", done.failed),
        ]);
        counters
    }

    /// The first one in the queue; `None` if there will be no more.
    fn take(&self) -> Option<(Delivery, Instant)> {
        let mut at = self.lock();
        loop {
            if at.is_closed {
                return None;
            }
            if let Some(first) = at.waiting.pop_front() {
                at.running += 1;
                return Some(first);
            }
            at = self.wait(at);
        }
    }

    fn ended(&self, delivery: &Delivery, since: Instant, is_ok: bool) {
        let mut at = self.lock();
        at.running -= 1;
        let done = &mut at.done;
        if is_ok {
            done.executed += 1;
            done.in_time += u64::from(since.elapsed() <= IN_TIME);
            done.counts.delivered_orders += delivery.delivered();
            done.counts.skipped_deliveries += 10 - delivery.delivered();
        } else {
            done.failed += 1;
        }
        drop(at);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, At> {
        self.at.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, at: MutexGuard<'a, At>) -> MutexGuard<'a, At> {
        let waited = self.changed.wait_timeout(at, LOOK_EVERY);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// A server that executes deliveries.
struct Server {
    shared: Arc<Shared>,
    state: Arc<State>,
    session: Vec<String>,
    connection: Connection,
}

impl Server {
    fn serve(mut self) {
        while let Some((mut delivery, since)) = self.state.take() {
            let done = self.execute(&mut delivery);
            self.state.ended(&delivery, since, done.is_ok());
            if let Err(error) = done {
                self.shared
                    .report_refusal("a queued delivery failed", &error);
                if self.connection.is_broken() && self.reconnect().is_err() {
                    return;
                }
            }
        }
        self.shared.connector.retire(self.connection);
    }

    /// Retried with the same inputs if the server asks for that.
    fn execute(&mut self, delivery: &mut Delivery) -> Result<(), wire::Error> {
        let policy = &self.shared.retries;
        let mut retries = 0;
        loop {
            let error = match converse(&mut self.connection, delivery) {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            if !error.is_fatal() {
                self.connection.execute_sql("ROLLBACK")?;
            }
            if !policy.codes.contains(&code_of(&error)) || retries == policy.limit {
                return Err(error);
            }
            retries += 1;
        }
    }

    fn reconnect(&mut self) -> Result<(), Error> {
        let Shared {
            connector, stop, ..
        } = self.shared.as_ref();
        self.connection = connector.reconnect(0, self.shared.limit(), stop)?;
        run_session(&self.session, &mut self.connection)
    }
}

/// Sends all of a delivery.
fn converse(connection: &mut Connection, delivery: &mut Delivery) -> Result<(), wire::Error> {
    for step in 0.. {
        let mut sql = Vec::new();
        if !delivery.say(step, &mut sql) {
            break;
        }
        let mut sets = 0;
        let mut ear = Ear::new(true, &mut sets, |set, row| delivery.hear(step, set, row));
        let done = connection.query(&sql, &mut ear)?;
        delivery
            .check(step, &done)
            .map_err(|wrong| wire::Error::Usage {
                what: wrong.to_owned(),
            })?;
    }
    Ok(())
}
