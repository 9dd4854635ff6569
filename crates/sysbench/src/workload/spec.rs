//! The workload's part of a load plan.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use workloads::plan::{in_range, Phase, PlanError, LOADERS_MAX};
use workloads::{Error, Spec, UseWorkload};

use super::script::Script;
use crate::options;

/// sysbench's own options that belong to the script's work. All others are the plan's: where the
/// server is, how many connections, for how long.
const OWN: [&str; 9] = [
    "rand-type",
    "rand-spec-iter",
    "rand-spec-pct",
    "rand-spec-res",
    "rand-pareto-h",
    "rand-zipfian-exp",
    "db-ps-mode",
    "mysql-ignore-errors",
    "validate",
];

/// A script of sysbench's with its options.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scripted {
    /// One of `files`, else a file, else the name of a script that comes with the program.
    pub script: String,
    /// The texts of the script and of what it includes, by their paths from the script's folder.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The name of the op; that of the script if it isn't given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Options of the script, and those of [`OWN`], as on a command line without `--`.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// How many threads run a `prepare` that is for several.
    #[serde(default = "one_loader")]
    pub loaders: u32,
}

/// As in sysbench: some scripts call their `prepare` parallel, but each thread makes all tables.
fn one_loader() -> u32 {
    1
}

impl Scripted {
    /// The name of the op.
    pub fn op(&self) -> &str {
        let file = self.script.rsplit('/').next().unwrap_or(&self.script);
        let name = file.strip_suffix(".lua").unwrap_or(file);
        self.name.as_deref().unwrap_or(name)
    }

    /// The arguments of a command line for `command`.
    pub(super) fn arguments(&self, threads: usize, command: &str) -> Vec<String> {
        let options = self.options.iter();
        let options = options.map(|(name, value)| format!("--{name}={value}"));
        let mut arguments = vec![self.script.clone()];
        arguments.extend(options);
        arguments.push(format!("--threads={threads}"));
        arguments.push(command.to_owned());
        arguments
    }
}

impl Spec for Scripted {
    fn check(&self, _connections: u32, _phases: &[Phase]) -> Result<(), PlanError> {
        if self.op().is_empty() {
            let hint = "give a file, or the name of a script such as oltp_read_write";
            return Err(PlanError::new(
                "workload.script",
                "no script is named",
                hint,
            ));
        }
        in_range("loaders", self.loaders, 1, LOADERS_MAX)?;
        let own = OWN.map(options::key);
        for name in self.options.keys() {
            let key = options::key(name);
            if options::is_built_in(&key) && !own.contains(&key) {
                let path = format!("workload.options.{name}");
                let hint = "leave it out: the plan's own keys say this";
                return Err(PlanError::new(&path, "isn't an option of the script", hint));
            }
        }
        Ok(())
    }

    fn loaders(&self) -> usize {
        self.loaders as usize
    }

    fn open<U: UseWorkload>(&self, seed: u64, user: U) -> Result<U::Output, Error> {
        user.use_workload(&Script::open(self, seed)?)
    }
}
