//! Adding, updating, deleting and reading nodes: one statement each.

use wire::Done;

use super::parts::{Draw, Request};
use super::sql::{quoted, sql};
use crate::linkbench::access::Access;
use crate::linkbench::counts::Counts;
use crate::linkbench::types::NODE_TYPE;

/// Which of the four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Add,
    Update,
    Delete,
    Get,
}

/// A request about one node.
#[derive(Debug)]
pub struct NodeRequest {
    verb: Verb,
    id: u64,
    data: Vec<u8>,
    now_s: u64,
    /// Rows changed or read.
    rows: u64,
    /// The id that the server gave to a new node.
    new_id: u64,
}

impl NodeRequest {
    /// Nothing has been drawn yet.
    pub fn new() -> NodeRequest {
        NodeRequest {
            verb: Verb::Get,
            id: 0,
            data: Vec::new(),
            now_s: 0,
            rows: 0,
            new_id: 0,
        }
    }

    /// Draws a node to add.
    pub fn draw_add(&mut self, draw: &mut Draw<'_>) {
        self.verb = Verb::Add;
        self.now_s = draw.now_ms / 1000;
        draw.graph.node_add.draw(&mut draw.stream, &mut self.data);
    }

    /// Draws a node to update.
    pub fn draw_update(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Update, &draw.graph.node_update, draw);
        self.now_s = draw.now_ms / 1000;
        let graph = draw.graph;
        graph
            .node_update_data
            .draw(&mut draw.stream, &mut self.data);
    }

    /// Draws a node to delete.
    pub fn draw_delete(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Delete, &draw.graph.node_delete, draw);
    }

    /// Draws a node to read.
    pub fn draw_get(&mut self, draw: &mut Draw<'_>) {
        self.draw(Verb::Get, &draw.graph.node_read, draw);
    }

    /// The id of the node that was added; none if the request was another one.
    pub fn added(&self) -> Option<u64> {
        (self.verb == Verb::Add).then_some(self.new_id)
    }

    /// The read of one id, as it is sent.
    pub fn example(id: u64) -> (&'static str, String) {
        let mut get = NodeRequest::new();
        get.id = id;
        let mut out = Vec::new();
        get.say(0, &mut out);
        ("get_node", String::from_utf8_lossy(&out).into_owned())
    }

    fn draw(&mut self, verb: Verb, access: &Access, draw: &mut Draw<'_>) {
        self.verb = verb;
        self.id = draw.graph.first_id + access.draw(&mut draw.stream);
    }
}

impl Request for NodeRequest {
    fn say(&mut self, step: usize, out: &mut Vec<u8>) -> bool {
        if step > 0 {
            return false;
        }
        self.rows = 0;
        let (id, now_s) = (self.id, self.now_s);
        match self.verb {
            Verb::Add => {
                sql!(
                    out,
                    "INSERT INTO nodetable (type, version, time, data) VALUES (",
                    NODE_TYPE,
                    ", 1, ",
                    now_s,
                    ", "
                );
                quoted(&self.data, out);
                out.push(b')');
            }
            Verb::Update => {
                sql!(
                    out,
                    "UPDATE nodetable SET version = 2, time = ",
                    now_s,
                    ", data = "
                );
                quoted(&self.data, out);
                sql!(out, " WHERE id = ", id, " AND type = ", NODE_TYPE);
            }
            Verb::Delete => sql!(
                out,
                "DELETE FROM nodetable WHERE id = ",
                id,
                " AND type = ",
                NODE_TYPE
            ),
            Verb::Get => sql!(
                out,
                "SELECT id, type, version, time, data FROM nodetable WHERE id = ",
                id
            ),
        }
        true
    }

    fn check(&mut self, done: &Done) -> Result<(), &'static str> {
        self.rows = done.rows + done.affected_rows;
        self.new_id = done.last_insert_id;
        match self.rows {
            0 | 1 => Ok(()),
            _ => Err("a request about one node met several"),
        }
    }

    fn count(&mut self, counts: &mut Counts) {
        match self.verb {
            Verb::Get => counts.nodes_found += self.rows,
            Verb::Delete => counts.nodes_deleted += self.rows,
            Verb::Update => counts.nodes_updated += self.rows,
            Verb::Add => {}
        }
        if matches!(self.verb, Verb::Add | Verb::Update) {
            counts.node_payloads += 1;
            counts.node_bytes += self.data.len() as u64;
        }
    }
}
