//! The workload `scratch`: one `SELECT ?` an op, and no tables. The smallest that there can be.

use std::sync::Arc;

use load::Turn;
use serde::{Deserialize, Serialize};
use wire::Connection;

use crate::error::Error;
use crate::plan::{in_range, Phase, PlanError};
use crate::script::{Say, Script, ScriptWorker};
use crate::workload::{Shared, Spec, UseWorkload, Workload};

/// The workload `scratch`: its part of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scratch {
    /// What is asked for.
    pub number: u32,
}

impl Spec for Scratch {
    fn check(&self, _connections: u32, _phases: &[Phase]) -> Result<(), PlanError> {
        in_range("number", self.number, 1, 1_000_000)
    }

    fn open<U: UseWorkload>(&self, _seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(self)
    }
}

impl Workload for Scratch {
    type Worker = ScriptWorker<Ask>;

    fn ops(&self) -> Vec<String> {
        vec!["scratch".to_owned()]
    }

    fn fill(&self, _shared: &Shared, _connection: &mut Connection) -> Result<(), Error> {
        Ok(())
    }

    fn worker(&self, shared: &Arc<Shared>, number: usize) -> Result<Self::Worker, Error> {
        let ask = Ask {
            number: self.number,
        };
        ScriptWorker::connect(Arc::clone(shared), number, ask)
    }
}

/// What one connection says.
#[derive(Debug)]
pub struct Ask {
    number: u32,
}

impl Script for Ask {
    fn prepared(&self) -> Vec<String> {
        vec!["SELECT ?".to_owned()]
    }

    fn draw(&mut self, _turn: Turn) -> u16 {
        0
    }

    fn step(&mut self, step: usize, say: Say<'_>) -> bool {
        if step > 0 {
            return false;
        }
        say.execute(0).int(i64::from(self.number)).done();
        true
    }

    fn is_transaction(&self) -> bool {
        false
    }
}
