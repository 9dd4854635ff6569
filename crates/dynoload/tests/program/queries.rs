//! The workload `queries` on real servers: what is asked comes to the same, prepared or as text,
//! and values of a column are those of rows.
//!
//! `DYNO_TEST_SOCKET` names their sockets, separated by commas; root without a password.

use crate::support::load::servers;
use serde_json::{json, Value};
use workloads::event::{Event, PhaseSummary};

const ROWS: i64 = 300;
const OPS: u64 = 600;

fn workload(prepared: bool) -> Value {
    let hex = json!({"generate": "hex", "length": 9, "distinct": 50});
    let id = json!({
        "draw": "column", "table": "t", "place": 1, "rows": ROWS,
        "generator": {"generate": "sequence"}, "distribution": {"kind": "zipfian"},
    });
    json!({
        "kind": "queries",
        "prepared": prepared,
        "tables": [{
            "name": "t", "rows": ROWS,
            "create": "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(40), day DATE, asked INT)",
            "columns": [
                {"generate": "sequence"}, hex,
                {"generate": "int", "min": 20_200_101, "max": 20_200_101},
                {"generate": "int", "min": 0, "max": 0},
            ],
        }],
        "queries": [
            {
                "name": "by value", "weight": 2,
                "sql": ["UPDATE t SET asked = asked + 1 WHERE v = :v AND ':v' <> v"],
                "values": {"v": {
                    "draw": "column", "table": "t", "place": 2, "rows": ROWS, "generator": hex,
                }},
            },
            {
                "name": "move", "transaction": true,
                "sql": [
                    "SELECT v FROM t WHERE id = :id AND v <> :v FOR UPDATE",
                    "UPDATE t SET v = :v, day = :day WHERE id = :id",
                ],
                "values": {
                    "id": id,
                    "v": {"draw": "list", "values": ["it's \\ it", "\"", 7, ""]},
                    "day": {"draw": "date", "min": 10_957, "max": 11_322},
                },
            },
        ],
    })
}

fn measured(phases: &[PhaseSummary]) -> &PhaseSummary {
    phases.iter().find(|one| one.phase == "measure").unwrap()
}

#[test]
#[ignore = "needs real servers"]
fn text_and_prepared_statements_do_the_same() {
    let (_guard, servers) = servers("queries");
    let phases = json!([{"name": "load"}, {"name": "measure", "ops": OPS}]);
    for mut live in servers {
        let mut found = Vec::new();
        for prepared in [true, false] {
            let one = |plan: &mut Value| plan["connections"] = json!(1);
            let ran = live.run(&workload(prepared), &phases, &one);
            let phase = measured(&ran.summary().phases);
            assert_eq!(phase.ok, OPS);
            let counts: Vec<u64> = phase.ops.iter().map(|op| op.count).collect();
            assert_eq!(counts.iter().sum::<u64>(), OPS);
            let (by_value, moves) = (counts[0], counts[1]);
            assert!((320..480).contains(&by_value), "{counts:?}");
            // BEGIN and COMMIT are others; a SELECT reads. Updates that hit a row write.
            assert_eq!(phase.statements.read, moves);
            assert_eq!(
                phase.statements.read + phase.statements.write + phase.statements.other,
                by_value + 4 * moves
            );
            let values = "SELECT count(*) FROM t WHERE v IN ('it''s \\\\ it', '\"', '7', '')";
            assert!(live.number(values) > 20);
            let days = "SELECT count(*) FROM t WHERE day BETWEEN 20000101 AND 20001231";
            assert!(live.number(days) > 20);
            let reads = live.number("SELECT sum(asked) FROM t");
            assert!(
                reads > by_value as i64,
                "{reads}: each value is that of rows"
            );
            found.push((counts, reads, live.checksum("t")));
            live.empty();
        }
        assert_eq!(found[0], found[1]);
    }
}

#[test]
#[ignore = "needs real servers"]
fn many_connections_ask_together() {
    let (_guard, servers) = servers("queries_many");
    for live in servers {
        live.fill(&workload(true));
        let phases = json!([{"name": "measure", "ops": OPS}]);
        let ran = live.run(&workload(true), &phases, &|plan| {
            plan["connections"] = json!(16);
            plan["observe"] = json!({"explain": true});
        });
        // Its text has a quote, and is a literal there.
        let explained = ran.events.iter().filter_map(|event| match event {
            Event::Explain(explain) => Some((explain.statement.as_str(), explain.error.is_none())),
            _ => None,
        });
        assert_eq!(explained.collect::<Vec<_>>(), [("move", true)]);
        let phase = measured(&ran.summary().phases);
        assert_eq!((phase.ok, phase.failed.len()), (OPS, 0));
    }
}
