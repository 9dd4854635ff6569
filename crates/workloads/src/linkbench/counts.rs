//! What is counted besides the ops, to compare a run with the original number by number.

use crate::account::Counters;

/// For requests that ended as they should.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub lists: u64,
    pub list_rows: u64,
    pub lists_at_limit: u64,
    pub history_lists: u64,
    pub multigets: u64,
    pub multiget_ids: u64,
    pub multiget_rows: u64,
    pub links_inserted: u64,
    pub links_shown: u64,
    pub links_rewritten: u64,
    pub links_hidden: u64,
    pub links_missed: u64,
    pub counts_found: u64,
    pub nodes_found: u64,
    pub nodes_updated: u64,
    pub nodes_deleted: u64,
    pub link_payloads: u64,
    pub link_bytes: u64,
    pub node_payloads: u64,
    pub node_bytes: u64,
}

impl Counts {
    /// By name.
    pub fn named(&self) -> Counters {
        let named = [
            ("lists", self.lists),
            ("list_rows", self.list_rows),
            ("lists_at_limit", self.lists_at_limit),
            ("history_lists", self.history_lists),
            ("multigets", self.multigets),
            ("multiget_ids", self.multiget_ids),
            ("multiget_rows", self.multiget_rows),
            ("links_inserted", self.links_inserted),
            ("links_shown", self.links_shown),
            ("links_rewritten", self.links_rewritten),
            ("links_hidden", self.links_hidden),
            ("links_missed", self.links_missed),
            ("counts_found", self.counts_found),
            ("nodes_found", self.nodes_found),
            ("nodes_updated", self.nodes_updated),
            ("nodes_deleted", self.nodes_deleted),
            ("link_payloads", self.link_payloads),
            ("link_bytes", self.link_bytes),
            ("node_payloads", self.node_payloads),
            ("node_bytes", self.node_bytes),
        ];
        Counters::from(named)
    }
}
