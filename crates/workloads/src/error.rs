//! What ends a run. A refused op isn't an error here: it is data, counted as failed.

use std::io;
use std::path::PathBuf;

/// Where an error happened; the name used in `error` events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Reading the plan.
    Plan,
    /// Reaching the server and logging in.
    Connect,
    /// The statements run at the start of every connection.
    Session,
    /// The phase `load`.
    Load,
    /// An op.
    Op,
    /// The program itself.
    Internal,
}

/// Why a run can't go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No connection, or no login.
    #[error("{source}")]
    Connect {
        /// The connection's error.
        source: wire::Error,
    },
    /// The password's environment variable isn't set.
    #[error("the environment variable {name} of `password_env` is not set")]
    Password {
        /// Its name.
        name: String,
    },
    /// A statement of `session` was refused.
    #[error("session statement `{statement}` failed: {source}")]
    Session {
        /// The statement.
        statement: String,
        /// The server's error.
        source: wire::Error,
    },
    /// A statement of the workload can't be prepared.
    #[error("preparing `{statement}` failed: {source}")]
    Prepare {
        /// The statement.
        statement: String,
        /// The server's error.
        source: wire::Error,
    },
    /// A statement of the phase `load` was refused.
    #[error("table {table}: {doing} failed: {source}")]
    Load {
        /// The table.
        table: String,
        /// The step.
        doing: String,
        /// The server's error.
        source: wire::Error,
    },
    /// The server took other rows than it was sent.
    #[error("table {table}: {message}")]
    Rows {
        /// The table.
        table: String,
        /// What is different.
        message: String,
    },
    /// An observation failed.
    #[error("reading {what} failed: {source}")]
    Observe {
        /// Settings, status or an execution plan.
        what: &'static str,
        /// The server's error.
        source: wire::Error,
    },
    /// A connection broke and could not be restored.
    #[error("connection {connection} was lost and could not be restored within 5 s: {source}")]
    Lost {
        /// Which one, from 0.
        connection: usize,
        /// The last attempt.
        source: Box<Error>,
    },
    /// Somebody asked the run to stop.
    #[error("stopped")]
    Stopped,
    /// A histogram could not be encoded.
    #[error("{0}")]
    Histogram(#[from] load::HistogramError),
    /// The operating system gave no threads or descriptors for the load.
    #[error("making load: {source}")]
    Resources {
        /// The operating system's error.
        source: io::Error,
    },
    /// A file that the plan names can't be used.
    #[error("workload.{key}: {}: {source}", path.display())]
    File {
        /// The key.
        key: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error, or what is wrong with the file.
        source: io::Error,
    },
    /// A script, or a call into it, failed.
    #[error("{message}")]
    Script {
        /// What failed where, and why.
        message: String,
        /// When it happened.
        scope: Scope,
        /// What to do about it.
        hint: String,
    },
    /// The operating system refused something.
    #[error("{doing}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// The operating system's error.
        source: io::Error,
    },
}

impl Error {
    /// Where it happened.
    pub fn scope(&self) -> Scope {
        match self {
            Error::File { .. } => Scope::Plan,
            Error::Connect { .. } | Error::Password { .. } | Error::Lost { .. } => Scope::Connect,
            Error::Session { .. } | Error::Prepare { .. } => Scope::Session,
            Error::Load { .. } | Error::Rows { .. } => Scope::Load,
            Error::Observe { .. } => Scope::Op,
            Error::Resources { .. } => Scope::Connect,
            Error::Script { scope, .. } => *scope,
            Error::Stopped | Error::Histogram(_) | Error::Io { .. } => Scope::Internal,
        }
    }

    /// What to do next, as one sentence.
    pub fn hint(&self) -> &str {
        match self {
            Error::Connect { source }
            | Error::Session { source, .. }
            | Error::Prepare { source, .. }
            | Error::Load { source, .. }
            | Error::Observe { source, .. } => source.hint(),
            Error::Password { .. } => "set it, or leave `password_env` out of the plan",
            Error::Rows { .. } => "make the columns of `create` fit what is generated",
            Error::Lost { .. } => "look at the server's error log: it crashed or was stopped",
            Error::Stopped => "run it again",
            Error::Resources { .. } => {
                "use fewer connections, or raise the limits of processes and open files (ulimit)"
            }
            Error::File { .. } => "docs/reference/load-plan.md says what the file must be",
            Error::Script { hint, .. } => hint,
            Error::Histogram(_) | Error::Io { .. } => "this is a defect of dynoload: report it",
        }
    }

    /// True if the connection itself was the trouble, and not what was asked of the server.
    pub fn is_lost_connection(&self) -> bool {
        match self {
            Error::Load { source, .. }
            | Error::Prepare { source, .. }
            | Error::Session { source, .. }
            | Error::Observe { source, .. } => source.is_fatal(),
            Error::Lost { .. } => true,
            Error::Connect { .. }
            | Error::Password { .. }
            | Error::Rows { .. }
            | Error::Stopped
            | Error::File { .. }
            | Error::Histogram(_)
            | Error::Resources { .. }
            | Error::Script { .. }
            | Error::Io { .. } => false,
        }
    }
}
