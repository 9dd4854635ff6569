//! The types of links and nodes.

/// The first type of links; the others follow.
pub const FIRST_LINK_TYPE: u64 = 123_456_789;
/// The type of all nodes.
pub const NODE_TYPE: u64 = 2048;
