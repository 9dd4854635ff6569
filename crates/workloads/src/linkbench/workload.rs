//! The workload as seen by a run.

use std::sync::Arc;

use wire::Connection;

use super::degrees::Degrees;
use super::graph::Graph;
use super::neighbours::Place;
use super::profile::Profile;
use super::request::{LinkRead, NodeRequest, OPS};
use super::requester::Requester;
use super::schema::tables;
use super::spec::Linkbench;
use crate::error::Error;
use crate::notes::Notes;
use crate::plan::{Phase, PlanError};
use crate::script::ScriptWorker;
use crate::workload::{Shared, Spec, UseWorkload, Workload};

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

impl Spec for Linkbench {
    fn check(&self, _connections: u32, _phases: &[Phase]) -> Result<(), PlanError> {
        self.check_keys()
    }

    fn converses(&self) -> bool {
        true
    }

    fn loaders(&self) -> usize {
        self.loaders as usize
    }

    fn open<U: UseWorkload>(&self, seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(&Social::open(self, seed)?)
    }
}

impl Workload for Social<'_> {
    type Worker = ScriptWorker<Requester>;

    fn ops(&self) -> Vec<String> {
        OPS.map(str::to_owned).to_vec()
    }

    /// The reads, of the id that has most links.
    fn statements(&self, _seed: u64) -> Vec<(String, String)> {
        let id = self.graph.first_id + self.graph.neighbours.id_of_rank(0);
        let reads = LinkRead::examples(id).into_iter();
        reads
            .chain([NodeRequest::example(id)])
            .map(|(name, sql)| (name.to_owned(), sql))
            .collect()
    }

    fn fill(&self, shared: &Shared, connection: &mut Connection) -> Result<(), Error> {
        let tables = tables(self.plan, &self.graph, shared.seed);
        crate::fill::fill(shared, connection, &tables)
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let place = Place {
            number: number as u64,
            of: shared.of as u64,
        };
        let success = match &self.plan.success_file {
            Some(path) => Some(Notes::open("success_file", path, true, shared)?),
            None => None,
        };
        let requester =
            Requester::new(Arc::clone(&self.graph), shared.seed, place).with_success(success);
        ScriptWorker::connect(Arc::clone(shared), number, requester)
    }
}
