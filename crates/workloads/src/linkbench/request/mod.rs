//! The ten requests: what each draws, sends and reads.
//!
//! `parts` is what they share, `sql` how they are written; `links` writes links, `lists` reads
//! them, `nodes` is about nodes, `history` remembers lists that were cut off. Reads and requests
//! about nodes are one statement. Writes of links are transactions that start with BEGIN and have
//! two messages, since what is to be written depends on what was there.

mod history;
mod links;
mod lists;
mod nodes;
mod parts;
mod sql;

pub use links::LinkWrite;
pub use lists::LinkRead;
pub use nodes::NodeRequest;
pub use parts::{Draw, Request};

/// The names of the ops, in order of number, which is also that of the mix.
pub const OPS: [&str; 10] = [
    "add_link",
    "delete_link",
    "update_link",
    "count_link",
    "multiget_link",
    "get_links_list",
    "add_node",
    "update_node",
    "delete_node",
    "get_node",
];
