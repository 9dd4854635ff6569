//! A file of what the server acknowledged, each with its time: what it must not forget.

use std::fmt::Arguments;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use load::Stop;
use nix::libc::O_DSYNC;
use nix::time::{clock_gettime, ClockId};

use crate::error::{Error, Scope};
use crate::event::{ErrorEvent, Event, Events};
use crate::workload::Shared;

/// All connections write to one file.
#[derive(Debug, Clone)]
pub struct Notes {
    file: Arc<File>,
    key: &'static str,
    events: Events,
    stop: Stop,
}

impl Notes {
    /// Opens the file that the plan's `key` names, for appending. If `synced`, each line is on disk
    /// once it is written.
    pub fn open(
        key: &'static str,
        path: &Path,
        synced: bool,
        shared: &Shared,
    ) -> Result<Notes, Error> {
        let mut options = OpenOptions::new();
        let flags = if synced { O_DSYNC } else { 0 };
        options.create(true).append(true).custom_flags(flags);
        let file = options.open(path).map_err(|source| Error::File {
            key,
            path: path.to_owned(),
            source,
        })?;
        Ok(Notes {
            file: Arc::new(file),
            key,
            events: shared.events.clone(),
            stop: shared.stop.clone(),
        })
    }

    /// Records what the server acknowledged, behind the nanoseconds of the system's monotonic
    /// clock. Without the file a run proves nothing, so the run ends if it can't be written.
    pub fn note(&self, what: Arguments<'_>) {
        if let Err(error) = self.write(what) {
            self.events.say(Event::Error(ErrorEvent {
                scope: Scope::Op,
                message: format!("writing the file of `{}` failed: {error}", self.key),
                hint: format!("make room, or give another path in `{}`", self.key),
                fatal: true,
            }));
            self.stop.set();
        }
    }

    /// One system call, so that lines of several connections never mix.
    fn write(&self, what: Arguments<'_>) -> io::Result<()> {
        let now = clock_gettime(ClockId::CLOCK_MONOTONIC)?;
        let now_ns = i128::from(now.tv_sec()) * 1_000_000_000 + i128::from(now.tv_nsec());
        (&*self.file).write_all(format!("{now_ns} {what}\n").as_bytes())
    }
}
