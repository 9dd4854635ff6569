//! One connection's part: which request, with which inputs, and how it ended.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use load::{Purpose, Stream, Turn};
use wire::{Done, Row};

use super::counts::Counts;
use super::graph::Graph;
use super::neighbours::Place;
use super::request::{Draw, LinkRead, LinkWrite, NodeRequest, Request};
use crate::account::Counters;
use crate::notes::Notes;
use crate::script::{Say, Script};

/// What makes requests.
#[derive(Debug)]
pub struct Requester {
    graph: Arc<Graph>,
    inputs: Purpose,
    place: Place,
    /// The kind of the request drawn last.
    at: At,
    link_write: LinkWrite,
    link_read: LinkRead,
    node: NodeRequest,
    counts: Counts,
    success: Option<Notes>,
}

/// Which of the three kinds of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    LinkWrite,
    LinkRead,
    Node,
}

impl Requester {
    /// Requester `place`.
    pub fn new(graph: Arc<Graph>, seed: u64, place: Place) -> Requester {
        Requester {
            inputs: Purpose::new(seed, "linkbench/requests"),
            place,
            at: At::Node,
            link_write: LinkWrite::new(graph.parameters.writes),
            link_read: LinkRead::new(),
            node: NodeRequest::new(),
            counts: Counts::default(),
            success: None,
            graph,
        }
    }

    /// Records acknowledged new nodes there.
    pub fn with_success(self, success: Option<Notes>) -> Requester {
        Requester { success, ..self }
    }

    fn request(&mut self) -> &mut dyn Request {
        match self.at {
            At::LinkWrite => &mut self.link_write,
            At::LinkRead => &mut self.link_read,
            At::Node => &mut self.node,
        }
    }

    /// Records the node that was added, if it was one.
    fn note(&self) {
        if let (Some(success), At::Node) = (&self.success, self.at) {
            if let Some(id) = self.node.added() {
                success.note(format_args!("{id}"));
            }
        }
    }

    /// Draws the inputs of op `op`.
    fn draw_op(&mut self, op: usize, stream: Stream) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let draw = &mut Draw {
            graph: &self.graph,
            place: self.place,
            stream,
            now_ms: now.map_or(0, |since| since.as_millis() as u64),
        };
        self.at = match op {
            0..=2 => At::LinkWrite,
            3..=5 => At::LinkRead,
            _ => At::Node,
        };
        match op {
            0 => self.link_write.draw_add(draw),
            1 => self.link_write.draw_delete(draw),
            2 => self.link_write.draw_update(draw),
            3 => self.link_read.draw_count(draw),
            4 => self.link_read.draw_several(draw),
            5 => self.link_read.draw_list(draw),
            6 => self.node.draw_add(draw),
            7 => self.node.draw_update(draw),
            8 => self.node.draw_delete(draw),
            _ => self.node.draw_get(draw),
        }
    }
}

impl Script for Requester {
    /// Data is bytes, which latin1 leaves unchanged.
    fn session(&self) -> Vec<String> {
        vec![
            "SET NAMES latin1".to_owned(),
            "SET autocommit = 1".to_owned(),
        ]
    }

    fn prepared(&self) -> Vec<String> {
        Vec::new()
    }

    fn draw(&mut self, turn: Turn) -> u16 {
        let mut stream = self.inputs.stream(turn.index);
        let mix = &self.graph.parameters.mix;
        let percent = stream.unit() * 100.0;
        let op = mix
            .partition_point(|&upto| upto < percent)
            .min(mix.len() - 1);
        self.draw_op(op, stream);
        op as u16
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        say.query_if(|out| self.request().say(step, out))
    }

    fn hears(&self) -> bool {
        match self.at {
            At::LinkWrite => self.link_write.hears(),
            At::LinkRead => self.link_read.hears(),
            At::Node => false,
        }
    }

    fn hear(&mut self, _set: usize, row: Row<'_>) {
        self.request().hear(row);
    }

    fn check(&mut self, done: &Done) -> Result<(), &'static str> {
        self.request().check(done)
    }

    fn ended(&mut self, is_ok: bool) {
        if is_ok {
            let mut counts = std::mem::take(&mut self.counts);
            self.request().count(&mut counts);
            self.counts = counts;
            self.note();
        }
    }

    fn take_counters(&mut self) -> Counters {
        std::mem::take(&mut self.counts).named()
    }

    fn is_transaction(&self) -> bool {
        self.at == At::LinkWrite
    }
}
