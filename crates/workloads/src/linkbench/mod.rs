//! The workload `linkbench`: the social graph of LinkBench, its ten requests and what they are
//! drawn from, as in the original. The profile decides which of its defects are kept.
//!
//! `spec` is its plan; `profile` what follows from the plan's properties; `degrees` how many links
//! an id has, `shuffle` which id that is, `access` which id a request asks for, `neighbours` which
//! of its links; `payload` the data. `graph` is all of these together. `types` are those of nodes
//! and links. `schema` and `rows` are the load; `request` the ten requests, `requester` one
//! connection's part, `counts` what it counts. Whether counts and links still agree afterwards is
//! checked elsewhere.

mod access;
mod counts;
mod degrees;
mod graph;
mod neighbours;
mod payload;
mod profile;
mod request;
mod requester;
mod rows;
mod schema;
mod shuffle;
mod spec;
mod types;
mod workload;

pub use profile::{Profile, PROPERTIES};
pub use spec::{Linkbench, SecondaryIndex};
pub use workload::Social;
