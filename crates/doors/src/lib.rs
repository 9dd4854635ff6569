//! What the front doors share: how they fail, what an option is, how help is laid out, what a
//! misspelt word may have meant, how MySQL's programs find a server on this host.
//!
//! Parsing a command line is not part of it: each door does that by the rules of the program that
//! it stands in for.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod failure;
mod option;
mod server;
mod time;

pub use failure::{did_you_mean, Failure};
pub use option::{columns, Group, Spec};
pub use server::{default_socket, Encryption};
pub use time::seconds;
