//! The events of a run, one JSON object per line. Described in docs/reference/load-plan.md.
//!
//! Only the types and their way through a channel are here; writing them to a file is not.

use std::collections::BTreeMap;
use std::sync::mpsc::Sender;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Scope};

mod interval;
mod search;
mod summary;

pub use interval::{Bin, IntervalEvent, IntervalOp};
pub use search::{Limit, SearchResult, SearchStep};
pub use summary::{Model, PhaseClient, PhaseSummary, SendLag, Summary, SummaryOp};

/// How this program was built: figures of a debug build aren't comparable.
pub const BUILD: &str = if cfg!(debug_assertions) {
    "debug"
} else {
    "release"
};

/// The version of the event format. History: 1, the first. 2: `status`, `search_step` and
/// `search_result`, the phase `connect`, bins, retries, backlog, send lag, the client's cost by
/// phase.
pub const SCHEMA: u32 = 2;

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Always first.
    Hello(Hello),
    /// The server's variables.
    Settings(Settings),
    /// An execution plan.
    Explain(Explain),
    /// A phase begins, progresses or ends.
    Phase(PhaseEvent),
    /// A statement was run.
    Statement(Box<StatementEvent>),
    /// What a phase changed in the server's status.
    Status(StatusEvent),
    /// An interval ended.
    Interval(IntervalEvent),
    /// A rate was tried.
    SearchStep(SearchStep),
    /// The search for a rate ended.
    SearchResult(SearchResult),
    /// Something other than an op went wrong.
    Error(ErrorEvent),
    /// Always last.
    Summary(Summary),
}

/// The program that reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hello {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the program.
    pub dynoload: String,
    /// `release` or `debug`.
    pub build: String,
    /// Process number.
    pub pid: u32,
    /// Wall-clock time.
    pub unix_ms: u64,
    /// As the server reports it; `None` if none was reached.
    pub server_version: Option<String>,
}

impl Hello {
    /// This program, at this moment.
    pub fn now(server_version: Option<String>) -> Hello {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Hello {
            schema: SCHEMA,
            dynoload: env!("CARGO_PKG_VERSION").to_owned(),
            build: BUILD.to_owned(),
            pid: std::process::id(),
            unix_ms: since.unwrap_or_default().as_millis() as u64,
            server_version,
        }
    }
}

/// The server's variables on the measuring connection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// SHOW SESSION VARIABLES.
    pub session: BTreeMap<String, String>,
    /// SHOW GLOBAL VARIABLES.
    pub global: BTreeMap<String, String>,
}

/// EXPLAIN of a statement: columns and rows, or an error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Explain {
    /// Name of the statement.
    pub statement: String,
    /// Names of the columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// Values as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<Vec<Vec<Option<String>>>>,
    /// Why there is no plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SqlError>,
}

/// A refusal by the server, or by the client in the same form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlError {
    /// Error number.
    pub code: u16,
    /// Five characters.
    pub sqlstate: String,
    /// The text.
    pub message: String,
}

/// What a phase is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseState {
    /// All connections are ready, and it waits for the others.
    Ready,
    /// It begins.
    Begin,
    /// Rows are being loaded.
    Progress,
    /// It ended.
    End,
}

/// A phase begins, progresses or ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhaseEvent {
    /// Name of the phase.
    pub phase: String,
    /// What it is doing.
    pub state: PhaseState,
    /// Seconds since `hello`.
    pub t_s: f64,
    /// With `begin`, if it waited for the others: how long after the agreed instant it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ns: Option<u64>,
    /// With `progress`: the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// With `progress`: rows sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// With `progress`: rows to be sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_total: Option<u64>,
}

/// A statement was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatementEvent {
    /// Name of the phase.
    pub phase: String,
    /// Round, from 0.
    pub round: u64,
    /// Connection, from 0.
    pub connection: usize,
    /// Name of the statement.
    pub statement: String,
    /// When it began, in seconds since `hello`.
    pub t_s: f64,
    /// How long it took.
    pub elapsed_ns: u64,
    /// `ok` or `failed`.
    pub outcome: String,
    /// If ok: rows received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// If ok: bytes of row data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// If ok: 16 hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// If ok: warnings of the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings: Option<u64>,
    /// If failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<SqlError>,
    /// If observed: what changed in the session's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_status: Option<BTreeMap<String, i64>>,
    /// If observed: what changed in the server's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub global_status: Option<BTreeMap<String, i64>>,
}

/// What a phase changed in the server's status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusEvent {
    /// Name of the phase.
    pub phase: String,
    /// Differences that are not 0, by name.
    pub global_status: BTreeMap<String, i64>,
}

/// Something other than an op went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorEvent {
    /// Where.
    pub scope: Scope,
    /// What.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// True if the run can't go on.
    pub fatal: bool,
}

impl ErrorEvent {
    /// The event of an error that ends the run.
    pub fn fatal(error: &Error) -> ErrorEvent {
        ErrorEvent {
            scope: error.scope(),
            message: error.to_string(),
            hint: error.hint().to_owned(),
            fatal: true,
        }
    }
}

/// What a run cost the process that generated the load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Processor time in user mode.
    pub cpu_user_s: f64,
    /// Processor time in the kernel.
    pub cpu_system_s: f64,
    /// Peak resident size.
    pub max_rss_bytes: u64,
    /// Sent to servers, before encryption.
    pub bytes_sent: u64,
    /// Received from servers, after decryption.
    pub bytes_received: u64,
}

/// Nanoseconds as seconds, to the microsecond.
pub fn seconds(ns: u64) -> f64 {
    (ns / 1000) as f64 / 1e6
}

/// Where events are sent. Cloned by everybody who reports something.
#[derive(Debug, Clone)]
pub struct Events {
    sender: Sender<Event>,
}

impl Events {
    /// Sends events into this channel.
    pub fn new(sender: Sender<Event>) -> Events {
        Events { sender }
    }

    /// Sends an event. If nobody listens any more, the run is already ending for that very reason,
    /// so there is nothing to report here.
    pub fn say(&self, event: Event) {
        let _ = self.sender.send(event);
    }

    /// Reports that a phase is ready, begins or ends.
    pub fn phase(&self, phase: &str, state: PhaseState, now_ns: u64) {
        self.marked(phase, state, now_ns, None);
    }

    /// Reports that a phase begins that waited for the others, and how late.
    pub fn begun_late(&self, phase: &str, now_ns: u64, late_ns: u64) {
        self.marked(phase, PhaseState::Begin, now_ns, Some(late_ns));
    }

    fn marked(&self, phase: &str, state: PhaseState, now_ns: u64, late_ns: Option<u64>) {
        let (phase, t_s) = (phase.to_owned(), seconds(now_ns));
        let (table, rows, rows_total) = (None, None, None);
        self.say(Event::Phase(PhaseEvent {
            phase,
            state,
            t_s,
            late_ns,
            table,
            rows,
            rows_total,
        }));
    }
}
