//! What the requests share: what a request is, and what its inputs are drawn from.

use load::Stream;
use wire::{Done, Row};

use crate::linkbench::counts::Counts;
use crate::linkbench::graph::Graph;
use crate::linkbench::neighbours::Place;
use crate::linkbench::types::FIRST_LINK_TYPE;

/// The most links in a list.
pub const LIST_LIMIT: u64 = 10_000;

/// A request with inputs already drawn.
pub trait Request {
    /// Appends message `step`, from 0; false if the request is over.
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool;

    /// True if the rows of the answer are to be read; otherwise they are only counted.
    fn hears(&self) -> bool {
        false
    }

    /// A row of the answer to the last message.
    fn hear(&mut self, row: Row<'_>) {
        let _ = row;
    }

    /// The whole answer has arrived; an error says what is wrong with it.
    fn check(&mut self, done: &Done) -> Result<(), &'static str>;

    /// It ended as it should.
    fn count(&mut self, counts: &mut Counts);
}

/// What inputs are drawn from.
pub struct Draw<'a> {
    pub graph: &'a Graph,
    pub place: Place,
    pub stream: Stream,
    /// Milliseconds since the Unix epoch.
    pub now_ms: u64,
}

impl Draw<'_> {
    /// A type of links, from 0.
    pub fn kind(&mut self) -> u64 {
        self.stream.below(self.graph.parameters.types)
    }
}

/// One link, or the place for one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Link {
    pub id1: u64,
    pub link_type: u64,
    pub id2: u64,
}

impl Link {
    /// Any link that a write asks for, which exists with a probability of about `is_there`.
    pub fn draw(draw: &mut Draw<'_>, is_there: f64) -> Link {
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
