//! Every key of LinkBench, and what is done with it here. docs/reference/linkbench.md has the same
//! table for readers.

use doors::did_you_mean;
use workloads::linkbench::PROPERTIES;

/// What is done with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It determines how this program runs.
    Run,
    /// It describes what is requested and loaded: the workload reads it.
    Workload,
    /// It has no effect; this is why.
    None(&'static str),
}

const MAP_REDUCE: &str = "it is of LinkBench on MapReduce";
const SYNTHETIC: &str = "no distribution that is taken reads it";

/// Keys that the workload doesn't have.
const SINGLE: &[(&str, Use)] = &[
    ("workload_file", Use::Run),
    ("linkstore", Use::Run),
    ("nodestore", Use::Run),
    ("host", Use::Run),
    ("port", Use::Run),
    ("socket", Use::Run),
    ("user", Use::Run),
    ("password", Use::Run),
    ("dbid", Use::Run),
    ("linktable", Use::Run),
    ("counttable", Use::Run),
    ("nodetable", Use::Run),
    ("debuglevel", Use::Run),
    ("progressfreq", Use::Run),
    ("displayfreq", Use::Run),
    ("load_progress_interval", Use::Run),
    ("req_progress_interval", Use::Run),
    ("maxsamples", Use::None("percentiles are of all requests")),
    ("loaders", Use::Run),
    ("generate_nodes", Use::Run),
    (
        "loader_chunk_size",
        Use::None("rows go in by an order of their own"),
    ),
    ("load_random_seed", Use::Run),
    ("requesters", Use::Run),
    ("requests", Use::Run),
    ("requestrate", Use::Run),
    ("maxtime", Use::Run),
    ("warmup_time", Use::Run),
    ("request_random_seed", Use::Run),
    ("max_failed_requests", Use::Run),
    (
        "mysql_bulk_insert_batch",
        Use::None("rows go in by LOAD DATA"),
    ),
    ("mysql_disable_binlog_load", Use::Run),
    ("data_file", Use::Run),
    ("startid1", Use::Run),
    ("maxid1", Use::Run),
    ("nlinks_config", Use::None(SYNTHETIC)),
    ("nlinks_default", Use::None(SYNTHETIC)),
    ("tempdir", Use::None(MAP_REDUCE)),
    ("loaddata", Use::None(MAP_REDUCE)),
    ("reportprogress", Use::None(MAP_REDUCE)),
    ("useinputfiles", Use::None(MAP_REDUCE)),
    ("profile", Use::Run),
    ("engine", Use::Run),
    ("create_options", Use::Run),
    ("partitions", Use::Run),
    ("secondary_index", Use::Run),
];

/// What ids are chosen for.
const ACCESSES: [&str; 7] = [
    "read",
    "write",
    "read_uncorr",
    "write_uncorr",
    "node_read",
    "node_update",
    "node_delete",
];

/// What is done with a key; `None` if the key is unknown.
pub fn use_of(key: &str) -> Option<Use> {
    let all = |known: &(String, Use)| known.0 == key;
    known().find(all).map(|(_, what)| what)
}

/// What to do about an unknown key.
pub fn hint(key: &str) -> String {
    let known: Vec<String> = known().map(|(key, _)| key).collect();
    did_you_mean(
        "",
        key,
        known.iter().map(String::as_str),
        "leave it out: LinkBench ignores it silently",
    )
}

fn known() -> impl Iterator<Item = (String, Use)> {
    let single = SINGLE.iter().map(|&(key, what)| (key.to_owned(), what));
    let workload = PROPERTIES
        .iter()
        .map(|&key| (key.to_owned(), Use::Workload));
    let parameters = ACCESSES.iter();
    let parameters = parameters.map(|access| (format!("{access}_config"), Use::None(SYNTHETIC)));
    single.chain(workload).chain(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_of_the_run_or_of_the_workload() {
        assert_eq!(use_of("node_up_datagen_endbyte"), Some(Use::Workload));
        assert_eq!(use_of("write_uncorr_blend"), Some(Use::Workload));
        assert!(matches!(use_of("write_uncorr_config"), Some(Use::None(_))));
        assert_eq!(use_of("node_read_blend"), None);
    }

    #[test]
    fn a_slip_has_a_hint() {
        assert_eq!(hint("requestors"), "did you mean requesters?");
        assert_eq!(
            hint("MySQL_bulk_insert_batch"),
            "did you mean mysql_bulk_insert_batch?"
        );
        assert!(hint("zzz").starts_with("leave it out"));
    }
}
