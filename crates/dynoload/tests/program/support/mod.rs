//! A scripted server that speaks just enough of MySQL's protocol to misbehave on cue, and the means
//! to run `dynoload` against it. For what only a fault can show; everything else is tested against
//! real servers.

pub mod load;

use std::collections::HashMap;
use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{json, Value};
use workloads::event::{Event, StatementEvent, Summary};

/// How the server reacts to a statement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reply {
    /// Sends a result of one row.
    Row,
    /// The same, but not before this time has passed since the first statement of the run.
    RowAt(Duration),
    /// Sends half a result and closes the connection.
    HalfAndClose,
    /// Sends a row whose value is longer than its packet.
    Malformed,
    /// Sends nothing until the statement is killed.
    Hang,
    /// Closes everything and is never seen again.
    Vanish,
}

/// The reply to the n-th statement (from 0) of the run.
pub type Script = fn(u32) -> Reply;

#[derive(Default)]
struct Shared {
    path: PathBuf,
    /// Statements seen, over all connections.
    statements: AtomicU32,
    first: Mutex<Option<Instant>>,
    hanging: AtomicBool,
    deaf: AtomicBool,
    gone: AtomicBool,
    killed: Mutex<HashMap<u32, bool>>,
    streams: Mutex<Vec<UnixStream>>,
}

/// The server. It ends with the test's process.
pub struct Server {
    shared: Arc<Shared>,
    pub folder: tempfile::TempDir,
}

