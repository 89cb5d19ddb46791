//! Who listens to long work, and the way to stop it.

use crate::Cancelled;
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

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

    /// Begins a stage of the work under way, and a `tracing` span of its name: what this thread does
    /// until the stage ends is inside it, and then an event at the level `debug` tells how long it took.
    pub fn stage(name: &'static str, total: Option<u64>) -> Stage {
        Self::begin(name, total, false)
    }

    fn begin(name: &'static str, total: Option<u64>, ends: bool) -> Stage {
        let stage = Stage {
            name,
            total,
            done: AtomicU64::new(0),
            part: (AtomicU64::new(0), AtomicU64::new(1)),
            progress: Self::current(),
            _span: tracing::debug_span!("stage", name, total).entered(),
            begun: Instant::now(),
            ends,
        };
        stage.tell(0);
        stage
    }

    /// Begins a stage of which only shares are known, as of steps that go on until something is small
    /// enough; it counts hundredths, by [`Stage::reach`].
    pub fn shares(name: &'static str) -> Stage {
        Self::begin(name, Some(100), true)
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
    /// The part under way, of so many equal ones.
    part: (AtomicU64, AtomicU64),
    progress: Progress,
    _span: tracing::span::EnteredSpan,
    begun: Instant,
    /// Whether its end is told when it goes.
    ends: bool,
}

impl Drop for Stage {
    fn drop(&mut self) {
        let (done, seconds) = (*self.done.get_mut(), self.begun.elapsed().as_secs_f64());
        match self.total {
            Some(total) => tracing::debug!("{}: {done} of {total} in {seconds:.3} s", self.name),
            None => tracing::debug!("{}: {done} in {seconds:.3} s", self.name),
        }
        if let (true, Some(total)) = (self.ends, self.total) {
            self.tell(total);
        }
    }
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
        self.go_on()
    }

    fn go_on(&self) -> Result<(), Cancelled> {
        if self.progress.is_cancelled() {
            return Err(Cancelled { stage: self.name });
        }
        Ok(())
    }

    /// From now on shares are those of part `at` of so many equal ones.
    pub fn part(&self, at: usize, of: usize) {
        self.part.0.store(at as u64, Ordering::Relaxed);
        self.part.1.store((of as u64).max(1), Ordering::Relaxed);
    }

    /// A share of the stage, or of its part, is done: between 0 and 1, rounded down. What was reached
    /// before is not taken back, and the last step is that of the end.
    ///
    /// # Errors
    /// As [`Stage::step`].
    pub fn reach(&self, share: f64) -> Result<(), Cancelled> {
        let total = self.total.unwrap_or(100);
        let (at, of) = (self.part.0.load(Ordering::Relaxed), self.part.1.load(Ordering::Relaxed));
        let share = (at as f64 + share.clamp(0.0, 1.0)) / of as f64;
        // A NaN counts as nothing.
        let steps = ((share * total as f64) as u64).min(total.saturating_sub(1));
        let before = self.done.fetch_max(steps, Ordering::Relaxed);
        self.tell(before.max(steps));
        self.go_on()
    }

    /// How far a measure has come on its way from where it began down to a goal, in orders of
    /// magnitude: a share for [`Stage::reach`].
    pub fn way(from: f64, now: f64, goal: f64) -> f64 {
        let share = (from / now).ln() / (from / goal).ln();
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }

    /// All of it is done, however many steps were told.
    pub fn end(mut self) {
        self.ends = true;
        *self.done.get_mut() = self.total.unwrap_or_default();
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
    fn shares_go_up_only_and_end_when_they_are_told_to() {
        let heard = Arc::new(std::sync::Mutex::new(Vec::new()));
        let notes = Arc::clone(&heard);
        let progress = Progress::new(move |report| notes.lock().unwrap().push(report.done));
        progress.during(|| {
            let stage = Progress::shares("s");
            for (at, share) in [(0, 0.5), (0, 0.2), (1, 0.0), (1, f64::NAN), (1, 0.5), (1, 7.0)] {
                stage.part(at, 2);
                stage.reach(share).unwrap();
            }
            drop(stage);
            let counted = Progress::stage("c", Some(7));
            counted.step().unwrap();
            counted.end();
        });
        assert_eq!(*heard.lock().unwrap(), [0, 25, 25, 50, 50, 75, 99, 100, 0, 1, 7]);
        assert!((Stage::way(1.0, 1e-5, 1e-10) - 0.5).abs() < 1e-12);
        for (from, now, goal) in [(0.0, 0.0, 0.0), (1.0, 2.0, 0.1), (1.0, f64::NAN, 0.1)] {
            assert!(Stage::way(from, now, goal).abs() < 1e-12);
        }
        assert!((Stage::way(1.0, 1e-12, 1e-10) - 1.0).abs() < 1e-12);
        progress.cancel();
        assert!(progress.during(|| Progress::shares("s").reach(0.1)).is_err());
    }

    #[test]
    fn shares_are_known_where_totals_are() {
        let report = Report { stage: "s", done: 3, total: Some(12) };
        assert_eq!(report.share(), Some(0.25));
        assert_eq!(Report { total: None, ..report }.share(), None);
    }
}
