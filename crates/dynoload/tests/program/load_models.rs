//! Load models end to end: what is due when, what happens to ops that nobody can begin, and the
//! search for a rate. Most of it needs no server: `noop` answers at once.

use crate::support::load::{arrivals, oltp, ops, run_noop, servers, write_plan, Watched};
use crate::support::Ran;
use nix::sys::signal::Signal;
use serde_json::{json, Value};
use workloads::event::{Event, Limit, Model, SearchResult, SearchStep};

fn point_selects() -> Value {
    oltp("oltp_point_select", json!({}))
}

#[test]
fn without_a_server_every_op_of_every_script_is_done() {
    for (script, statements) in [
        ("oltp_read_write", 20),
        ("oltp_read_only", 16),
        ("oltp_write_only", 6),
        ("oltp_point_select", 1),
        ("oltp_update_index", 1),
        ("oltp_update_non_index", 1),
        ("oltp_insert", 1),
        ("oltp_delete", 1),
        ("select_random_points", 1),
        ("select_random_ranges", 1),
        ("bulk_insert", 0),
    ] {
        for prepared in [true, false] {
            let workload = oltp(script, json!({"prepared": prepared, "tables": 3}));
            let ran = run_noop(&workload, &ops(1000), &|plan| {
                plan["connections"] = json!(7);
            });
            let measure = ran.measure();
            assert_eq!((measure.scheduled, measure.ok), (1000, 1000));
            assert_eq!((measure.model, measure.connections), (Model::Closed, 7));
            assert!(measure.send_lag.is_none() && measure.backlog_max.is_none());
            let answered = &measure.statements;
            let all = answered.read + answered.write + answered.other;
            assert_eq!(all, 1000 * statements, "{script}");
        }
    }
}

#[test]
fn fixed_arrivals_are_as_many_as_arithmetic_says() {
    // With one connection per op nothing can be skipped, however late this program is woken.
    for connections in [1, 300] {
        let ran = run_noop(&point_selects(), &arrivals(1.5, 200.0), &|plan| {
            plan["connections"] = json!(connections);
        });
        let measure = ran.measure();
        assert_eq!(measure.scheduled, 300);
        assert_eq!(measure.ok + measure.skipped, 300);
        assert!(measure.skipped == 0 || connections == 1);
        assert_eq!(measure.model, Model::Open);
        assert_eq!(measure.send_lag.unwrap().count, measure.ok);
        assert!(measure.backlog_max.is_some());
        let intervals = ran.intervals("measure");
        assert!(intervals.iter().all(|one| one.backlog.is_some()));
        // Ops may be late, but never early.
        let first: u64 = intervals[0].ops.iter().map(|op| op.count).sum();
        assert!(first <= 201, "{first} in the first second");
    }
}

#[test]
fn the_rate_follows_its_steps_and_the_phase_is_as_long_as_they() {
    let phases = json!([{"name": "measure", "arrivals": {"distribution": "fixed", "steps": [
        {"duration_s": 0.5, "rate_per_s": 0, "to_per_s": 400},
        {"duration_s": 0.5, "rate_per_s": 0},
        {"duration_s": 0.5, "rate_per_s": 100},
        {"duration_s": 0.5, "rate_per_s": 300, "to_per_s": 100},
        {"duration_s": 0.5, "rate_per_s": 0},
    ]}}]);
    let ran = run_noop(&point_selects(), &phases, &|plan| {
        plan["interval_s"] = json!(0.5);
        plan["connections"] = json!(250);
    });
    let measure = ran.measure();
    assert_eq!((measure.scheduled, measure.ok), (100 + 50 + 100, 250));
    assert!(measure.elapsed_s >= 2.5, "{}", measure.elapsed_s);
    // Ops may be late but not early, so up to each boundary there are at most those due.
    let intervals = ran.intervals("measure");
    assert!(intervals.len() >= 5);
    let mut ended = 0;
    for (interval, due) in intervals.iter().zip([100, 100, 150, 250, 250]) {
        assert_eq!(interval.duration_s, 0.5);
        ended += interval.ops.iter().map(|op| op.count).sum::<u64>();
        assert!(ended <= due + 1, "{ended} until then, and {due} were due");
    }
}

