//! Plans of the workload `oltp` and the means to run them, against real servers and without one.
//! DYNO_TEST_SOCKET names their sockets, separated by commas; user root without a password. Each
//! test creates a schema with its own name and drops it afterwards.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use serde_json::{json, Value};
use wire::{Address, Connection, Options};
use workloads::event::{Event, IntervalEvent, PhaseSummary};

use super::{finish, run, Ran};

/// Loads must not disturb each other, and some tests change the settings of a server, so only one
/// test with servers runs at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The seed of all plans.
pub const SEED: u64 = 42;

/// A server with a schema for this test only.
pub struct Live {
    pub socket: PathBuf,
    pub schema: String,
    pub connection: Connection,
    folder: tempfile::TempDir,
}

impl Drop for Live {
    fn drop(&mut self) {
        // What a failed test left open must not hold on to its schema.
        let _ = self.connection.execute_sql("UNLOCK TABLES");
        let sql = format!("DROP DATABASE {}", self.schema);
        let dropped = self.connection.execute_sql(&sql);
        if !thread::panicking() {
            dropped.unwrap();
        }
    }
}

/// All servers, each with an empty schema.
pub fn servers(name: &str) -> (MutexGuard<'static, ()>, Vec<Live>) {
    let guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let sockets = std::env::var("DYNO_TEST_SOCKET").expect("DYNO_TEST_SOCKET names sockets");
    let live = |socket: &str| {
        let socket = Path::new(socket).to_owned();
        let options = Options::new(Address::Unix(socket.clone()));
        let mut live = Live {
            socket,
            schema: format!("dyno_load_{name}"),
            connection: Connection::connect(&options).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        };
        live.empty();
        live
    };
    (guard, sockets.split(',').map(live).collect())
}

impl Live {
    pub fn sql(&mut self, sql: &str) {
        self.connection.execute_sql(sql).unwrap();
    }

    /// Creates the schema again.
    pub fn empty(&mut self) {
        let schema = self.schema.clone();
        self.sql(&format!("DROP DATABASE IF EXISTS {schema}"));
        self.sql(&format!("CREATE DATABASE {schema} CHARACTER SET latin1"));
        self.connection.use_database(&schema).unwrap();
    }

    /// The first row of a query, as text.
    pub fn row(&mut self, sql: &str) -> Vec<String> {
        let mut rows = self.connection.query_strings(sql).unwrap();
        let row = rows.remove(0).into_iter();
        row.map(Option::unwrap_or_default).collect()
    }

    /// The first value of a query.
    pub fn number(&mut self, sql: &str) -> i64 {
        self.row(sql)[0].parse().unwrap()
    }

    /// A counter of the whole server.
    pub fn counter(&mut self, name: &str) -> i64 {
        let row = self.row(&format!("SHOW GLOBAL STATUS LIKE '{name}'"));
        row[1].parse().unwrap()
    }

    /// The content of a table as one number.
    pub fn checksum(&mut self, table: &str) -> String {
        self.row(&format!("CHECKSUM TABLE {table}")).remove(1)
    }

    /// For a test's own files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A plan with this workload and these phases, on two connections unless `change` says
    /// otherwise.
    pub fn plan(&self, workload: &Value, phases: &Value, change: &dyn Fn(&mut Value)) -> PathBuf {
        let target = json!({"socket": self.socket, "database": self.schema});
        write_plan(self.folder.path(), target, workload, phases, change)
    }

    /// Runs such a plan, which must finish.
    pub fn run(&self, workload: &Value, phases: &Value, change: &dyn Fn(&mut Value)) -> Ran {
        let ran = run(&self.plan(workload, phases, change));
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.summary().complete);
        ran
    }

    /// Fills the tables of a workload.
    pub fn fill(&self, workload: &Value) {
        self.fill_for(workload, 2);
    }

    /// The same for a number of connections: some scripts have one table per connection.
    pub fn fill_for(&self, workload: &Value, connections: u32) {
        self.run(workload, &json!([{"name": "load"}]), &|plan| {
            plan["connections"] = json!(connections);
        });
    }

    /// The numbers of the connections to this schema, without the test's own.
    pub fn others(&mut self) -> Vec<u64> {
        let list = self.connection.query_strings("SHOW FULL PROCESSLIST");
        let own = u64::from(self.connection.connection_id());
        let numbers = list.unwrap().into_iter().filter_map(|row| {
            let is_ours = row[3].as_deref() == Some(&self.schema);
            is_ours.then(|| row[0].as_ref().unwrap().parse().unwrap())
        });
        numbers.filter(|&number| number != own).collect()
    }
}

