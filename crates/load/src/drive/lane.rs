//! One worker in a loop: its turns, and the op that is under way.

use std::io;

use super::poller::Poller;
use crate::outcome::{Outcome, Sample};
use crate::turns::Turns;
use crate::worker::Worker;

/// What a lane is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// May begin an op.
    Ready,
    /// Waits for a time.
    Waiting,
    /// Its op is under way.
    Running,
    /// Its worker is being mended elsewhere.
    Mending,
    /// Has no more ops.
    Over,
}

pub(super) struct Lane<W> {
    /// `None` while it is being mended.
    pub(super) worker: Option<W>,
    pub(super) turns: Turns,
    pub(super) state: State,
    pub(super) op: u16,
    pub(super) intended_ns: u64,
    pub(super) could_ns: u64,
    pub(super) started_ns: u64,
    writing: bool,
}

impl<W: Worker> Lane<W> {
    pub(super) fn new(worker: W, turns: Turns) -> Lane<W> {
        Lane {
            worker: Some(worker),
            turns,
            state: State::Ready,
            op: 0,
            intended_ns: 0,
            could_ns: 0,
            started_ns: 0,
            writing: false,
        }
    }

    /// Begins no more ops; one that was taken but isn't due yet goes back.
    pub(super) fn close(&mut self) {
        self.turns.give_back();
        self.state = State::Over;
    }

    /// The op that ended.
    pub(super) fn sample(&self, outcome: Outcome, ended_ns: u64) -> Sample {
        Sample {
            op: self.op,
            retries: self.worker.as_ref().map_or(0, Worker::retries),
            outcome,
            intended_ns: self.intended_ns,
            could_ns: self.could_ns,
            started_ns: self.started_ns,
            ended_ns,
        }
    }

    /// Has the worker's descriptor watched, if it has one.
    pub(super) fn watch(&mut self, poller: &Poller, place: usize) -> io::Result<()> {
        self.writing = false;
        match self.worker.as_ref().and_then(Worker::descriptor) {
            Some(descriptor) => poller.add(descriptor, place),
            None => Ok(()),
        }
    }

    /// Has the descriptor watched for room to write exactly while the op needs it.
    pub(super) fn watch_writing(&mut self, poller: &Poller, place: usize) -> io::Result<()> {
        let Some(worker) = &self.worker else {
            return Ok(());
        };
        let wanted = self.state == State::Running && worker.is_sending();
        if wanted == self.writing {
            return Ok(());
        }
        if let Some(descriptor) = worker.descriptor() {
            poller.set_writing(descriptor, place, wanted)?;
        }
        self.writing = wanted;
        Ok(())
    }
}
