//! Writes events, line by line, from a separate thread, so that nobody waits for the disk.
//!
//! A line is written whole or not at all: a part left by a full disk is cut off again. Errors are
//! also written to standard error, here and nowhere else; a listener reports them in its own way.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{channel, Receiver};
use std::thread::{self, JoinHandle};

use load::Stop;
use nix::unistd::{dup, dup2_stdout};
use workloads::event::{ErrorEvent, Event, Events};

/// The name of the listener in messages about where events are written.
const LISTENER: &str = "the listener";
const STDOUT: &str = "standard output";

/// What a listener wants after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// More events.
    GoOn,
    /// The run to stop.
    Stop,
}

/// Gets every event before it is written. Its error ends the run, like a write error.
pub type Listener = Box<dyn FnMut(&Event) -> io::Result<Reaction> + Send>;

/// Where events are written to.
#[derive(Debug)]
enum Sink {
    Nowhere,
    /// Standard output as it was: see [`own_stdout`].
    Stdout(File),
    File {
        file: File,
        path: PathBuf,
        whole_bytes: u64,
    },
}

/// Standard output for events alone: what a script or a library of C prints from now on goes to
/// standard error.
pub fn own_stdout() -> io::Result<File> {
    let own = dup(io::stdout())?;
    dup2_stdout(io::stderr())?;
    Ok(File::from(own))
}

/// The events could not be written.
#[derive(Debug)]
pub struct WriteError {
    sink: String,
    source: io::Error,
}

impl WriteError {
    /// Reports the error on standard error, the only place left for it.
    pub fn report(&self) {
        let (sink, source) = (&self.sink, &self.source);
        let message = match sink.as_str() {
            LISTENER => format!("what the run reports can't be written: {source}"),
            sink => format!("the events can't be written to {sink}: {source}"),
        };
        let hint = "free space there, or keep the reader of the events running";
        report("error", &message, hint);
    }
}

/// Puts an error or a warning on standard error.
pub fn report(kind: &str, message: &str, hint: &str) {
    // If standard error is gone too, nobody can be reached.
    let _ = writeln!(io::stderr(), "{kind}: {message}\nhint: {hint}");
}

fn tell_error(event: &Event) {
    if let Event::Error(ErrorEvent {
        scope: _,
        message,
        hint,
        fatal,
    }) = event
    {
        report(if *fatal { "error" } else { "warning" }, message, hint);
    }
}

/// The writing thread.
#[derive(Debug)]
pub struct Writer {
    thread: JoinHandle<Result<(), WriteError>>,
}

impl Writer {
    /// Starts writing to `path`, or to standard output if nobody listens. If writing fails, `stop`
    /// is set.
    pub fn start(
        path: Option<&Path>,
        mut listener: Option<Listener>,
        stop: Stop,
    ) -> Result<(Events, Writer), WriteError> {
        let mut sink = match path {
            None if listener.is_some() => Sink::Nowhere,
            None => Sink::Stdout(own_stdout().map_err(|source| WriteError {
                sink: STDOUT.to_owned(),
                source,
            })?),
            Some(path) => {
                let file = File::create(path).map_err(|source| WriteError {
                    sink: path.display().to_string(),
                    source,
                })?;
                Sink::File {
                    file,
                    path: path.to_owned(),
                    whole_bytes: 0,
                }
            }
        };
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            let written = sink.write_all(&receiver, &mut listener, &stop);
            if written.is_err() {
                stop.set();
            }
            written
        });
        Ok((Events::new(sender), Writer { thread }))
    }

    /// Waits until the summary is written.
    pub fn finish(self) -> Result<(), WriteError> {
        self.thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

impl Sink {
    fn write_all(
        &mut self,
        events: &Receiver<Event>,
        listener: &mut Option<Listener>,
        stop: &Stop,
    ) -> Result<(), WriteError> {
        let mut line = Vec::new();
        for event in events {
            match listener {
                Some(listener) => {
                    let reaction = listener(&event).map_err(|source| WriteError {
                        sink: LISTENER.to_owned(),
                        source,
                    })?;
                    if reaction == Reaction::Stop {
                        stop.set();
                    }
                }
                None => tell_error(&event),
            }
            line.clear();
            serde_json::to_writer(&mut line, &event)
                .map_err(io::Error::from)
                .and_then(|()| {
                    line.push(b'\n');
                    self.write(&line)
                })
                .map_err(|source| WriteError {
                    sink: self.name(),
                    source,
                })?;
            // Nothing comes after the summary, but an abandoned worker still holds an end of the
            // channel, so waiting for the channel to close could take forever.
            if matches!(event, Event::Summary(_)) {
                break;
            }
        }
        Ok(())
    }

    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        match self {
            Sink::Nowhere => Ok(()),
            Sink::Stdout(out) => out.write_all(line),
            Sink::File {
                file, whole_bytes, ..
            } => {
                let written = file.write_all(line);
                if written.is_err() {
                    // Cuts off the partly written line. A device can't be cut; it has none.
                    let _ = file.set_len(*whole_bytes);
                } else {
                    *whole_bytes += line.len() as u64;
                }
                written
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Sink::Nowhere | Sink::Stdout(_) => STDOUT.to_owned(),
            Sink::File { path, .. } => path.display().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::event::{Hello, PhaseState};

    /// Sends two events to a listener.
    fn written(listener: Listener) -> (Stop, Result<(), WriteError>) {
        let stop = Stop::new();
        let (events, writer) = Writer::start(None, Some(listener), stop.clone()).unwrap();
        events.say(Event::Hello(Hello::now(None)));
        events.phase("measure", PhaseState::Begin, 0);
        drop(events);
        (stop, writer.finish())
    }

    #[test]
    fn a_listener_hears_all_and_may_stop_the_run() {
        let (sender, heard) = channel();
        let (stop, done) = written(Box::new(move |event| {
            sender.send(event.clone()).unwrap();
            Ok(Reaction::GoOn)
        }));
        assert!(done.is_ok() && !stop.is_set());
        assert_eq!(heard.iter().count(), 2);
        let (stop, done) = written(Box::new(|_| Ok(Reaction::Stop)));
        assert!(done.is_ok() && stop.is_set());
    }

    #[test]
    fn a_listener_that_can_t_write_ends_the_run() {
        let (stop, done) = written(Box::new(|_| Err(io::Error::other("log: disk full"))));
        assert!(stop.is_set());
        assert_eq!(done.unwrap_err().source.to_string(), "log: disk full");
    }
}
