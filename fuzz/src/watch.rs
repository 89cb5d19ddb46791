//! What is tried now, and since when: an input without an end is told, and not waited for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Looks at what is tried from a thread of its own.
#[derive(Debug)]
pub struct Watch {
    now: Arc<Mutex<Option<Tried>>>,
}

#[derive(Debug, Clone)]
struct Tried {
    since: Instant,
    format: &'static str,
    bytes: Vec<u8>,
}

impl Watch {
    /// Calls `found` once, with the format and the input, if one is tried for longer than this.
    pub fn new(longest: Duration, found: impl FnOnce(&str, &[u8]) + Send + 'static) -> Self {
        let now = Arc::<Mutex<Option<Tried>>>::default();
        let seen = Arc::downgrade(&now);
        thread::spawn(move || {
            while let Some(watched) = seen.upgrade() {
                let late = locked(&watched).clone().filter(|tried| tried.since.elapsed() > longest);
                drop(watched);
                if let Some(Tried { format, bytes, .. }) = late {
                    return found(format, &bytes);
                }
                thread::sleep(longest / 20);
            }
        });
        Self { now }
    }

    /// Does some work with the input of a format, watched.
    pub fn during<T>(&self, format: &'static str, bytes: &[u8], work: impl FnOnce() -> T) -> T {
        *locked(&self.now) = Some(Tried { since: Instant::now(), format, bytes: bytes.to_vec() });
        let done = work();
        *locked(&self.now) = None;
        done
    }
}

/// Nothing is left half-done where a thread ends while it holds this.
fn locked(now: &Mutex<Option<Tried>>) -> MutexGuard<'_, Option<Tried>> {
    now.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn an_input_without_an_end_is_told() {
        let (tell, told) = channel();
        let watch = Watch::new(Duration::from_secs(1), move |format, bytes| {
            drop(tell.send((format.to_owned(), bytes.to_vec())));
        });
        for _ in 0..30 {
            watch.during("quick", b"a", || thread::sleep(Duration::from_millis(50)));
        }
        assert!(told.try_recv().is_err(), "many short ones are not one long one");
        watch.during("slow", b"b", || {
            let found = told.recv_timeout(Duration::from_secs(20));
            assert_eq!(found, Ok(("slow".to_owned(), b"b".to_vec())));
        });
    }
}
