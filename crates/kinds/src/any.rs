//! All workloads: one line each, by the name that a plan uses for it.

use serde::Serialize;
use serde_json::Value;
use workloads::plan::{typed, Phase, PlanError};
use workloads::{Error, Spec, UseWorkload};

/// Generates the enum of workloads, which is itself a [`Spec`]: that of the one it holds.
macro_rules! any_workload {
    ($($(#[$says:meta])* $kind:literal $name:ident($spec:ty),)+) => {
        /// A workload, by its `kind`.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "kind")]
        pub enum AnyWorkload {
            $($(#[$says])* #[serde(rename = $kind)] $name($spec),)+
        }

        /// The values of `kind`.
        const KINDS: &[&str] = &[$($kind),+];

        impl AnyWorkload {
            /// Done by hand because serde's tagged enums forget the path of an error.
            fn of_kind(kind: &str, keys: Value) -> Result<AnyWorkload, PlanError> {
                match kind {
                    $($kind => typed(keys, "workload").map(AnyWorkload::$name),)+
                    other => Err(PlanError::unknown("workload.kind", "value", other, KINDS)),
                }
            }
        }

        impl Spec for AnyWorkload {
            fn check(&self, connections: u32, phases: &[Phase]) -> Result<(), PlanError> {
                match self {
                    $(AnyWorkload::$name(spec) => Spec::check(spec, connections, phases),)+
                }
            }

            fn is_load(&self) -> bool {
                match self { $(AnyWorkload::$name(spec) => spec.is_load(),)+ }
            }

            fn converses(&self) -> bool {
                match self { $(AnyWorkload::$name(spec) => spec.converses(),)+ }
            }

            fn loaders(&self) -> usize {
                match self { $(AnyWorkload::$name(spec) => spec.loaders(),)+ }
            }

            fn open<U: UseWorkload>(&self, seed: u64, user: U) -> Result<U::Output, Error> {
                match self { $(AnyWorkload::$name(spec) => spec.open(seed, user),)+ }
            }
        }
    };
}

any_workload! {
    /// Named statements, each timed alone.
    "statements" Statements(workloads::statements::Statements),
    /// The OLTP scripts that sysbench bundles.
    "oltp" Oltp(workloads::oltp::Oltp),
    /// A web server's access log, written row by row.
    "accesslog" AccessLog(workloads::accesslog::AccessLog),
    /// What mysqlslap makes up by itself.
    "slap" Slap(workloads::slap::Slap),
    /// Named statements with drawn values, on many connections.
    "queries" Queries(workloads::queries::Queries),
    /// TPC-C-like.
    "tpcc" Tpcc(workloads::tpcc::Tpcc),
    /// The social graph.
    "linkbench" Linkbench(workloads::linkbench::Linkbench),
    /// Rows whose acknowledgements are written down.
    "ledger" Ledger(workloads::ledger::Ledger),
    /// A script of sysbench's.
    "sysbench" Sysbench(sysbench::Scripted),
}

impl AnyWorkload {
    /// Reads the part of a plan that depends on `kind`.
    pub(crate) fn read(value: &Value) -> Result<AnyWorkload, PlanError> {
        let Value::Object(keys) = value else {
            let message = "wrong type: an object is needed";
            return Err(PlanError::new("workload", message, ""));
        };
        let mut keys = keys.clone();
        match keys.remove("kind") {
            Some(Value::String(kind)) => AnyWorkload::of_kind(&kind, Value::Object(keys)),
            Some(other) => Err(PlanError::new(
                "workload.kind",
                &format!("wrong type: {other}, where a string is needed"),
                &format!("one of {}", KINDS.join(", ")),
            )),
            None => Err(PlanError::missing("workload", "kind")),
        }
    }
}
