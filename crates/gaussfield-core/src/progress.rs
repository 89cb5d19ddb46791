//! Who listens to long work, and the way to stop it.

use crate::Cancelled;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

thread_local! {
    static CURRENT: RefCell<Progress> = const { RefCell::new(Progress { shared: None }) };
}

/// A handle on long work: hears which stage is under way and how far it is, and can stop it at the
/// next safe point.
///
/// It is given once, by [`Progress::during`]; every stage that runs inside hears of it, as it is with
/// subscribers of `tracing`. Work handed to other threads carries it along by
/// `Progress::current().during(…)`. Without a handle, stages cost next to nothing.
///
/// ```
/// use gaussfield_core::{Cancelled, Progress};
/// use std::sync::{Arc, Mutex};
///
/// fn long_work() -> Result<u64, Cancelled> {
///     let stage = Progress::stage("adding", Some(1000));
///     let mut sum = 0;
///     for i in 0..1000 {
///         stage.step()?;
///         sum += i;
///     }
///     Ok(sum)
/// }
///
/// let heard = Arc::new(Mutex::new(Vec::new()));
/// let notes = Arc::clone(&heard);
/// let progress = Progress::new(move |report| {
///     if let Ok(mut notes) = notes.lock() {
///         notes.push((report.stage, report.done));
///     }
/// });
/// assert_eq!(progress.during(long_work), Ok(499_500));
/// assert!(heard.lock().is_ok_and(|notes| notes.contains(&("adding", 1000))));
///
/// progress.cancel();
/// assert_eq!(progress.during(long_work), Err(Cancelled { stage: "adding" }));
/// ```
#[derive(Clone, Default)]
pub struct Progress {
    shared: Option<Arc<Shared>>,
}

struct Shared {
    cancelled: AtomicBool,
    listen: Box<dyn Fn(&Report) + Send + Sync>,
}

/// What a listener hears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// What is under way.
    pub stage: &'static str,
    /// Steps done.
    pub done: u64,
    /// Steps in all, if that is known beforehand.
    pub total: Option<u64>,
}

impl Report {
    /// The share done, between 0 and 1, if the total is known.
    pub fn share(&self) -> Option<f64> {
        self.total.map(|total| if total == 0 { 1.0 } else { self.done as f64 / total as f64 })
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heard = self.shared.is_some();
        let cancelled = self.is_cancelled();
        f.debug_struct("Progress").field("heard", &heard).field("cancelled", &cancelled).finish()
    }
}

impl Progress {
    /// A handle whose listener is told of stages; it may be called from several threads.
    pub fn new(listen: impl Fn(&Report) + Send + Sync + 'static) -> Self {
        let shared = Shared { cancelled: AtomicBool::new(false), listen: Box::new(listen) };
        Self { shared: Some(Arc::new(shared)) }
    }

    /// The handle of the work that this thread is doing; one that nobody hears if there is none.
    pub fn current() -> Self {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Runs work that this handle hears.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        /// Puts the former handle back even if the work panics.
        struct Restore(Progress);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(std::mem::take(&mut self.0));
            }
        }
        let _restore = Restore(CURRENT.replace(self.clone()));
        work()
    }

    /// Begins a stage of the work under way, and a `tracing` span of its name, which ends with the
    /// stage: what this thread does until then is inside it.
    pub fn stage(name: &'static str, total: Option<u64>) -> Stage {
        let stage = Stage {
            name,
            total,
            done: AtomicU64::new(0),
            progress: Self::current(),
            _span: tracing::debug_span!("stage", name, total).entered(),
        };
        stage.tell(0);
        stage
    }

    /// Asks the work to stop at its next safe point; from any thread.
    pub fn cancel(&self) {
        if let Some(shared) = &self.shared {
            shared.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| shared.cancelled.load(Ordering::Relaxed))
    }
}

/// A stage of long work. Shared between threads by reference; it ends on the thread where it began.
#[derive(Debug)]
pub struct Stage {
    name: &'static str,
    total: Option<u64>,
    done: AtomicU64,
    progress: Progress,
    _span: tracing::span::EnteredSpan,
}

impl Stage {
    /// One more step is done: tells the listener, and asks whether to go on.
    ///
    /// # Errors
    /// [`Cancelled`] if the handle was asked to stop.
    pub fn step(&self) -> Result<(), Cancelled> {
        self.advance(1)
    }

    /// Several more steps are done.
    ///
    /// # Errors
    /// As [`Stage::step`].
    pub fn advance(&self, steps: u64) -> Result<(), Cancelled> {
        let done = self.done.fetch_add(steps, Ordering::Relaxed) + steps;
        self.tell(done);
        if self.progress.is_cancelled() {
            return Err(Cancelled { stage: self.name });
        }
        Ok(())
    }

    fn tell(&self, done: u64) {
        if let Some(shared) = &self.progress.shared {
            (shared.listen)(&Report { stage: self.name, done, total: self.total });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    #[test]
    fn the_former_handle_returns_after_nested_work_and_after_a_panic() {
        let (outer, inner) = (Progress::new(|_| {}), Progress::new(|_| {}));
        inner.cancel();
        outer.during(|| {
            let work = std::panic::AssertUnwindSafe(|| inner.during(|| panic!("on purpose")));
            assert!(std::panic::catch_unwind(work).is_err());
            assert!(Progress::stage("outer", None).step().is_ok());
            assert!(inner.during(|| Progress::stage("inner", None).step().is_err()));
        });
        assert!(!Progress::current().is_cancelled());
        assert!(Progress::stage("alone", None).step().is_ok());
    }

    /// Writes down which spans are open wherever one is entered.
    #[derive(Default)]
    struct Spans {
        made: AtomicU64,
        open: Mutex<Vec<u64>>,
        entered: Arc<Mutex<Vec<Vec<u64>>>>,
    }

    impl Subscriber for Spans {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(self.made.fetch_add(1, Ordering::Relaxed) + 1)
        }
        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn event(&self, _: &Event<'_>) {}
        fn enter(&self, span: &Id) {
            let mut open = self.open.lock().unwrap();
            open.push(span.into_u64());
            self.entered.lock().unwrap().push(open.clone());
        }
        fn exit(&self, span: &Id) {
            assert_eq!(self.open.lock().unwrap().pop(), Some(span.into_u64()));
        }
    }

    #[test]
    fn a_stage_is_inside_the_one_that_is_under_way_and_ends_with_its_scope() {
        let spans = Spans::default();
        let entered = Arc::clone(&spans.entered);
        tracing::subscriber::with_default(spans, || {
            let outer = Progress::stage("outer", None);
            for _ in 0..2 {
                assert!(Progress::stage("inner", Some(1)).step().is_ok());
            }
            drop(outer);
            assert!(Progress::stage("after", None).step().is_ok());
        });
        assert_eq!(*entered.lock().unwrap(), [vec![1], vec![1, 2], vec![1, 3], vec![4]]);
    }

    #[test]
    fn shares_are_known_where_totals_are() {
        let report = Report { stage: "s", done: 3, total: Some(12) };
        assert_eq!(report.share(), Some(0.25));
        assert_eq!(Report { total: None, ..report }.share(), None);
    }
}