#[test]
fn poisson_arrivals_depend_on_the_seed_alone() {
    let run = |seed: u64, connections: u32| {
        let phases = json!([{"name": "measure", "arrivals": {
            "distribution": "poisson", "steps": [{"duration_s": 1.0, "rate_per_s": 2000}],
        }}]);
        let ran = run_noop(&point_selects(), &phases, &|plan| {
            plan["seed"] = json!(seed);
            plan["connections"] = json!(connections);
        });
        ran.measure().scheduled
    };
    let once = run(1, 1);
    assert_eq!(once, run(1, 20));
    assert_ne!(once, run(2, 1));
    // 2000 expected with a standard deviation of 45; the seed is fixed.
    assert!((1800..2200).contains(&once), "{once}");
}

#[test]
fn a_phase_that_lasts_until_it_is_told_ends_with_a_complete_summary() {
    let steps = json!([{"duration_s": 60, "rate_per_s": 500}]);
    for phase in [
        json!({"name": "measure", "until": "signal", "duration_s": 60}),
        json!({"name": "measure", "until": "signal", "arrivals": {
            "distribution": "fixed", "steps": steps,
        }}),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let phases = json!([{"name": "warmup", "duration_s": 0.5}, phase]);
        let noop = json!({"noop": true});
        let plan = write_plan(folder.path(), noop, &point_selects(), &phases, &|plan| {
            plan["interval_s"] = json!(0.1);
        });
        let watched = Watched::start(&plan);
        // Too early: the warm-up lasts its full time, and its signal ends no other phase.
        watched.wait_for("\"warmup\",\"state\":\"begin\"");
        watched.signal(Signal::SIGUSR1);
        watched.wait_for("\"interval\",\"phase\":\"measure\",\"index\":3");
        watched.signal(Signal::SIGUSR1);
        let ran = watched.finish();
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.summary().complete);
        let warmup = &ran.summary().phases[0];
        assert!(warmup.elapsed_s >= 0.5, "{}", warmup.elapsed_s);
        let measure = ran.measure();
        assert!((0.4..10.0).contains(&measure.elapsed_s));
        assert_eq!(measure.unfinished, 0);
        assert_eq!(measure.scheduled, measure.ok + measure.skipped);
        let seen = ran
            .intervals("measure")
            .iter()
            .map(|one| one.duration_s)
            .sum::<f64>();
        assert!((seen - measure.elapsed_s).abs() < 0.01, "{seen}");
        if measure.model == Model::Open {
            let due = measure.elapsed_s * 500.0;
            assert!(
                (measure.scheduled as f64 - due).abs() < 60.0,
                "{}",
                measure.scheduled
            );
        }
    }
}

#[test]
fn connections_ramp_up_and_think() {
    let phases = json!([{"name": "measure", "ops": 4, "ramp_s": 1.0}]);
    let ran = run_noop(&point_selects(), &phases, &|plan| {
        plan["connections"] = json!(4)
    });
    // The last of four begins three quarters of the way into the ramp.
    assert!(ran.measure().elapsed_s >= 0.75);
    let think = json!({"distribution": "constant", "mean_s": 0.1});
    let phases = json!([{"name": "measure", "duration_s": 0.55, "think": think}]);
    let ran = run_noop(&point_selects(), &phases, &|plan| {
        plan["connections"] = json!(3)
    });
    // At 0, 0.1, …, 0.5 at the earliest.
    assert!(
        (3..=3 * 6).contains(&ran.measure().ok),
        "{}",
        ran.measure().ok
    );
}

#[test]
fn sigint_between_two_ops_cuts_the_phase_short() {
    let think = json!({"distribution": "constant", "mean_s": 20.0});
    for phases in [
        json!([{"name": "measure", "duration_s": 60, "think": think}]),
        json!([{"name": "measure", "ops": 100, "think": think}]),
        json!([{"name": "measure", "duration_s": 60, "ops": 100, "think": think}]),
        arrivals(60.0, 0.1),
        // Its only op is done at once, but the phase goes on.
        arrivals(60.0, 0.01),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let target = json!({"noop": true});
        let often = |plan: &mut Value| plan["interval_s"] = json!(0.05);
        let plan = write_plan(folder.path(), target, &point_selects(), &phases, &often);
        let load = Watched::start(&plan);
        load.wait_for("\"outcome\":\"ok\"");
        load.signal(Signal::SIGINT);
        let ran = load.finish();
        assert_eq!(ran.code, Some(130), "{phases}: {}", ran.stderr);
        assert!(!ran.summary().complete, "{phases}");
        assert!(ran.measure().elapsed_s < 19.0 && ran.measure().ok >= 1);
    }
}

