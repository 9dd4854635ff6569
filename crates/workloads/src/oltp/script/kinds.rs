//! The kinds of statement that most scripts are mixed from, and which script has which ones.
//!
//! For each kind, an op draws one table, and all repetitions of that kind use it.

use crate::oltp::spec::{Oltp, ScriptName};

/// A kind of statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// As the plan names it.
    pub name: &'static str,
    /// What one repetition sends, all with the same id.
    pub says: &'static [&'static str],
}

const POINT_SELECTS: Kind = Kind {
    name: "point_selects",
    says: &["SELECT c FROM sbtest{table} WHERE id={id}"],
};
const SIMPLE_RANGES: Kind = Kind {
    name: "simple_ranges",
    says: &["SELECT c FROM sbtest{table} WHERE id BETWEEN {id} AND {last}"],
};
const SUM_RANGES: Kind = Kind {
    name: "sum_ranges",
    says: &["SELECT SUM(k) FROM sbtest{table} WHERE id BETWEEN {id} AND {last}"],
};
const ORDER_RANGES: Kind = Kind {
    name: "order_ranges",
    says: &["SELECT c FROM sbtest{table} WHERE id BETWEEN {id} AND {last} ORDER BY c"],
};
const DISTINCT_RANGES: Kind = Kind {
    name: "distinct_ranges",
    says: &["SELECT DISTINCT c FROM sbtest{table} WHERE id BETWEEN {id} AND {last} ORDER BY c"],
};
const INDEX_UPDATES: Kind = Kind {
    name: "index_updates",
    says: &["UPDATE sbtest{table} SET k=k+1 WHERE id={id}"],
};
const NON_INDEX_UPDATES: Kind = Kind {
    name: "non_index_updates",
    says: &["UPDATE sbtest{table} SET c={c} WHERE id={id}"],
};
const DELETE_INSERTS: Kind = Kind {
    name: "delete_inserts",
    says: &[DELETE, INSERT],
};
const DELETES: Kind = Kind {
    name: "deletes",
    says: &[DELETE],
};
const DELETE: &str = "DELETE FROM sbtest{table} WHERE id={id}";
/// Also what `oltp_insert` sends.
pub const INSERT: &str = "INSERT INTO sbtest{table} (id, k, c, pad) VALUES ({id}, {k}, {c}, {pad})";

/// The kinds of a script in the order in which an op sends them, with the number of repetitions.
/// Empty for scripts that aren't a mix.
pub fn kinds(oltp: &Oltp) -> Vec<(Kind, u32)> {
    let mut kinds = match oltp.script {
        ScriptName::OltpReadWrite => [reads(oltp), writes(oltp)].concat(),
        ScriptName::OltpReadOnly => reads(oltp),
        ScriptName::OltpWriteOnly => writes(oltp),
        // One, whatever `point_selects` is.
        ScriptName::OltpPointSelect => vec![(POINT_SELECTS, 1)],
        ScriptName::OltpUpdateIndex => vec![(INDEX_UPDATES, oltp.index_updates)],
        ScriptName::OltpUpdateNonIndex => vec![(NON_INDEX_UPDATES, oltp.non_index_updates)],
        ScriptName::OltpDelete => vec![(DELETES, 1)],
        ScriptName::OltpInsert
        | ScriptName::SelectRandomPoints
        | ScriptName::SelectRandomRanges
        | ScriptName::BulkInsert => Vec::new(),
    };
    kinds.retain(|&(_, times)| times > 0);
    kinds
}

fn reads(oltp: &Oltp) -> Vec<(Kind, u32)> {
    let mut reads = vec![(POINT_SELECTS, oltp.point_selects)];
    if oltp.range_selects {
        reads.extend([
            (SIMPLE_RANGES, oltp.simple_ranges),
            (SUM_RANGES, oltp.sum_ranges),
            (ORDER_RANGES, oltp.order_ranges),
            (DISTINCT_RANGES, oltp.distinct_ranges),
        ]);
    }
    reads
}

fn writes(oltp: &Oltp) -> Vec<(Kind, u32)> {
    vec![
        (INDEX_UPDATES, oltp.index_updates),
        (NON_INDEX_UPDATES, oltp.non_index_updates),
        (DELETE_INSERTS, oltp.delete_inserts),
    ]
}

/// True if an op is enclosed in BEGIN and COMMIT.
pub fn is_transaction(oltp: &Oltp) -> bool {
    let script = matches!(
        oltp.script,
        ScriptName::OltpReadWrite | ScriptName::OltpReadOnly | ScriptName::OltpWriteOnly
    );
    script && !oltp.skip_trx
}
