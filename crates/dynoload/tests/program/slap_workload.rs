//! The workload `slap` on real servers: the table is filled with keys that are found, and every
//! statement does what it is meant to.
//!
//! `DYNO_TEST_SOCKET` names their sockets, separated by commas; root without a password.

use crate::support::load::servers;
use serde_json::{json, Value};

const ROWS: i64 = 500;
const OPS: u64 = 300;

fn phases() -> Value {
    json!([{"name": "load"}, {"name": "measure", "ops": OPS}])
}

#[test]
#[ignore = "needs real servers"]
fn every_load_type_does_its_statements() {
    let (_guard, servers) = servers("slap");
    for mut live in servers {
        for (load_type, primary, inserted) in [
            ("mixed", "none", OPS as i64 / 2),
            ("mixed", "auto_increment", OPS as i64 / 2),
            ("write", "guid", OPS as i64),
            ("key", "guid", 0),
            ("key", "auto_increment", 0),
            ("read", "none", 0),
            ("update", "guid", 0),
        ] {
            let workload = json!({
                "kind": "slap", "load_type": load_type, "primary": primary, "rows": ROWS,
                "secondary": 1, "int_columns": 2, "char_indexed": true, "unique_queries": 4,
            });
            let ran = live.run(&workload, &phases(), &|plan| plan["connections"] = json!(3));
            let measured = ran
                .summary()
                .phases
                .iter()
                .find(|phase| phase.phase == "measure");
            assert_eq!(measured.map(|phase| phase.ok), Some(OPS), "{load_type}");
            let all = live.number("SELECT count(*) FROM t1");
            assert_eq!(all, ROWS + inserted, "{load_type} {primary}");
            let distinct = live.number("SELECT count(DISTINCT id0) FROM t1");
            assert_eq!(distinct, all);
            if load_type == "key" {
                // Each key is that of a row.
                let reads = measured.map(|phase| phase.statements.read);
                assert_eq!(reads, Some(OPS));
            }
            live.empty();
        }
    }
}