fn steps(ran: &Ran) -> (Vec<&SearchStep>, &SearchResult) {
    let (mut steps, mut result) = (Vec::new(), None);
    for event in &ran.events {
        match event {
            Event::SearchStep(step) => steps.push(step),
            Event::SearchResult(found) => {
                assert!(result.is_none(), "one result");
                result = Some(found);
            }
            _ => {}
        }
    }
    (steps, result.expect("a result"))
}

#[test]
fn a_target_without_limits_holds_the_highest_rate() {
    let phases = json!([{"name": "search", "search": {
        "quantile": 0.5, "latency_ms": 5000, "rate_max_per_s": 2000, "step_s": 0.2,
        "error_share_max": 0.2, "precision": 0.5, "confirm": 2,
    }}]);
    // With one connection per op of a step nothing can be skipped.
    let ran = run_noop(&point_selects(), &phases, &|plan| {
        plan["connections"] = json!(600);
    });
    let (steps, result) = steps(&ran);
    assert_eq!(
        (result.rate_per_s, result.limited_by),
        (Some(2000.0), Limit::RateMax)
    );
    assert!(steps
        .iter()
        .all(|step| step.held && step.error_share <= 0.2));
    // Found once and confirmed twice.
    assert!(steps.iter().filter(|step| step.confirming).count() == 2);
    assert_eq!(
        steps
            .iter()
            .filter(|step| step.rate_per_s == 2000.0)
            .count(),
        3
    );
    assert_eq!(ran.summary().phases.len(), steps.len());
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn a_search_on_a_server_finds_a_rate_that_it_tried() {
    let (_guard, servers) = servers("search");
    // How a search proceeds depends only on this program, so one server is enough.
    for live in &servers[..1] {
        // One connection and ops of many statements: some rate is too much for it.
        let workload = oltp("oltp_read_only", json!({"point_selects": 300}));
        live.fill(&workload);
        let phases = json!([{"name": "search", "search": {
            "latency_ms": 300, "rate_min_per_s": 2, "rate_max_per_s": 100_000, "step_s": 0.2,
            "precision": 0.9, "confirm": 1,
        }}]);
        let ran = live.run(&workload, &phases, &|plan| plan["connections"] = json!(1));
        let (steps, result) = steps(&ran);
        assert_ne!(result.limited_by, Limit::RateMax);
        match result.rate_per_s {
            None => assert_eq!(result.limited_by, Limit::RateMin),
            Some(rate) => {
                let of_it = steps.iter().filter(|step| step.rate_per_s == rate);
                assert!(of_it.filter(|step| step.held).count() >= 2);
            }
        }
        let last = steps.last().unwrap();
        assert!(steps.iter().any(|step| !step.held) && last.rate_per_s < 100_000.0);
        for phase in &ran.summary().phases {
            assert_eq!(phase.model, Model::Open);
        }
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn an_open_load_does_on_a_server_what_is_due() {
    let (_guard, servers) = servers("open");
    for live in &servers[..1] {
        live.fill(&point_selects());
        let ran = live.run(&point_selects(), &arrivals(3.0, 200.0), &|plan| {
            plan["connections"] = json!(8);
        });
        let measure = ran.measure();
        assert_eq!(measure.scheduled, 600);
        assert_eq!(measure.ok + measure.skipped, 600);
        assert_eq!(measure.statements.read, measure.ok);
        assert!(measure.ok > 0 && measure.elapsed_s >= 3.0);
    }
}

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn what_is_due_while_the_server_hangs_is_skipped() {
    let (_guard, servers) = servers("skipped");
    for mut live in servers {
        let workload = oltp("oltp_update_index", json!({}));
        live.fill(&workload);
        live.sql("BEGIN");
        live.sql("SELECT * FROM sbtest1 FOR UPDATE");
        let ran = live.run(&workload, &arrivals(1.0, 200.0), &|plan| {
            plan["connections"] = json!(4);
            plan["drain_s"] = json!(0.3);
        });
        live.sql("ROLLBACK");
        let measure = ran.measure();
        // Four connections each began an op, which ended neither then nor during the drain.
        assert_eq!((measure.scheduled, measure.ok), (200, 0));
        assert_eq!((measure.unfinished, measure.skipped), (4, 196));
        assert!(measure.failed.is_empty() && measure.drain_s >= 0.3);
        let backlog = measure.backlog_max.unwrap();
        assert!((1..=196).contains(&backlog), "{backlog}");
        assert_eq!(measure.send_lag.unwrap().count, 4);
    }
}
