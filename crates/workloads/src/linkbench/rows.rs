//! What is in the three tables at first: each row from the seed and its index alone, so that the
//! same bytes come whatever the number of loaders. For that, times are counted from a fixed one.
//!
//! Rows of links go in in the order of the primary key: all of one type, id by id. An index stands
//! for the links of an id; those of ids with very many have several indexes, so that no loader gets
//! a million rows at once.

use std::sync::Arc;

use load::{Purpose, Stream};

use super::graph::Graph;
use super::{FIRST_LINK_TYPE, NODE_TYPE};
use crate::fill::{Layout, Row, Source};

/// Links of one index at most.
const PIECE: u64 = 64;
/// "Now", in milliseconds of the Unix epoch: long past.
const NOW_MS: u64 = 1_700_000_000_000;
/// Links are that much older on average; 2^31 ms are 24.9 days.
const AGE_MS: u64 = 1 << 31;

/// The rows of one of the tables.
#[derive(Debug)]
pub enum Rows {
    /// Of `linktable`.
    Links(Links),
    /// Of `counttable`: an index for each id and type.
    Counts(Links),
    /// Of `nodetable`: an index for each id.
    Nodes { graph: Arc<Graph>, data: Purpose },
}

impl Rows {
    /// Of `nodetable`.
    pub fn nodes(graph: &Arc<Graph>, seed: u64) -> Rows {
        Rows::Nodes {
            graph: Arc::clone(graph),
            data: Purpose::new(seed, "linkbench/rows/nodes"),
        }
    }

    /// How many indexes there are.
    pub fn indexes(&self) -> u64 {
        match self {
            Rows::Links(links) => links.indexes(),
            Rows::Counts(links) => links.graph.ids * links.graph.parameters.types,
            Rows::Nodes { graph, .. } => graph.ids,
        }
    }
}

impl Source for Rows {
    fn write(&self, index: u64, layout: Layout, out: &mut Vec<u8>) {
        match self {
            Rows::Links(links) => links.write(index, layout, out),
            Rows::Counts(links) => links.write_count(index, layout, out),
            Rows::Nodes { graph, data } => {
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
            Rows::Links(links) => links.piece(index).links(),
            Rows::Counts(links) => {
                let types = links.graph.parameters.types;
                let count = links.graph.neighbours.links(index / types, index % types);
                count.min(1)
            }
            Rows::Nodes { .. } => 1,
        }
    }
}

/// The links that are loaded.
#[derive(Debug)]
pub struct Links {
    graph: Arc<Graph>,
    data: Purpose,
    /// For each type, where ids with several pieces are.
    hubs: Vec<Hubs>,
}

/// Ids with several pieces, by their ids: (id, pieces beyond one of it and of all before it).
#[derive(Debug)]
struct Hubs(Vec<(u64, u64)>);

/// Some of the links of one type of an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    id: u64,
    kind: u64,
    from: u64,
    to: u64,
}

impl Piece {
    fn links(&self) -> u64 {
        self.to - self.from
    }
}

impl Links {
    /// All links.
    pub fn new(graph: &Arc<Graph>, seed: u64) -> Links {
        let types = 0..graph.parameters.types;
        Links {
            graph: Arc::clone(graph),
            data: Purpose::new(seed, "linkbench/rows/links"),
            hubs: types.map(|kind| Hubs::new(graph, kind)).collect(),
        }
    }

    fn indexes(&self) -> u64 {
        let of_type = |hubs: &Hubs| self.graph.ids + hubs.extra();
        self.hubs.iter().map(of_type).sum()
    }

    fn piece(&self, index: u64) -> Piece {
        let (mut kind, mut index) = (0, index);
        for hubs in &self.hubs {
            let indexes = self.graph.ids + hubs.extra();
            if index < indexes {
                break;
            }
            index -= indexes;
            kind += 1;
        }
        let (id, number) = self.hubs[kind as usize].find(index);
        let links = self.graph.neighbours.links(id, kind);
        let from = number * PIECE;
        Piece {
            id,
            kind,
            from: from.min(links),
            to: (from + PIECE).min(links),
        }
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
        let graph = &self.graph;
        let Piece { id, kind, from, to } = self.piece(index);
        let mut data = Vec::new();
        for number in from..to {
            let mut stream = self.stream(id, kind, number);
            let time_ms = Links::time_ms(&mut stream);
            let end = graph.neighbours.loaded(id, number, &mut stream);
            graph.link_add.draw(&mut stream, &mut data);
            let mut row = Row::begin(layout, out);
            row.int(graph.first_id + id);
            row.int(end);
            row.int(FIRST_LINK_TYPE + kind);
            row.int(1);
            row.bytes(&data);
            row.int(time_ms);
            row.int(0);
            row.end();
        }
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
    fn new(graph: &Graph, kind: u64) -> Hubs {
        let of_rank = |rank| (rank, graph.neighbours.links_of_rank(rank, kind));
        let many = (0..graph.ids)
            .map(of_rank)
            .take_while(|&(_, links)| links > PIECE);
        let mut hubs: Vec<(u64, u64)> = many
            .map(|(rank, links)| (graph.neighbours.id_of_rank(rank), links.div_ceil(PIECE) - 1))
            .collect();
        hubs.sort_unstable();
        let mut sum = 0;
        for (_, extra) in &mut hubs {
            sum += *extra;
            *extra = sum;
        }
        Hubs(hubs)
    }

    /// Pieces beyond one an id.
    fn extra(&self) -> u64 {
        self.0.last().map_or(0, |&(_, extra)| extra)
    }

    /// The id of an index of this type, and which of its pieces.
    fn find(&self, index: u64) -> (u64, u64) {
        let before = |place: usize| place.checked_sub(1).map_or(0, |at| self.0[at].1);
        let mut places = 0..self.0.len();
        // The first hub that ends at this index or behind it.
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
    fn every_link_has_its_place_in_one_piece_in_the_order_of_the_key() {
        let graph = graph(3000);
        let links = Links::new(&graph, 1);
        let mut next = (0, 0, 0);
        for index in 0..links.indexes() {
            let piece = links.piece(index);
            assert!(piece.links() <= PIECE);
            let (kind, id, number) = next;
            assert_eq!((piece.kind, piece.id, piece.from), (kind, id, number));
            let all = graph.neighbours.links(id, kind);
            next = match (piece.to == all, id + 1 == graph.ids) {
                (false, _) => (kind, id, piece.to),
                (true, false) => (kind, id + 1, 0),
                (true, true) => (kind + 1, 0, 0),
            };
        }
        assert_eq!(next, (2, 0, 0));
    }

    #[test]
    fn counts_agree_with_the_links() {
        let graph = graph(300);
        let links = Rows::Links(Links::new(&graph, 1));
        let counts = Rows::Counts(Links::new(&graph, 1));
        let rows = |rows: &Rows| {
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
