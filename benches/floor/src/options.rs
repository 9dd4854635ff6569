//! The command line: what is sent to the server and the way of doing I/O. Connects to nothing.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// What a MySQL client costs at least, by one way of doing I/O.
#[derive(Debug, Parser)]
#[command(name = "floor")]
pub struct Options {
    /// Unix socket of the server; without it, TCP
    #[arg(long)]
    pub socket: Option<PathBuf>,
    /// Host for TCP
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,
    /// Port for TCP
    #[arg(long, default_value_t = 3306)]
    pub port: u16,
    /// A user without a password
    #[arg(long, default_value = "root")]
    pub user: String,
    /// The schema with the table sbtest1
    #[arg(long)]
    pub database: Option<String>,
    /// Connections, each a closed loop
    #[arg(long, default_value_t = 1)]
    pub connections: usize,
    /// Length of the measured window
    #[arg(long)]
    pub seconds: f64,
    /// How sockets are waited for
    #[arg(long, value_enum, default_value_t = Strategy::Threads)]
    pub strategy: Strategy,
    /// How the strategy is carried out; each has a default
    #[arg(long, value_enum)]
    pub variant: Option<Variant>,
    /// Event loops (threads makes one per connection)
    #[arg(long, default_value_t = 1)]
    pub loops: usize,
    /// uring: completions to wait for before waking up
    #[arg(long, default_value_t = 1)]
    pub wait: usize,
    /// uring: give up waiting for more than one completion after so long
    #[arg(long, default_value_t = 0)]
    pub linger_us: u32,
    /// uring: when the kernel finishes what has become ready
    #[arg(long, value_enum, default_value_t = Taskrun::Defer)]
    pub taskrun: Taskrun,
    /// What is asked
    #[arg(long, value_enum, default_value_t = Statement::Point)]
    pub statement: Statement,
    /// Rows of sbtest1; ids are uniform over 1..=rows
    #[arg(long, default_value_t = 100_000)]
    pub rows: u64,
    /// Process whose CPU time in the window is reported, too
    #[arg(long)]
    pub server_pid: Option<u32>,
}

/// How sockets are waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// A blocking thread per connection
    Threads,
    /// Loops over epoll
    Epoll,
    /// Loops over io_uring
    Uring,
}

/// How a strategy is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// threads: write, read
    Read,
    /// threads: write, poll, read
    Poll,
    /// epoll, edge-triggered: each ready socket is read and written at once
    Each,
    /// epoll, edge-triggered: all ready sockets are read, then all are written
    Gather,
    /// epoll, level-triggered: otherwise as each
    Level,
    /// uring: one receive for all replies, into provided buffers
    Multishot,
    /// uring: a receive per reply, posted beside the send
    Posted,
    /// uring: a receive per reply, linked to the send
    Linked,
}

/// What is asked of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Statement {
    /// Prepared SELECT of one row by its key
    Point,
    /// SELECT 1 as text
    Text,
}

/// When the kernel finishes what has become ready on a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Taskrun {
    /// While waiting (DEFER_TASKRUN)
    Defer,
    /// At any entry to the kernel (COOP_TASKRUN)
    Coop,
    /// At once, by interrupting the thread
    Plain,
}

impl Options {
    /// The number of loops.
    pub fn loops(&self) -> usize {
        match self.strategy {
            Strategy::Threads => self.connections,
            Strategy::Epoll | Strategy::Uring => self.loops.clamp(1, self.connections),
        }
    }

    /// The variant, or the strategy's default.
    pub fn variant(&self) -> Variant {
        self.variant.unwrap_or(match self.strategy {
            Strategy::Threads => Variant::Read,
            Strategy::Epoll => Variant::Each,
            Strategy::Uring => Variant::Multishot,
        })
    }
}
