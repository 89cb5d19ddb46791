//! Long work without Python's lock: Ctrl-C stops it, a callback hears how far it is.

use crate::errors::raised;
use gaussfield::Error;
use gaussfield::core::Progress;
use gaussfield::core::Report;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often the caller looks for Ctrl-C and tells of progress.
const LOOK: Duration = Duration::from_millis(50);

/// How a call is to be run, as Python says it.
#[derive(Debug)]
pub(crate) struct How {
    /// Threads that share the work, at least one.
    pub(crate) threads: usize,
    /// Called with stage, steps done and steps in all, or `None` for the last where that is not known.
    pub(crate) heard: Option<Py<PyAny>>,
}

impl How {
    /// Runs work on threads of its own. Results do not depend on how many there are.
    ///
    /// # Errors
    /// What the work says; what a callback raises, or Ctrl-C, after the work has stopped.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        // A pool for each call: a process that forked has none of its parent's threads.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.max(1)).build();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        let latest = Arc::new(Mutex::new(None));
        let notes = Arc::clone(&latest);
        let progress = Progress::new(move |report| {
            if let Ok(mut latest) = notes.lock() {
                *latest = Some(*report);
            }
        });
        let (done, caller) = (AtomicBool::new(false), std::thread::current());
        let mut stopped = None;
        let ended = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                let _bell = Bell { done: &done, caller: &caller };
                pool.install(|| progress.during(work))
            });
            loop {
                py.detach(|| {
                    if !done.load(Ordering::Acquire) {
                        std::thread::park_timeout(LOOK);
                    }
                });
                if done.load(Ordering::Acquire) {
                    break;
                }
                if let Err(error) = py.check_signals().and_then(|()| self.tell(py, &latest)) {
                    stopped.get_or_insert(error);
                    progress.cancel();
                }
            }
            py.detach(|| worker.join())
        });
        match (stopped, ended) {
            (Some(error), _) => Err(error),
            (None, Ok(result)) => result.map_err(raised),
            (None, Err(_)) => Err(PyRuntimeError::new_err(
                "a contract inside gaussfield is broken; please report it with the words printed above",
            )),
        }
    }

    fn tell(&self, py: Python<'_>, latest: &Mutex<Option<Report>>) -> PyResult<()> {
        let report = latest.lock().ok().and_then(|mut latest| latest.take());
        if let (Some(heard), Some(Report { stage, done, total })) = (&self.heard, report) {
            heard.call1(py, (stage, done, total))?;
        }
        Ok(())
    }
}

/// Wakes the caller when the work ends, however it ends.
struct Bell<'a> {
    done: &'a AtomicBool,
    caller: &'a std::thread::Thread,
}

impl Drop for Bell<'_> {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        self.caller.unpark();
    }
}
