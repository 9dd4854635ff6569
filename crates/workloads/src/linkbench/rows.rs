//! The initial rows of the three tables: each depends only on the seed and its index, so that any
//! number of loaders gives the same bytes. Hence times count from a fixed one.
//!
//! Rows of links are loaded id by id. An index stands for the links of an id; ids with very many
//! links have several indexes, so that no loader gets a million rows at once.

use std::ops::Range;
use std::sync::Arc;

use load::{Purpose, Stream};

use super::graph::Graph;
use super::types::{FIRST_LINK_TYPE, NODE_TYPE};
use crate::fill::{Layout, Row, Source};

/// The most links of one index.
const PIECE: u64 = 64;
/// "Now", in milliseconds since the Unix epoch: long past.
const NOW_MS: u64 = 1_700_000_000_000;
/// How much older links are, on average; 2^31 ms are 24.9 days.
const AGE_MS: u64 = 1 << 31;

/// The rows of one of the tables.
#[derive(Debug)]
pub enum GraphRows {
    /// Of `linktable`.
    Links(Links),
    /// Of `counttable`: an index for each id and type.
    Counts(Links),
    /// Of `nodetable`: an index for each id.
    Nodes { graph: Arc<Graph>, data: Purpose },
}

impl GraphRows {
    /// Of `nodetable`.
    pub fn nodes(graph: &Arc<Graph>, seed: u64) -> GraphRows {
        GraphRows::Nodes {
            graph: Arc::clone(graph),
            data: Purpose::new(seed, "linkbench/rows/nodes"),
        }
    }

    /// The number of indexes.
    pub fn indexes(&self) -> u64 {
        match self {
            GraphRows::Links(links) => links.indexes(),
            GraphRows::Counts(links) => links.graph.ids * links.graph.parameters.types,
            GraphRows::Nodes { graph, .. } => graph.ids,
        }
    }
}

impl Source for GraphRows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        match self {
            GraphRows::Links(links) => links.write(index, layout, out),
            GraphRows::Counts(links) => links.write_count(index, layout, out),
            GraphRows::Nodes { graph, data } => {
                let mut bytes = Vec::new();
                graph.node_add.draw(&mut data.stream(index), &mut bytes);
                let mut row = Row::begin(layout, out);
                row.int(graph.first_id + index);
                row.int(NODE_TYPE);
                row.int(1);
                row.int(NOW_MS / 1000);
                row.bytes(&bytes);
                row.end();
            }
        }
    }

    fn rows_at(&self, index: u64) -> u64 {
        match self {
            GraphRows::Links(links) => {
                let (_, links) = links.piece(index);
                links.end - links.start
            }
            GraphRows::Counts(links) => {
                let types = links.graph.parameters.types;
                let count = links.graph.neighbours.links(index / types, index % types);
                count.min(1)
            }
            GraphRows::Nodes { .. } => 1,
        }
    }
}

/// The links that are loaded.
#[derive(Debug)]
pub struct Links {
    graph: Arc<Graph>,
    data: Purpose,
    hubs: Hubs,
}

/// Ids with several pieces, in order of id: (id, extra pieces of it and of all before it).
#[derive(Debug)]
struct Hubs(Vec<(u64, u64)>);

impl Links {
    /// All links.
    pub fn new(graph: &Arc<Graph>, seed: u64) -> Links {
        Links {
            graph: Arc::clone(graph),
            data: Purpose::new(seed, "linkbench/rows/links"),
            hubs: Hubs::new(graph),
        }
    }

    fn indexes(&self) -> u64 {
        self.graph.ids + self.hubs.extra()
    }

    /// The id of an index, and which of its links, with those of all types one after another.
    fn piece(&self, index: u64) -> (u64, Range<u64>) {
        let (id, number) = self.hubs.find(index);
        let links = self.graph.neighbours.links_of_all_types(id);
        let from = (number * PIECE).min(links);
        (id, from..(from + PIECE).min(links))
    }

    fn stream(&self, id: u64, kind: u64, number: u64) -> Stream {
        // No id has 2^23 links of a type.
        let list = id * self.graph.parameters.types + kind;
        self.data.stream(list.wrapping_shl(23).wrapping_add(number))
    }

