//! Several programs make one load: each does its share, and together they do what one would do.

use std::collections::BTreeMap;

use crate::support::load::{arrivals, oltp, ops, run_noop, servers, write_plan, Live};
use crate::support::{run, Ran};
use serde_json::{json, Value};

/// Programs of 2, 1 and 3 connections; all of them are 6.
const SHARES: [(u32, u32); 3] = [(0, 2), (2, 1), (3, 3)];
const OF: u32 = 6;

/// Half of the ids have no links, the others one: the degrees of the original give a million.
const FEW_LINKS: &str = "nlinks\n0 50\n1 100\nlink_nreads\n0 100\n";

fn in_one(plan: &mut Value) {
    plan["connections"] = json!(OF);
}

fn share((first, count): (u32, u32)) -> impl Fn(&mut Value) {
    move |plan| {
        plan["connections"] = json!(count);
        plan["share"] = json!({"first": first, "of": OF});
    }
}

/// How many ops of each kind ended how, over some runs.
fn counted(ran: &[Ran]) -> BTreeMap<(String, String), u64> {
    let mut found = BTreeMap::new();
    for op in ran.iter().flat_map(|ran| &ran.measure().ops) {
        *found
            .entry((op.op.clone(), op.outcome.clone()))
            .or_default() += op.count;
    }
    found
}

/// The same by kind alone: how an op on the graph ends depends on those before it.
fn kinds(ran: &[Ran]) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for ((op, _), count) in counted(ran) {
        *found.entry(op).or_default() += count;
    }
    found
}

/// The statements of some runs by class.
fn statements(ran: &[Ran]) -> [u64; 3] {
    let each = ran.iter().map(|ran| &ran.measure().statements);
    each.fold([0; 3], |sum, one| {
        [sum[0] + one.read, sum[1] + one.write, sum[2] + one.other]
    })
}

/// What one program and what three do with the same tables, which `state` then describes.
fn both<T>(
    live: &mut Live,
    workload: &Value,
    count: u64,
    state: impl Fn(&mut Live) -> T,
) -> [(Vec<Ran>, T); 2] {
    [vec![(0, OF)], SHARES.to_vec()].map(|programs| {
        live.empty();
        live.fill_for(workload, OF);
        let ran = programs.into_iter();
        let ran = ran.map(|part| live.run(workload, &ops(count), &share(part)));
        let ran = ran.collect();
        (ran, state(live))
    })
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn three_programs_leave_the_tables_that_one_leaves() {
    let (_guard, servers) = servers("shares");
    for mut live in servers {
        // Ids of their own, where the server would give them in the order of arrival.
        for script in ["oltp_insert", "oltp_update_index", "oltp_delete"] {
            let workload = oltp(script, json!({"auto_inc": false}));
            let [(one, whole), (three, shared)] =
                both(&mut live, &workload, 301, |live| live.checksum("sbtest1"));
            assert_eq!(whole, shared, "{script}");
            assert_eq!(counted(&one), counted(&three), "{script}");
            assert_eq!(statements(&one), statements(&three), "{script}");
            let scheduled = three.iter().map(|ran| ran.measure().scheduled);
            assert_eq!(scheduled.sum::<u64>(), 301, "{script}");
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn orders_and_nodes_are_shared_too() {
    // On the last server alone: filling a warehouse takes a while.
    let (_guard, mut servers) = servers("orders");
    let mut live = servers.pop().unwrap();
    let tpcc = json!({"kind": "tpcc", "warehouses": 1});
    let orders = "SELECT (SELECT SUM(d_next_o_id) FROM district), COUNT(*), SUM(h_amount) \
                  FROM history";
    let [(one, whole), (three, shared)] = both(&mut live, &tpcc, 250, |live| live.row(orders));
    assert_eq!(counted(&one), counted(&three));
    assert_eq!(whole, shared);
    let degrees = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(&degrees, FEW_LINKS).unwrap();
    let linkbench = json!({"kind": "linkbench", "ids": 2000, "distribution": degrees.path()});
    let [(one, _), (three, _)] = both(&mut live, &linkbench, 400, |_| ());
    assert_eq!(counted(&one).values().sum::<u64>(), 400);
    assert_eq!(kinds(&one), kinds(&three));
}

#[test]
fn arrivals_are_those_of_one_program() {
    let workload = oltp("oltp_point_select", json!({}));
    let arrivals = arrivals(1.0, 1000.0);
    let one = run_noop(&workload, &arrivals, &in_one);
    assert_eq!(one.measure().scheduled, 1000);
    let three = SHARES.map(|part| run_noop(&workload, &arrivals, &share(part)));
    let scheduled = three.map(|ran| ran.measure().scheduled);
    // Arrival i goes to the program that has connection i modulo 6.
    assert_eq!(scheduled, [334, 167, 499]);
}

#[test]
fn what_cannot_be_shared_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let target = json!({"noop": true});
    let workload = oltp("oltp_point_select", json!({}));
    let statements =
        json!({"kind": "statements", "statements": [{"name": "q", "sql": "SELECT 1"}]});
    let rounds = json!([{"name": "measure", "rounds": 1}]);
    let tables = json!([{"name": "load"}]);
    let cases = [
        (
            &workload,
            &ops(9),
            json!({"first": 5, "of": 6}),
            "2 connections from number 5 on",
        ),
        (
            &workload,
            &ops(9),
            json!({"first": 0, "of": 0}),
            "aren't a share of 0",
        ),
        (
            &statements,
            &rounds,
            json!({"first": 0, "of": 6}),
            "statements are run by one program",
        ),
        (
            &workload,
            &tables,
            json!({"first": 0, "of": 6}),
            "rows are loaded by one program",
        ),
    ];
    for (workload, phases, part, said) in cases {
        let is_noop = workload["kind"] != "statements" && phases != &tables;
        let target = match is_noop {
            true => target.clone(),
            false => json!({"socket": "/nowhere.sock"}),
        };
        let plan = write_plan(folder.path(), target, workload, phases, &|plan| {
            plan["share"] = part.clone();
        });
        let ran = run(&plan);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        let text = format!("{:?}", ran.events);
        assert!(text.contains(said), "{said}: {text}");
    }
}
