//! The program `dynoload`: without a server, with faked ones and with real ones. One test binary,
//! because each links the whole program again.

#![allow(clippy::unwrap_used)]

mod support;

mod accesslog;
mod faults;
mod filling;
mod load_gate;
mod load_models;
mod load_scripts;
mod load_shares;
mod load_trouble;
mod queries;
mod slap_workload;
mod statements;