    fn time_ms(stream: &mut Stream) -> u64 {
        let random = stream.next_u64() as i32;
        (NOW_MS - AGE_MS).wrapping_add_signed(i64::from(random))
    }

    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let (id, links) = self.piece(index);
        let mut data = Vec::new();
        let mut first = 0;
        for kind in 0..self.graph.parameters.types {
            let end = first + self.graph.neighbours.links(id, kind);
            for link in links.start.max(first)..links.end.min(end) {
                self.write_link((id, kind, link - first), &mut data, Row::begin(layout, out));
            }
            first = end;
        }
    }

    fn write_link(&self, place: (u64, u64, u64), data: &mut Vec<u8>, mut row: Row<'_>) {
        let (graph, (id, kind, number)) = (&self.graph, place);
        let mut stream = self.stream(id, kind, number);
        let time_ms = Links::time_ms(&mut stream);
        let end = graph.neighbours.loaded(id, number, &mut stream);
        graph.link_add.draw(&mut stream, data);
        row.int(graph.first_id + id);
        row.int(end);
        row.int(FIRST_LINK_TYPE + kind);
        row.int(1);
        row.bytes(data);
        row.int(time_ms);
        row.int(0);
        row.end();
    }

    fn write_count(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        let types = self.graph.parameters.types;
        let (id, kind) = (index / types, index % types);
        let links = self.graph.neighbours.links(id, kind);
        let times = (0..links).map(|number| Links::time_ms(&mut self.stream(id, kind, number)));
        let Some(latest_ms) = times.max() else {
            return;
        };
        let mut row = Row::begin(layout, out);
        row.int(self.graph.first_id + id);
        row.int(FIRST_LINK_TYPE + kind);
        row.int(links);
        row.int(latest_ms);
        row.int(0);
        row.end();
    }
}

impl Hubs {
    fn new(graph: &Graph) -> Hubs {
        let neighbours = &graph.neighbours;
        let of_rank = |rank| {
            let id = neighbours.id_of_rank(rank);
            (id, neighbours.links_of_all_types(id))
        };
        let many = (0..graph.ids).map(of_rank);
        let mut hubs: Vec<(u64, u64)> = many
            .take_while(|&(_, links)| links > PIECE)
            .map(|(id, links)| (id, links.div_ceil(PIECE) - 1))
            .collect();
        hubs.sort_unstable();
        let mut sum = 0;
        for (_, extra) in &mut hubs {
            sum += *extra;
            *extra = sum;
        }
        Hubs(hubs)
    }

    /// Pieces beyond one per id.
    fn extra(&self) -> u64 {
        self.0.last().map_or(0, |&(_, extra)| extra)
    }

    /// The id of an index, and which of its pieces.
    fn find(&self, index: u64) -> (u64, u64) {
        let before = |place: usize| place.checked_sub(1).map_or(0, |at| self.0[at].1);
        let mut places = 0..self.0.len();
        // The first hub that ends at or after this index.
        while !places.is_empty() {
            let middle = places.start + places.len() / 2;
            let (id, extra) = self.0[middle];
            if id + extra < index {
                places.start = middle + 1;
            } else {
                places.end = middle;
            }
        }
        let skipped = before(places.start);
        match self.0.get(places.start) {
            Some(&(id, _)) if id + skipped <= index => (id, index - id - skipped),
            _ => (index - skipped, 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::linkbench::degrees::Degrees;
    use crate::linkbench::spec::Linkbench;

    fn graph(ids: u32) -> Arc<Graph> {
        let text = format!(r#"{{"ids": {ids}, "first_id": 5}}"#);
        let plan: Linkbench = serde_json::from_str(&text).unwrap();
        let parameters = plan.parameters().unwrap();
        Arc::new(Graph::new(&plan, parameters, Degrees::of_2011(), 1))
    }

    #[test]
    fn every_link_is_in_one_piece_in_order() {
        let graph = graph(3000);
        let links = Links::new(&graph, 1);
        let (mut id, mut from) = (0, 0);
        for index in 0..links.indexes() {
            let (of, piece) = links.piece(index);
            assert_eq!((of, piece.start), (id, from));
            assert!(piece.end - piece.start <= PIECE);
            from = piece.end;
            if from == graph.neighbours.links_of_all_types(id) {
                (id, from) = (id + 1, 0);
            }
        }
        assert_eq!((id, from), (3000, 0));
    }

    #[test]
    fn counts_agree_with_the_links() {
        let graph = graph(300);
        let links = GraphRows::Links(Links::new(&graph, 1));
        let counts = GraphRows::Counts(Links::new(&graph, 1));
        let rows = |rows: &GraphRows| {
            let mut out = Vec::new();
            let written: u64 = (0..rows.indexes())
                .map(|index| {
                    rows.write(index, Layout::Values, &mut out);
                    rows.rows_at(index)
                })
                .sum();
            let text = String::from_utf8(out).unwrap();
            let lines: Vec<Vec<String>> = text
                .trim_end_matches("),")
                .split("),")
                .map(|row| row[1..].split(',').map(str::to_owned).collect())
                .collect();
            assert_eq!(lines.len() as u64, written);
            lines
        };
        let mut expected: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
        for row in rows(&links) {
            let (count, latest) = expected
                .entry((row[0].clone(), row[2].clone()))
                .or_default();
            *count += 1;
            *latest = (*latest).max(row[5].parse().unwrap());
        }
        for row in rows(&counts) {
            let found = expected.remove(&(row[0].clone(), row[1].clone()));
            let (count, latest) = found.unwrap();
            assert_eq!(
                (&row[2], &row[3]),
                (&count.to_string(), &latest.to_string())
            );
        }
        assert!(expected.is_empty());
    }
}