/// Writes a plan for this target.
pub fn write_plan(
    folder: &Path,
    target: Value,
    workload: &Value,
    phases: &Value,
    change: &dyn Fn(&mut Value),
) -> PathBuf {
    let mut plan = json!({
        "schema": 2,
        "seed": SEED,
        "target": target,
        "connections": 2,
        "phases": phases,
        "workload": workload,
    });
    change(&mut plan);
    let path = folder.join("plan.json");
    fs::write(&path, plan.to_string()).unwrap();
    path
}

/// Runs a plan to its end without a server.
pub fn run_noop(workload: &Value, phases: &Value, change: &dyn Fn(&mut Value)) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let target = json!({"noop": true});
    let ran = run(&write_plan(folder.path(), target, workload, phases, change));
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.summary().complete);
    ran
}

/// The workload `oltp` with this script on one small table with uniformly drawn ids, and with the
/// changes in `change`.
pub fn oltp(script: &str, change: Value) -> Value {
    let mut workload = json!({
        "kind": "oltp", "script": script, "table_size": 1000,
        "distribution": {"kind": "uniform"},
    });
    for (key, value) in change.as_object().unwrap() {
        workload[key] = value.clone();
    }
    workload
}

/// A phase `measure` of this many ops.
pub fn ops(count: u64) -> Value {
    json!([{"name": "measure", "ops": count}])
}

/// A phase `measure` with arrivals in equal gaps.
pub fn arrivals(duration_s: f64, rate_per_s: f64) -> Value {
    json!([{"name": "measure", "arrivals": {
        "distribution": "fixed",
        "steps": [{"duration_s": duration_s, "rate_per_s": rate_per_s}],
    }}])
}

impl Ran {
    /// The summary of the last phase.
    pub fn measure(&self) -> &PhaseSummary {
        self.check_intervals();
        self.summary().phases.last().unwrap()
    }

    /// The intervals of a phase, in order.
    pub fn intervals(&self, phase: &str) -> Vec<&IntervalEvent> {
        let mut found = Vec::new();
        for event in &self.events {
            match event {
                Event::Interval(interval) if interval.phase == phase => found.push(interval),
                _ => {}
            }
        }
        found
    }

    /// Intervals and bins add up to the summary.
    fn check_intervals(&self) {
        for phase in &self.summary().phases {
            let intervals = self.intervals(&phase.phase);
            let failed: u64 = phase.failed.values().sum();
            let ended = phase.ok + failed;
            let ops = intervals.iter().flat_map(|one| &one.ops);
            assert_eq!(ops.map(|op| op.count).sum::<u64>(), ended);
            let bins = intervals.iter().flat_map(|one| &one.bins);
            assert_eq!(bins.map(|bin| bin.ended).sum::<u64>(), ended);
            let retries: u64 = intervals.iter().map(|one| one.retries).sum();
            assert!(phase.unfinished > 0 || retries == phase.retries.values().sum::<u64>());
        }
    }
}

/// A load whose events are in a file, to be looked at while it runs.
pub struct Watched {
    child: Child,
    events: PathBuf,
}

impl Watched {
    pub fn start(plan: &Path) -> Watched {
        let events = plan.with_extension("events");
        let child = Command::new(env!("CARGO_BIN_EXE_dynoload"))
            .arg("run")
            .arg(plan)
            .arg("--events")
            .arg(&events)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Watched { child, events }
    }

    /// Waits until the events hold this text.
    pub fn wait_for(&self, text: &str) {
        wait_until(text, || {
            fs::read_to_string(&self.events).is_ok_and(|events| events.contains(text))
        });
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id() as i32), signal).unwrap();
    }

    pub fn finish(self) -> Ran {
        let mut ran = finish(self.child);
        let events = fs::read_to_string(&self.events).unwrap();
        let lines = events.lines();
        ran.events = lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        ran
    }
}

/// Waits until `holds` is true, which must happen.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(30), "never: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}
