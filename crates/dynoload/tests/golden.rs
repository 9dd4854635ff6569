//! The golden plans of tests/golden/load: good ones with every default filled in, and bad ones with
//! the exact words of the refusal. The Python tests read the same files.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kinds::load_plan::Plan;
use workloads::event::Event;

fn golden(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden/load")
        .join(folder)
}

/// The plans of a folder, by path; never empty.
fn plans(folder: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(golden(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let name = path.to_str().unwrap();
            name.ends_with(".json") && !name.ends_with(".checked.json")
        })
        .collect();
    found.sort();
    assert!(found.len() >= 4, "only {} plans in {folder}", found.len());
    found
}

fn dynoload(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dynoload"))
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn good_plans_are_printed_with_their_defaults() {
    for path in plans("plans") {
        let output = dynoload(&["check", path.to_str().unwrap()]);
        let printed = String::from_utf8(output.stdout).unwrap();
        let expected = fs::read_to_string(path.with_extension("checked.json")).unwrap();
        assert_eq!(printed, expected, "{}", path.display());
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn a_plan_with_its_defaults_is_the_same_plan() {
    for path in plans("plans") {
        let written = fs::read_to_string(&path).unwrap();
        let checked = fs::read_to_string(path.with_extension("checked.json")).unwrap();
        assert_eq!(Plan::read(&written).unwrap(), Plan::read(&checked).unwrap());
    }
}

#[test]
fn bad_plans_are_refused_in_these_words() {
    for path in plans("bad") {
        let output = dynoload(&["check", path.to_str().unwrap()]);
        let printed = String::from_utf8(output.stderr).unwrap();
        let expected = fs::read_to_string(path.with_extension("txt")).unwrap();
        assert_eq!(printed, expected, "{}", path.display());
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_bad_plan_is_also_an_event_between_hello_and_summary() {
    let path = golden("bad").join("unknown-key.json");
    let output = dynoload(&["run", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Event> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let [Event::Hello(hello), Event::Error(error), Event::Summary(summary)] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(hello.server_version, None);
    let message = format!("error: {}\nhint: {}\n", error.message, error.hint);
    assert_eq!(
        message,
        fs::read_to_string(path.with_extension("txt")).unwrap()
    );
    assert!(error.fatal && !summary.complete && summary.phases.is_empty());
}

#[test]
fn sampled_events_are_read_and_written_back_as_they_were() {
    let read = |name| fs::read_to_string(golden(name)).unwrap();
    let text = read("events-statements.ndjson") + &read("events-oltp.ndjson");
    let mut kinds = std::collections::BTreeSet::new();
    for line in text.lines() {
        let event: Event = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&event).unwrap(), line);
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        kinds.insert(value["event"].as_str().unwrap().to_owned());
        if let Event::Summary(summary) = &event {
            for phase in &summary.phases {
                let failed: u64 = phase.failed.values().sum();
                let sum = phase.ok + failed + phase.skipped + phase.unfinished;
                assert_eq!(phase.scheduled, sum, "{}", phase.phase);
                for op in &phase.ops {
                    let histogram = load::Histogram::decode(&op.histogram).unwrap();
                    assert_eq!(histogram.count(), op.count);
                }
            }
        }
    }
    let all = [
        "error",
        "explain",
        "hello",
        "interval",
        "phase",
        "search_result",
        "search_step",
        "settings",
        "statement",
        "status",
        "summary",
    ];
    assert_eq!(kinds.iter().map(String::as_str).collect::<Vec<_>>(), all);
}

#[test]
fn the_command_line_says_who_it_is() {
    let version = String::from_utf8(dynoload(&["--version"]).stdout).unwrap();
    let expected = if cfg!(debug_assertions) {
        "(debug)\n"
    } else {
        "(release)\n"
    };
    assert!(
        version.starts_with("dynoload ") && version.ends_with(expected),
        "{version}"
    );
    assert_eq!(dynoload(&["walk"]).status.code(), Some(2));
}

#[test]
fn a_full_disk_is_told_and_has_an_exit_code_of_its_own() {
    let path = golden("plans").join("minimal.json");
    let output = dynoload(&["run", path.to_str().unwrap(), "--events", "/dev/full"]);
    assert_eq!(output.status.code(), Some(5));
    let printed = String::from_utf8(output.stderr).unwrap();
    let line = "error: the events can't be written to /dev/full: No space left on device";
    assert!(
        printed.starts_with(line) && printed.contains("\nhint: "),
        "{printed}"
    );
}

#[test]
fn a_plan_comes_from_standard_input_too() {
    let path = golden("plans").join("minimal.json");
    let output = Command::new(env!("CARGO_BIN_EXE_dynoload"))
        .args(["check", "-"])
        .stdin(fs::File::open(&path).unwrap())
        .output()
        .unwrap();
    let expected = fs::read_to_string(path.with_extension("checked.json")).unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

#[test]
fn a_password_that_is_not_there_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_dynoload"))
        .args([
            "run",
            golden("plans").join("host-tls.json").to_str().unwrap(),
        ])
        .env_remove("DYNO_PASSWORD")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let printed = String::from_utf8(output.stderr).unwrap();
    let line = "error: the environment variable DYNO_PASSWORD of `password_env` is not set\n";
    assert!(printed.starts_with(line), "{printed}");
}

#[test]
fn an_unreachable_server_is_exit_3() {
    let output = dynoload(&[
        "run",
        golden("plans").join("minimal.json").to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(3));
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(
        printed.starts_with("error: can't connect to /tmp/server.sock"),
        "{printed}"
    );
}
