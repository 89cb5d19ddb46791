//! Progress of long work: bars with the time left on a terminal, a plain line now and then
//! elsewhere.

use crate::format::duration;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt;
use std::io::{IsTerminal as _, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Plain lines come no closer together than this.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// The progress of one piece of work, for those who watch. Shared by reference among threads.
#[derive(Debug)]
pub struct TerminalProgress {
    work: Arc<Work>,
    bar: Option<ProgressBar>,
    ticker: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Work {
    name: String,
    unit: &'static str,
    total: usize,
    done: AtomicUsize,
    start: Instant,
    ended: AtomicBool,
}

impl TerminalProgress {
    /// Progress over `total` steps of something named by `unit` ("grid points").
    pub fn new(name: impl Into<String>, unit: &'static str, total: usize) -> Self {
        let work = Arc::new(Work {
            name: name.into(),
            unit,
            total,
            done: AtomicUsize::new(0),
            start: Instant::now(),
            ended: AtomicBool::new(false),
        });
        if std::io::stderr().is_terminal() {
            let bar = drawn(work.name.clone(), Some(total as u64));
            return Self { work, bar: Some(bar), ticker: None };
        }
        // Says that work goes on even while a single step takes minutes.
        let ticker = std::thread::Builder::new().name("progress".to_owned()).spawn({
            let work = Arc::clone(&work);
            move || {
                while !work.ended.load(Ordering::Acquire) {
                    work.line();
                    std::thread::park_timeout(Duration::from_secs(1));
                }
            }
        });
        Self { work, bar: None, ticker: ticker.ok() }
    }

    /// One step is done.
    pub fn step(&self) {
        self.work.done.fetch_add(1, Ordering::Relaxed);
        match &self.bar {
            Some(bar) => bar.inc(1),
            None => self.work.line(),
        }
    }

    /// The work is done; the bar goes away. Dropping does the same.
    pub fn finish(self) {}
}

impl Drop for TerminalProgress {
    fn drop(&mut self) {
        self.work.ended.store(true, Ordering::Release);
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            bars().remove(bar);
        }
        if let Some(ticker) = self.ticker.take() {
            ticker.thread().unpark();
            // The ticker only logs; if it panicked there is nothing to undo.
            drop(ticker.join());
        }
    }
}

impl Work {
    /// Logs how far it is, unless another line came within the last seconds.
    fn line(&self) {
        if !line_is_due() {
            return;
        }
        let done = self.done.load(Ordering::Relaxed);
        let elapsed = self.start.elapsed();
        let left = match done {
            0 => String::new(),
            _ => {
                let left = elapsed.mul_f64(self.total.saturating_sub(done) as f64 / done as f64);
                format!(", about {} left", duration(left))
            }
        };
        tracing::info!(
            "{}: {done} of {} {} after {}{left}",
            self.name,
            self.total,
            self.unit,
            duration(elapsed)
        );
    }
}

/// A bar on the terminal; without a total, a mark that turns.
fn drawn(name: String, total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{msg:32!} {bar:28.cyan/dim} {pos}/{len} {elapsed} elapsed, {left} left",
        None => "{msg:32!} {spinner} {pos} {elapsed} elapsed",
    };
    let bar = bars().add(total.map_or_else(ProgressBar::no_length, ProgressBar::new));
    // The template is fixed and known to parse; the default style is the fallback.
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    let style = if total.is_some() { style.progress_chars("━╸─") } else { style };
    bar.set_style(style.with_key("left", left));
    bar.set_message(name);
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// Bars for stages that begin and end by themselves: each is drawn once it has lasted a second, and
/// goes when it is done or is not heard of any more. Clones draw the same bars.
#[derive(Debug, Clone, Default)]
pub struct StageBars {
    stages: Arc<Mutex<Vec<Shown>>>,
}

#[derive(Debug)]
struct Shown {
    stage: &'static str,
    begun: Instant,
    heard: Instant,
    bar: Option<ProgressBar>,
}

impl Drop for Shown {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
            bars().remove(bar);
        }
    }
}

