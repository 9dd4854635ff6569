//! The graph as seen by requests and rows: its ids, their links, and the data of both.

use load::Stream;

use super::access::Access;
use super::degrees::Degrees;
use super::neighbours::Neighbours;
use super::payload::Payload;
use super::profile::{Choice, Parameters};
use super::shuffle::Seed;
use super::spec::Linkbench;

/// Everything that is drawn from; shared by all connections.
#[derive(Debug)]
pub struct Graph {
    pub parameters: Parameters,
    /// The first id.
    pub first_id: u64,
    /// How many there are.
    pub ids: u64,
    pub neighbours: Neighbours,
    pub link_read: Ids,
    pub link_write: Ids,
    pub node_read: Access,
    pub node_update: Access,
    pub node_delete: Access,
    pub link_add: Payload,
    pub link_update: Payload,
    pub node_add: Payload,
    pub node_update_data: Payload,
}

impl Graph {
    /// The graph of a plan whose data file has been read already.
    pub fn new(plan: &Linkbench, parameters: Parameters, degrees: Degrees, seed: u64) -> Graph {
        let (ids, first_id) = (u64::from(plan.ids), u64::from(plan.first_id));
        let node = |law| Access::new(law, Seed::Nodes, ids);
        let data = |size, alphabet, name| Payload::new(size, alphabet, seed, name);
        let (link, of_node) = (parameters.link_size, parameters.node_size);
        Graph {
            first_id,
            ids,
            neighbours: Neighbours::new(
                degrees,
                (first_id, ids),
                (parameters.types, parameters.split),
                parameters.ends,
            ),
            link_read: Ids::new(parameters.link_read, ids),
            link_write: Ids::new(parameters.link_write, ids),
            node_read: node(parameters.node_read),
            node_update: node(parameters.node_update),
            node_delete: node(parameters.node_delete),
            link_add: data(link, parameters.link_add, "linkbench/link_add"),
            link_update: data(link, parameters.link_update, "linkbench/link_update"),
            node_add: data(of_node, parameters.node_add, "linkbench/node_add"),
            node_update_data: data(
                of_node,
                parameters.node_update_data,
                "linkbench/node_update",
            ),
            parameters,
        }
    }
}

/// Chooses the ids of link requests.
#[derive(Debug)]
pub struct Ids {
    correlated: Access,
    uncorrelated: Option<(f64, Access)>,
}

impl Ids {
    fn new(choice: Choice, ids: u64) -> Ids {
        let uncorrelated =
            |(share, law)| -> (f64, Access) { (share, Access::new(law, Seed::Uncorrelated, ids)) };
        Ids {
            correlated: Access::new(choice.correlated, Seed::Links, ids),
            uncorrelated: choice.uncorrelated.map(uncorrelated),
        }
    }

    /// An id, from 0.
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match &self.uncorrelated {
            Some((share, access)) if stream.unit() < *share => access.draw(stream),
            _ => self.correlated.draw(stream),
        }
    }
}

#[cfg(test)]
mod tests {
    use load::Purpose;

    use super::*;

    /// How many links lists find before anything is written, with ten million ids: about 7.9, by
    /// the original's blend, shuffles, laws and degrees; a blend of 95 % would give about 60.
    #[test]
    fn lists_are_as_long_as_in_the_original() {
        let text = r#"{"ids": 10000000}"#;
        let plan: Linkbench = serde_json::from_str(text).unwrap();
        let parameters = plan.parameters().unwrap();
        let graph = Graph::new(&plan, parameters, Degrees::of_2011(), 1);
        let mut stream = Purpose::new(1, "test").stream(0);
        let lists = 1_000_000;
        let rows: u64 = (0..lists)
            .map(|_| {
                let id = graph.link_read.draw(&mut stream);
                graph.neighbours.links(id, stream.below(2)).min(10_000)
            })
            .sum();
        let mean = rows as f64 / f64::from(lists);
        // 0.5 % of lists have 1,170 links on average, a standard deviation of about 2,700.
        assert!((mean - 7.9).abs() < 4.0 * 0.21, "{mean}");
    }
}
