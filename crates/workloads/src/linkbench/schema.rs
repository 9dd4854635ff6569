//! The three tables: their statements, and how they are filled.

use std::sync::Arc;

use super::graph::Graph;
use super::rows::{GraphRows, Links};
use super::spec::{Linkbench, SecondaryIndex};
use crate::fill::{in_latin1, Table};

/// How many indexes one loading statement sends: some ten thousand rows, or some hundred thousand
/// if ids have very many links.
const CHUNK: u64 = 4096;
/// It contains every column of a list, so that lists never read the table.
const LISTS: &str = "`id1_type` (id1, link_type, visibility, time, id2, version, data)";

/// The tables of a workload, the largest first.
pub fn tables(plan: &Linkbench, graph: &Arc<Graph>, seed: u64) -> Vec<Table<GraphRows>> {
    vec![
        links(plan, GraphRows::Links(Links::new(graph, seed))),
        table(
            plan,
            "nodetable",
            "id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT, type INT UNSIGNED NOT NULL, \
             version BIGINT UNSIGNED NOT NULL, time INT UNSIGNED NOT NULL, \
             data MEDIUMTEXT NOT NULL, PRIMARY KEY (id)",
            GraphRows::nodes(graph, seed),
        ),
        table(
            plan,
            "counttable",
            "id BIGINT UNSIGNED NOT NULL DEFAULT 0, link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, \
             count INT UNSIGNED NOT NULL DEFAULT 0, time BIGINT UNSIGNED NOT NULL DEFAULT 0, \
             version BIGINT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (id, link_type)",
            GraphRows::Counts(Links::new(graph, seed)),
        ),
    ]
}

fn links(plan: &Linkbench, rows: GraphRows) -> Table<GraphRows> {
    let key = match plan.secondary_index {
        SecondaryIndex::Before => format!(", KEY {LISTS}"),
        SecondaryIndex::After => String::new(),
    };
    let columns = format!(
        "id1 BIGINT UNSIGNED NOT NULL DEFAULT 0, id2 BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         link_type BIGINT UNSIGNED NOT NULL DEFAULT 0, visibility TINYINT NOT NULL DEFAULT 0, \
         data VARCHAR(255) NOT NULL DEFAULT '', time BIGINT UNSIGNED NOT NULL DEFAULT 0, \
         version INT UNSIGNED NOT NULL DEFAULT 0, PRIMARY KEY (link_type, id1, id2){key}"
    );
    let mut table = table(plan, "linktable", &columns, rows);
    if plan.partitions > 0 {
        let partitions = format!(" PARTITION BY KEY (id1) PARTITIONS {}", plan.partitions);
        table.create.push_str(&partitions);
    }
    if plan.secondary_index == SecondaryIndex::After {
        let sql = format!("ALTER TABLE linktable ADD KEY {LISTS}");
        table.after.insert(0, ("ADD KEY".to_owned(), sql));
    }
    table
}

fn table(plan: &Linkbench, name: &str, columns: &str, rows: GraphRows) -> Table<GraphRows> {
    let end = in_latin1(&plan.engine, &plan.create_options);
    // Servers count rows while they are loaded, keep that figure, and use it for query plans later.
    let analyze = format!("ANALYZE TABLE {name}");
    Table {
        name: name.to_owned(),
        create: format!("CREATE TABLE {name} ({columns}){end}"),
        rows: rows.indexes(),
        source: rows,
        chunk_rows: CHUNK,
        after: vec![("ANALYZE TABLE".to_owned(), analyze)],
    }
}
