//! The ten requests: what each draws, says, and hears.
//!
//! `links` writes links, `lists` reads them, `nodes` is about nodes, `history` remembers lists that
//! were cut off. Reads and requests about nodes are one statement; writes of links are transactions
//! that open with BEGIN, of two messages, as what is to be written depends on what was there.

mod history;
mod links;
mod lists;
mod nodes;

use load::Stream;
use wire::{Done, Row};

use super::counts::Counts;
use super::graph::Graph;
use super::neighbours::Place;
use super::FIRST_LINK_TYPE;
use crate::script::int;
pub use links::LinkWrite;
pub use lists::LinkRead;
pub use nodes::NodeRequest;

/// Appends pieces of SQL to a message: texts and integers.
macro_rules! sql {
    ($out:expr, $($piece:expr),+ $(,)?) => {{
        $($crate::linkbench::request::Piece::put($piece, $out);)+
    }};
}
use sql;

/// A piece of SQL. Formatting takes a good part of a request's time, so it is kept plain.
trait Piece {
    fn put(self, out: &mut Vec<u8>);
}

impl Piece for &str {
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
}

impl Piece for u64 {
    fn put(self, out: &mut Vec<u8>) {
        out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
    }
}

/// The names of the ops, in the order of their numbers, which is that of the mix.
pub const OPS: [&str; 10] = [
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_links_list",
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
];

/// What a list has at most.
const LIST_LIMIT: u64 = 10_000;

/// A request whose inputs were drawn.
pub trait Request {
    /// Appends message `step`, from 0; false when the request is over.
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool;

    /// True if the rows of the answer to it are to be heard; else they are counted only.
    fn hears(&self) -> bool {
        false
    }

    /// A row of the answer to the message said last.
    fn hear(&mut self, row: Row<'_>) {
        let _ = row;
    }

    /// The whole answer to it is there; an error says what is wrong with it.
    fn check(&mut self, done: &Done) -> Result<(), &'static str>;

    /// It ended as it should.
    fn count(&mut self, counts: &mut Counts);
}

/// What inputs are drawn with.
pub struct Draw<'a> {
    pub graph: &'a Graph,
    pub place: Place,
    pub stream: Stream,
    /// Milliseconds of the Unix epoch.
    pub now_ms: u64,
}

impl Draw<'_> {
    /// A type of links, from 0.
    fn kind(&mut self) -> u64 {
        self.stream.below(self.graph.parameters.types)
    }
}

/// One link, or where it would be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Link {
    id1: u64,
    link_type: u64,
    id2: u64,
}

impl Link {
    /// Any that a write asks for, which is there with a probability of about `is_there`.
    fn draw(draw: &mut Draw<'_>, is_there: f64) -> Link {
        let (graph, place) = (draw.graph, draw.place);
        let id = graph.link_write.draw(&mut draw.stream);
        let kind = draw.kind();
        let end = graph
            .neighbours
            .one((id, kind), is_there, place, &mut draw.stream);
        Link {
            id1: graph.first_id + id,
            link_type: FIRST_LINK_TYPE + kind,
            id2: end,
        }
    }
}

/// Appends data as a string of SQL; the connection's character set is latin1.
fn quoted(data: &[u8], out: &mut Vec<u8>) {
    out.push(b'\'');
    for &byte in data {
        match byte {
            b'\'' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            0 => out.extend_from_slice(b"\\0"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
}
