//! SIGINT and SIGTERM: the first asks the run to stop, the second ends the program at once. SIGUSR1
//! ends a phase that lasts until that signal.
//!
//! Also the option to end with the parent process, which the kernel turns into SIGTERM.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use load::Stop;
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{getppid, Pid};
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use signal_hook::flag;
use workloads::Error;

use crate::exit::Exit;

/// Whether a signal asked to stop.
#[derive(Debug, Clone)]
pub struct Signals {
    came: Arc<AtomicBool>,
}

impl Signals {
    /// From now on a signal sets `stop`, or asks for the end of the current phase.
    pub fn listen(stop: &Stop) -> Result<Signals, Error> {
        let came = Arc::new(AtomicBool::new(false));
        let code = i32::from(Exit::Signal.code());
        let register = |signal| -> io::Result<()> {
            // Handlers run in this order, so the first signal finds `came` still unset.
            flag::register_conditional_shutdown(signal, code, Arc::clone(&came))?;
            flag::register(signal, Arc::clone(&came))?;
            flag::register(signal, stop.flag())?;
            Ok(())
        };
        let doing = "listening to signals";
        for signal in [SIGINT, SIGTERM] {
            register(signal).map_err(|source| Error::Io { doing, source })?;
        }
        // Otherwise it would end the program.
        flag::register(SIGUSR1, stop.enough_flag())
            .map_err(|source| Error::Io { doing, source })?;
        Ok(Signals { came })
    }

    /// True once a signal has come.
    pub fn has_arrived(&self) -> bool {
        self.came.load(Ordering::SeqCst)
    }
}

/// The parent of this process. Call before anything else.
pub fn parent() -> Pid {
    getppid()
}

/// Asks the kernel for SIGTERM when the parent ends. `parent` is the parent at the start: if it has
/// ended since, no signal will ever come, and this returns false.
pub fn die_with_parent(parent: Pid) -> Result<bool, Error> {
    let doing = "asking to end with the parent";
    prctl::set_pdeathsig(Signal::SIGTERM).map_err(|errno| Error::Io {
        doing,
        source: io::Error::from(errno),
    })?;
    Ok(getppid() == parent)
}
