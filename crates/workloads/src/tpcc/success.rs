//! The file of acknowledged new orders (3.5.3): what a server must not forget.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use load::Stop;
use nix::libc::O_DSYNC;

use crate::error::{Error, Scope};
use crate::event::{ErrorEvent, Event, Events};
use crate::workload::Shared;

/// All connections write to one file.
#[derive(Debug, Clone)]
pub struct SuccessFile {
    file: Arc<File>,
    events: Events,
    stop: Stop,
}

impl SuccessFile {
    /// Opens it for appending; each line is on disk once it is written.
    pub fn open(path: &Path, shared: &Shared) -> Result<SuccessFile, Error> {
        let mut options = OpenOptions::new();
        options.create(true).append(true).custom_flags(O_DSYNC);
        let file = options.open(path).map_err(|source| Error::File {
            key: "success_file",
            path: path.to_owned(),
            source,
        })?;
        Ok(SuccessFile {
            file: Arc::new(file),
            events: shared.events.clone(),
            stop: shared.stop.clone(),
        })
    }

    /// Records an order that the server acknowledged. Without the file a run proves nothing, so the
    /// run ends if the file can't be written.
    pub fn note(&self, (warehouse, district, order): (u32, u32, u32)) {
        let line = format!("{warehouse} {district} {order}\n");
        if let Err(error) = (&*self.file).write_all(line.as_bytes()) {
            self.events.say(Event::Error(ErrorEvent {
                scope: Scope::Op,
                message: format!("writing the success file failed: {error}"),
                hint: "make room, or give another path in `success_file`".to_owned(),
                fatal: true,
            }));
            self.stop.set();
        }
    }
}
