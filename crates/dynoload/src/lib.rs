//! A plan in, events out: the command line, the order of a run, signals and exit codes.
//!
//! What is measured and how isn't here: that is in `load` and `workloads`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arguments;
mod bisect;
mod cli;
mod doors;
mod exit;
mod gate;
mod hide;
mod linkbench;
mod model;
mod observer;
mod phases;
mod run;
mod search;
mod signals;
mod writer;

pub use cli::main;
pub use exit::Exit;
