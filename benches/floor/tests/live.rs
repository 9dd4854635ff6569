//! `floor` against real servers. DYNO_TEST_SOCKET names their sockets, separated by commas;
//! user root without a password. Asks for SELECT 1 only, so it needs no schema.

#![allow(clippy::unwrap_used)]

use std::process::Command;

use serde_json::Value;

#[test]
#[ignore = "needs DYNO_TEST_SOCKET"]
fn every_strategy_reports_what_it_did() {
    let sockets = std::env::var("DYNO_TEST_SOCKET").expect("DYNO_TEST_SOCKET names sockets");
    for socket in sockets.split(',') {
        for strategy in ["threads", "epoll", "uring"] {
            let done = Command::new(env!("CARGO_BIN_EXE_floor"))
                .args([
                    "--socket",
                    socket,
                    "--statement",
                    "text",
                    "--seconds",
                    "0.1",
                ])
                .args(["--connections", "5", "--loops", "2", "--strategy", strategy])
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&done.stderr);
            assert!(done.status.success(), "{strategy}: {stderr}");
            let said: Value = serde_json::from_slice(&done.stdout).unwrap();
            assert_eq!(said["strategy"], strategy);
            assert!(said["ops"].as_u64().unwrap() >= 5, "{said}");
            assert!(said["elapsed_s"].as_f64().unwrap() >= 0.1, "{said}");
            let latency = |name: &str| said[name].as_f64().unwrap();
            assert!(
                latency("latency_us_p50") <= latency("latency_us_p99"),
                "{said}"
            );
            assert!(
                latency("latency_us_p99") <= latency("latency_us_max"),
                "{said}"
            );
        }
    }
}
