//! Does something with all clients at the same moment, in one thread each: anything that blocks,
//! such as logging in. Statements aren't run here.

use std::io;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Logging in needs little stack.
const STACK_BYTES: usize = 256 * 1024;

/// Holds threads back until all are there.
#[derive(Default)]
struct Gate {
    /// Whether to begin; `None` while it is shut.
    open: Mutex<Option<bool>>,
    opened: Condvar,
}

impl Gate {
    fn open(&self, begin: bool) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        *open = Some(begin);
        self.opened.notify_all();
    }

    fn wait(&self) -> bool {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(begin) = *open {
                return begin;
            }
            let waited = self.opened.wait(open);
            open = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Does `work` with every item at once, and returns how long that took: from the release of all
/// threads, which are created before, until the last one is done.
pub fn together<T: Send>(items: &mut [T], work: impl Fn(&mut T) + Sync) -> io::Result<Duration> {
    if let [only] = items {
        let start = Instant::now();
        work(only);
        return Ok(start.elapsed());
    }
    let (gate, work) = (Gate::default(), &work);
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(items.len());
        for item in items {
            let gate = &gate;
            let job = move || {
                if gate.wait() {
                    work(item);
                }
                Instant::now()
            };
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            match builder.spawn_scoped(scope, job) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    gate.open(false);
                    return Err(error);
                }
            }
        }
        let start = Instant::now();
        gate.open(true);
        let mut last = start;
        for thread in threads {
            match thread.join() {
                Ok(ended) => last = last.max(ended),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(last - start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_work_at_once() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let mut items = vec![0; 8];
        let pause = Duration::from_millis(50);
        let took = together(&mut items, |item| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(pause);
            now.fetch_sub(1, Ordering::SeqCst);
            *item += 1;
        });
        assert!(took.unwrap() >= pause);
        assert_eq!(items, vec![1; 8]);
        assert_eq!(most.into_inner(), 8);
    }
}