impl StageBars {
    /// A stage lasts this long before it is drawn.
    const BEFORE: Duration = Duration::from_secs(1);
    /// A stage of which nothing was heard for so long is over.
    const SILENT: Duration = Duration::from_secs(5);

    /// No bar yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How far a stage is; `done` = 0 begins it anew.
    pub fn hear(&self, stage: &'static str, done: u64, total: Option<u64>) {
        let now = Instant::now();
        let mut stages = self.stages.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let ended = |shown: &Shown| match shown.stage == stage {
            true => done == 0 || total == Some(done),
            false => now.saturating_duration_since(shown.heard) > Self::SILENT,
        };
        stages.retain(|shown| !ended(shown));
        if total == Some(done) {
            return;
        }
        let at = stages.iter().position(|shown| shown.stage == stage).unwrap_or_else(|| {
            stages.push(Shown { stage, begun: now, heard: now, bar: None });
            stages.len() - 1
        });
        let shown = &mut stages[at];
        shown.heard = now;
        if shown.bar.is_none() && now.saturating_duration_since(shown.begun) > Self::BEFORE {
            shown.bar = Some(drawn(stage.to_owned(), total));
        }
        if let Some(bar) = &shown.bar {
            bar.set_position(done);
        }
    }

    /// All bars go.
    pub fn clear(&self) {
        self.stages.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
    }
}

/// The time left on a bar; unknown until a step is done.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let words = match state.pos() {
        0 => "unknown time".to_owned(),
        _ => duration(Duration::from_secs(state.eta().as_secs())),
    };
    // A bar that cannot be drawn is no reason to stop the work.
    let _ = out.write_str(&words);
}

/// Whether the last plain line is long enough ago; if so, this one becomes the last.
fn line_is_due() -> bool {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    due(&mut last, Instant::now())
}

fn due(last: &mut Option<Instant>, now: Instant) -> bool {
    let due = now.saturating_duration_since(*last.get_or_insert(now)) >= BETWEEN_LINES;
    if due {
        *last = Some(now);
    }
    due
}

/// All bars of this process, so that they and log lines do not write over each other.
fn bars() -> &'static MultiProgress {
    static BARS: OnceLock<MultiProgress> = OnceLock::new();
    BARS.get_or_init(MultiProgress::new)
}

/// Standard error for log lines: any bar steps aside while a line is written.
#[derive(Debug, Default)]
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        bars().suspend(|| std::io::stderr().write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        std::io::stderr().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_steps_and_ends_its_ticker() {
        let progress = TerminalProgress::new("work", "steps", 3);
        progress.step();
        progress.step();
        assert_eq!(progress.work.done.load(Ordering::Relaxed), 2);
        let work = Arc::clone(&progress.work);
        progress.finish();
        assert!(work.ended.load(Ordering::Relaxed));
        // The ticker has been joined, so ours is the only handle left.
        assert_eq!(Arc::strong_count(&work), 1);
    }

    #[test]
    fn stages_come_and_go() {
        let bars = StageBars::new();
        let open = |bars: &StageBars| {
            let stages = bars.stages.lock().expect("nobody panicked");
            stages.iter().map(|shown| (shown.stage, shown.bar.is_some())).collect::<Vec<_>>()
        };
        bars.hear("outer", 0, Some(2));
        bars.hear("inner", 3, None);
        assert_eq!(open(&bars), [("outer", false), ("inner", false)], "young stages are not drawn");
        bars.stages.lock().expect("nobody panicked")[0].begun -= StageBars::BEFORE * 2;
        bars.hear("outer", 1, Some(2));
        assert_eq!(open(&bars), [("outer", true), ("inner", false)]);
        bars.hear("outer", 2, Some(2));
        assert_eq!(open(&bars), [("inner", false)], "what is done goes");
        bars.clear();
        assert!(open(&bars).is_empty());
    }

    #[test]
    fn lines_keep_their_distance() {
        let start = Instant::now();
        let mut last = None;
        let seconds = [0, 9, 10, 11, 19, 20, 45];
        let lines = seconds.map(|s| due(&mut last, start + Duration::from_secs(s)));
        assert_eq!(lines, [false, false, true, false, false, true, true]);
    }
}
