//! The plan of the workload `tpcc`: its keys, their defaults and ranges.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::defaults::{innodb, number};
use crate::plan::{engine_name, in_range, Phase, PlanError, LOADERS_MAX};

/// Terminals per warehouse, by the specification.
pub const TERMINALS: u32 = 10;
/// More warehouses than this are a mistake: 10 TB.
const WAREHOUSES_MAX: u32 = 100_000;

/// The workload `tpcc`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tpcc {
    /// The scale.
    #[serde(default = "number::<1>")]
    pub warehouses: u32,
    /// Whether terminals wait.
    #[serde(default)]
    pub mode: Mode,
    /// How the next transaction is chosen.
    #[serde(default)]
    pub mix: Mix,
    /// Which warehouse an unpaced connection works for.
    #[serde(default)]
    pub home: Home,
    /// Who executes deliveries.
    #[serde(default)]
    pub delivery: Deliveries,
    /// For all connections.
    #[serde(default)]
    pub isolation: Isolation,
    /// True declares the foreign keys when all rows have been loaded.
    #[serde(default)]
    pub foreign_keys: bool,
    /// True gives `history` an auto-incremented primary key.
    #[serde(default)]
    pub history_key: bool,
    /// With `paced`: factor for keying and think times.
    #[serde(default = "one")]
    pub pause_scale: f64,
    /// The storage engine.
    #[serde(default = "innodb")]
    pub engine: String,
    /// Appended to CREATE TABLE.
    #[serde(default)]
    pub create_options: String,
    /// How many connections fill the tables.
    #[serde(default = "number::<4>")]
    pub loaders: u32,
    /// Each acknowledged new order is appended to this file and synced: `ns w_id d_id o_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_file: Option<PathBuf>,
}

fn one() -> f64 {
    1.0
}

/// Whether terminals wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Each connection begins its next transaction at once, or by the plan's own load model.
    #[default]
    Unpaced,
    /// Ten terminals per warehouse with keying and think times.
    Paced,
}

/// How the next transaction is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mix {
    /// From a shuffled deck of 23 cards, one for each connection.
    #[default]
    Deck,
    /// By weights.
    Weighted,
}

/// Which warehouse an unpaced connection works for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Home {
    /// Always the same one.
    #[default]
    Bound,
    /// Any, drawn for each transaction.
    Random,
}

/// Who executes deliveries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deliveries {
    /// The connection that draws it.
    #[default]
    Inline,
    /// Background servers; only with `paced`, as the queue would grow without end.
    Queued,
}

/// The isolation level of all connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// InnoDB's default; with this workload's locking reads it is what the specification requires.
    #[default]
    RepeatableRead,
    /// Weaker than the specification asks for.
    ReadCommitted,
    /// Plain reads lock, too.
    Serializable,
}

impl Isolation {
    /// The statements at the start of a connection. Without autocommit, it begins a transaction
    /// with its first statement.
    pub fn session(self) -> Vec<String> {
        let level = match self {
            Isolation::RepeatableRead => "REPEATABLE READ",
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::Serializable => "SERIALIZABLE",
        };
        vec![
            format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}"),
            "SET autocommit = 0".to_owned(),
        ]
    }
}

impl Tpcc {
    /// Checks what types can't express.
    pub(super) fn check_keys(&self, connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
        engine_name(&self.engine)?;
        in_range("warehouses", self.warehouses, 1, WAREHOUSES_MAX)?;
        in_range("loaders", self.loaders, 1, LOADERS_MAX)?;
        // Written this way round so that NaN is refused too.
        let is_scale = self.pause_scale > 0.0 && self.pause_scale <= 100.0;
        if !is_scale {
            let (path, message) = ("workload.pause_scale", self.pause_scale.to_string());
            return Err(PlanError::new(
                path,
                &message,
                "give a number above 0, at most 100",
            ));
        }
        match self.mode {
            Mode::Paced => self.paced(connections, phases),
            Mode::Unpaced if self.delivery == Deliveries::Queued => {
                let message = "`queued`, but without pauses the queue grows without end";
                let hint = "give `mode`: `paced`, or leave it out";
                Err(PlanError::new("workload.delivery", message, hint))
            }
            Mode::Unpaced => Ok(()),
        }
    }

    fn paced(&self, connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
        if self.home == Home::Random {
            let message = "`random`, but a terminal has one warehouse";
            return Err(PlanError::new(
                "workload.home",
                message,
                "leave it out, or `mode`",
            ));
        }
        let timed = |phase: &&Phase| phase.name != crate::plan::PhaseName::Load;
        let Some(phase) = phases.iter().find(timed) else {
            return Ok(());
        };
        let terminals = self.warehouses.saturating_mul(TERMINALS);
        if connections != terminals {
            let message = format!(
                "{connections}, but {} warehouses have {terminals} terminals",
                self.warehouses
            );
            let hint = "with mode `paced` give 10 connections a warehouse";
            return Err(PlanError::new("connections", &message, hint));
        }
        if phase.arrivals.is_some() || phase.search.is_some() || phase.think.is_some() {
            let message = "`paced` terminals have pauses of their own";
            let hint = "leave `arrivals`, `search` and `think` out, or `mode`";
            return Err(PlanError::new("workload.mode", message, hint));
        }
        Ok(())
    }
}