impl Server {
    pub fn start(script: Script) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.sock");
        let shared = Arc::new(Shared {
            path: path.clone(),
            ..Shared::default()
        });
        let listener = UnixListener::bind(&path).unwrap();
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for (number, stream) in (1..).zip(listener.incoming()) {
                let (shared, stream) = (Arc::clone(&accepting), stream.unwrap());
                if shared.gone.load(Ordering::SeqCst) {
                    return;
                }
                shared
                    .streams
                    .lock()
                    .unwrap()
                    .push(stream.try_clone().unwrap());
                thread::spawn(move || {
                    // Clients that go away are expected.
                    let _ = Session {
                        number,
                        stream,
                        shared,
                        sequence: 0,
                    }
                    .serve(script);
                });
            }
        });
        Server { shared, folder }
    }

    /// KILL isn't answered from now on.
    pub fn go_deaf(&self) {
        self.shared.deaf.store(true, Ordering::SeqCst);
    }

    /// Waits until a statement hangs.
    pub fn wait_for_hang(&self) {
        let since = Instant::now();
        while !self.shared.hanging.load(Ordering::SeqCst) {
            assert!(
                since.elapsed() < Duration::from_secs(20),
                "no statement came"
            );
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A plan for this server with one statement.
    pub fn plan(&self, change: impl FnOnce(&mut Value)) -> PathBuf {
        let mut plan = json!({
            "schema": 1,
            "seed": 1,
            "target": {"socket": self.shared.path},
            "phases": [{"name": "measure", "rounds": 5}],
            "workload": {
                "kind": "statements",
                "statements": [{"name": "q", "sql": "SELECT 'q'"}],
            },
        });
        change(&mut plan);
        let path = self.folder.path().join("plan.json");
        fs::write(&path, plan.to_string()).unwrap();
        path
    }
}

struct Session {
    number: u32,
    stream: UnixStream,
    shared: Arc<Shared>,
    sequence: u8,
}

const OK: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
const EOF: &[u8] = &[0xfe, 0, 0, 2, 0];

impl Session {
    fn serve(mut self, script: Script) -> io::Result<()> {
        self.send(&greeting(self.number))?;
        self.receive()?;
        self.send(OK)?;
        loop {
            let command = self.receive()?;
            let sql = String::from_utf8_lossy(&command[1..]).into_owned();
            match (command[0], sql.as_str()) {
                (1, _) => return Ok(()),
                (3, "SELECT 'q'") => {
                    let nth = self.shared.statements.fetch_add(1, Ordering::SeqCst);
                    self.shared
                        .first
                        .lock()
                        .unwrap()
                        .get_or_insert_with(Instant::now);
                    if !self.reply(script(nth))? {
                        return Ok(());
                    }
                }
                (3, sql) if sql.starts_with("KILL QUERY ") => {
                    if self.shared.deaf.load(Ordering::SeqCst) {
                        thread::sleep(Duration::from_secs(3600));
                    }
                    let number = sql["KILL QUERY ".len()..].parse().unwrap();
                    self.shared.killed.lock().unwrap().insert(number, true);
                    self.send(OK)?;
                }
                (_, _) => self.send(OK)?,
            }
        }
    }

    /// False if the connection is over.
    fn reply(&mut self, reply: Reply) -> io::Result<bool> {
        match reply {
            Reply::Row => self.rows(b"\x01q")?,
            Reply::RowAt(at) => {
                let first = self.shared.first.lock().unwrap().unwrap();
                thread::sleep((first + at).saturating_duration_since(Instant::now()));
                self.rows(b"\x01q")?;
            }
            Reply::HalfAndClose => {
                self.head()?;
                self.send(b"\x01q")?;
                self.stream.shutdown(std::net::Shutdown::Both)?;
                return Ok(false);
            }
            Reply::Malformed => self.rows(b"\x63q")?,
            Reply::Hang => {
                self.shared.hanging.store(true, Ordering::SeqCst);
                while !self
                    .shared
                    .killed
                    .lock()
                    .unwrap()
                    .contains_key(&self.number)
                {
                    thread::sleep(Duration::from_millis(5));
                }
                self.send(b"\xff\x25\x05#70100Query execution was interrupted")?;
            }
            Reply::Vanish => {
                self.shared.gone.store(true, Ordering::SeqCst);
                fs::remove_file(&self.shared.path)?;
                for stream in self.shared.streams.lock().unwrap().iter() {
                    let _ = stream.shutdown(std::net::Shutdown::Both);
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn head(&mut self) -> io::Result<()> {
        self.send(&[1])?;
        let mut column = b"\x03def\x00\x00\x00\x01q\x01q\x0c".to_vec();
        column.extend_from_slice(&[33, 0, 3, 0, 0, 0, 0xfd, 1, 0, 31, 0, 0]);
        self.send(&column)?;
        self.send(EOF)
    }

    fn rows(&mut self, row: &[u8]) -> io::Result<()> {
        self.head()?;
        self.send(row)?;
        self.send(EOF)
    }

    fn send(&mut self, payload: &[u8]) -> io::Result<()> {
        let mut packet = (payload.len() as u32).to_le_bytes()[..3].to_vec();
        packet.push(self.sequence);
        packet.extend_from_slice(payload);
        self.sequence = self.sequence.wrapping_add(1);
        self.stream.write_all(&packet)
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head)?;
        self.sequence = head[3].wrapping_add(1);
        let length = u32::from_le_bytes([head[0], head[1], head[2], 0]);
        let mut payload = vec![0; length as usize];
        self.stream.read_exact(&mut payload)?;
        Ok(payload)
    }
}

fn greeting(number: u32) -> Vec<u8> {
    let mut packet = b"\x0a5.6.0-scripted\x00".to_vec();
    packet.extend_from_slice(&number.to_le_bytes());
    packet.extend_from_slice(b"abcdefgh\x00");
    // LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION; PLUGIN_AUTH.
    packet.extend_from_slice(&0xa209_u16.to_le_bytes());
    packet.extend_from_slice(&[33, 2, 0]);
    packet.extend_from_slice(&0x0008_u16.to_le_bytes());
    packet.push(21);
    packet.extend_from_slice(&[0; 10]);
    packet.extend_from_slice(b"ijklmnopqrst\x00mysql_native_password\x00");
    packet
}

/// The result of a run.
pub struct Ran {
    pub code: Option<i32>,
    pub events: Vec<Event>,
    pub stderr: String,
}

impl Ran {
    /// The summary, which is always the last event, after `hello`, which is always the first. Every
    /// test checks its account here.
    pub fn summary(&self) -> &Summary {
        assert!(
            matches!(self.events.first(), Some(Event::Hello(_))),
            "{}",
            self.stderr
        );
        let Some(Event::Summary(summary)) = self.events.last() else {
            panic!("no summary: {}", self.stderr);
        };
        for phase in &summary.phases {
            let failed: u64 = phase.failed.values().sum();
            let sum = phase.ok + failed + phase.skipped + phase.unfinished;
            assert_eq!(phase.scheduled, sum, "phase {}", phase.phase);
        }
        summary
    }

    pub fn statements(&self) -> Vec<&StatementEvent> {
        let mut found = Vec::new();
        for event in &self.events {
            if let Event::Statement(statement) = event {
                found.push(&**statement);
            }
        }
        found
    }

    /// `ok`, or the error number of each statement.
    pub fn outcomes(&self) -> Vec<String> {
        let outcome = |statement: &&StatementEvent| match &statement.error {
            None => statement.outcome.clone(),
            Some(error) => error.code.to_string(),
        };
        self.statements().iter().map(outcome).collect()
    }
}

pub fn start(plan: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_dynoload"))
        .arg("run")
        .arg(plan)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.is_empty() || text.ends_with('\n'),
        "a line is not whole"
    );
    Ran {
        code: output.status.code(),
        events: text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub fn run(plan: &Path) -> Ran {
    finish(start(plan))
}
