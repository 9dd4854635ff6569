//! The parts of a load plan that workloads share: where the server is, the phases, the retries, and
//! why a plan is refused. The plan as a whole, which also knows the workloads, is in the crate
//! `kinds`.

mod check;
mod error;
mod limits;
mod phase;
mod retries;
mod target;
mod values;

pub use check::{phases, target};
pub use error::{typed, PlanError};
pub use phase::{
    ArrivalKind, Arrivals, Phase, PhaseName, RateStep, Search, Think, ThinkKind, Until,
};
pub use retries::Retries;
pub use target::{Compression, Secret, Target, Tls};
pub(crate) use values::engine_name;
pub use values::{in_range, seconds, LOADERS_MAX};
