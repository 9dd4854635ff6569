//! The workload as a run sees it.

use std::sync::Arc;

use wire::Connection;

use super::degrees::Degrees;
use super::graph::Graph;
use super::neighbours::Place;
use super::profile::Profile;
use super::request::{LIST_LIMIT, OPS};
use super::requester::Requester;
use super::schema::tables;
use super::spec::Linkbench;
use super::FIRST_LINK_TYPE;
use crate::error::Error;
use crate::script::ScriptWorker;
use crate::workload::{Shared, Workload};

/// The workload with its graph.
#[derive(Debug)]
pub struct Social<'a> {
    plan: &'a Linkbench,
    graph: Arc<Graph>,
}

impl<'a> Social<'a> {
    /// Reads the plan's data file, if it names one.
    pub fn open(plan: &'a Linkbench, seed: u64) -> Result<Social<'a>, Error> {
        let degrees = match (&plan.distribution, plan.profile) {
            (Some(path), _) => Degrees::read(path).map_err(|source| Error::File {
                key: "distribution",
                path: path.clone(),
                source,
            })?,
            (None, Profile::FbAsCoded | Profile::FbAsConfigured) => Degrees::of_2011(),
            (None, Profile::Mc2017) => Degrees::of_2017(),
        };
        let parameters = plan.parameters().map_err(|error| Error::Io {
            doing: "reading `properties`",
            source: std::io::Error::other(error.to_string()),
        })?;
        let graph = Arc::new(Graph::new(plan, parameters, degrees, seed));
        Ok(Social { plan, graph })
    }
}

impl Workload for Social<'_> {
    type Worker = ScriptWorker<Requester>;

    fn ops(&self) -> Vec<String> {
        OPS.map(str::to_owned).to_vec()
    }

    fn ops_per_round(&self) -> u64 {
        1
    }

    /// The reads, of the id that has most links.
    fn statements(&self, _seed: u64) -> Vec<(String, String)> {
        let id = self.graph.first_id + self.graph.neighbours.id_of_rank(0);
        let links = format!("id1 = {id} AND link_type = {FIRST_LINK_TYPE}");
        let columns = "id1, id2, link_type, visibility, data, time, version";
        let named = |name: &str, sql: String| (name.to_owned(), sql);
        vec![
            named(
                "get_links_list",
                format!(
                    "SELECT {columns} FROM linktable FORCE INDEX (`id1_type`) WHERE {links} \
                     AND time >= 0 AND time <= {} AND visibility = 1 ORDER BY time DESC \
                     LIMIT 0,{LIST_LIMIT}",
                    i64::MAX
                ),
            ),
            named(
                "multiget_link",
                format!(
                    "SELECT {columns} FROM linktable WHERE {links} AND id2 IN ({id},{})",
                    id + 1
                ),
            ),
            named(
                "count_link",
                format!(
                    "SELECT count FROM counttable WHERE id = {id} AND link_type = {FIRST_LINK_TYPE}"
                ),
            ),
            named(
                "get_node",
                format!("SELECT id, type, version, time, data FROM nodetable WHERE id = {id}"),
            ),
        ]
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let tables = tables(self.plan, &self.graph, shared.seed);
        crate::fill::fill(shared, connection, &tables)
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let place = Place {
            number: number as u64,
            of: shared.connections as u64,
        };
        let requester = Requester::new(Arc::clone(&self.graph), shared.seed, place);
        ScriptWorker::connect(Arc::clone(shared), number, requester)
    }
}
