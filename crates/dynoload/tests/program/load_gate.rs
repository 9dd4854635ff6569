//! Programs that wait for one another: `start` of a plan, and `go` on standard input.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::load::{oltp, write_plan};
use crate::support::{finish, Ran};
use nix::time::{clock_gettime, ClockId};
use serde_json::{json, Value};
use workloads::event::{Event, PhaseEvent, PhaseState};

/// A program without a server, with two phases of 20,000 ops, that waits before each.
struct Waiting {
    child: Child,
    _folder: tempfile::TempDir,
}

impl Waiting {
    fn start(first: u32) -> Waiting {
        let folder = tempfile::tempdir().unwrap();
        let workload = oltp("oltp_point_select", json!({}));
        let phases: Vec<Value> = ["warmup", "measure"]
            .map(|name| json!({"name": name, "ops": 20_000}))
            .into();
        let plan = write_plan(
            folder.path(),
            json!({"noop": true}),
            &workload,
            &json!(phases),
            &|plan| {
                plan["start"] = json!("go");
                plan["share"] = json!({"first": first, "of": 4});
            },
        );
        let child = Command::new(env!("CARGO_BIN_EXE_dynoload"))
            .arg("run")
            .arg(plan)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Waiting {
            child,
            _folder: folder,
        }
    }

    fn say(&mut self, line: &str) {
        let to = self.child.stdin.as_mut().unwrap();
        writeln!(to, "{line}").unwrap();
    }

    /// Nobody says anything more.
    fn finish(mut self) -> Ran {
        drop(self.child.stdin.take());
        finish(self.child)
    }
}

fn now_ns() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

fn marks(ran: &Ran) -> Vec<&PhaseEvent> {
    let of_phases = ran.events.iter().filter_map(|event| match event {
        Event::Phase(mark) if mark.phase != "connect" => Some(mark),
        _ => None,
    });
    of_phases.collect()
}

#[test]
fn phases_begin_at_the_instants_that_were_said() {
    let begun = Instant::now();
    let mut programs = [Waiting::start(0), Waiting::start(2)];
    let first_ns = now_ns() + 300_000_000;
    for program in &mut programs {
        program.say(&format!("go {first_ns}"));
        program.say(&format!("go {}", first_ns + 700_000_000));
    }
    let done = programs.map(Waiting::finish);
    assert!(begun.elapsed() >= Duration::from_secs(1));
    for ran in &done {
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let seen = marks(ran);
        let states: Vec<PhaseState> = seen.iter().map(|mark| mark.state).collect();
        let one = [PhaseState::Ready, PhaseState::Begin, PhaseState::End];
        assert_eq!(states, [one, one].concat());
        for mark in seen {
            assert_eq!(mark.late_ns.is_some(), mark.state == PhaseState::Begin);
        }
        let summary = ran.summary();
        assert_eq!(summary.phases.last().unwrap().ok, 10_000);
    }
}

#[test]
fn without_anybody_to_say_when_the_run_is_over() {
    let ran = Waiting::start(0).finish();
    assert_eq!(ran.code, Some(130), "{}", ran.stderr);
    assert!(!ran.summary().complete);
    assert_eq!(marks(&ran).len(), 1, "ready, and nothing began");
}

#[test]
fn what_is_no_instant_is_refused() {
    for line in ["begin", "go now", "go -1"] {
        let mut program = Waiting::start(0);
        program.say(line);
        let ran = program.finish();
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(!ran.summary().complete);
        let text = format!("{:?}", ran.events);
        assert!(text.contains("isn't an instant"), "{text}");
    }
}
