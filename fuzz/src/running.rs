//! How long this process has really run.

use std::time::{Duration, Instant};

/// The stretches that are compared: a process counts its own time in hundredths of a second.
const STRETCH: Duration = Duration::from_secs(1);

/// Counts the time in which the process ran: of each stretch of time its processor time or the time
/// on the clock, whichever is less. Neither waiting for others nor a second thread counts. Where the system does
/// not tell the processor time, it is the time on the clock.
#[derive(Debug)]
pub struct Running {
    since: Instant,
    used: Option<Duration>,
    counted: Duration,
}

impl Running {
    /// Begins at zero.
    #[must_use]
    pub fn new() -> Self {
        Self { since: Instant::now(), used: used(), counted: Duration::ZERO }
    }

    /// The time so far, to within a second.
    pub fn so_far(&mut self) -> Duration {
        let clock = self.since.elapsed();
        if clock >= STRETCH {
            let used = used();
            self.counted += counted(clock, self.used, used);
            (self.since, self.used) = (Instant::now(), used);
        }
        self.counted
    }
}

impl Default for Running {
    fn default() -> Self {
        Self::new()
    }
}

fn counted(clock: Duration, before: Option<Duration>, now: Option<Duration>) -> Duration {
    match (before, now) {
        (Some(before), Some(now)) => clock.min(now.saturating_sub(before)),
        _ => clock,
    }
}

/// Processor time of this process, all its threads together.
fn used() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold anything.
    let (_, fields) = told.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut hundredths = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (hundredths()? + hundredths()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_waiting_nor_a_second_thread_counts() {
        let seconds = Duration::from_secs;
        assert_eq!(counted(seconds(10), Some(seconds(1)), Some(seconds(4))), seconds(3));
        assert_eq!(counted(seconds(10), Some(seconds(1)), Some(seconds(21))), seconds(10));
        assert_eq!(counted(seconds(10), None, Some(seconds(4))), seconds(10));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn sleep_is_not_counted() {
        let mut running = Running::new();
        std::thread::sleep(Duration::from_millis(1300));
        assert!(running.so_far() < Duration::from_millis(900), "{running:?}");
        let start = Instant::now();
        let mut sum = 0_u64;
        while used().is_some_and(|now| now < running.used.unwrap_or(now) + STRETCH) {
            sum = (0..1_000_000).fold(sum, |sum, i| std::hint::black_box(sum ^ i));
        }
        assert!(
            start.elapsed() >= Duration::from_millis(900),
            "one thread runs no faster than the clock"
        );
        assert!(running.so_far() >= Duration::from_millis(900), "{running:?}");
    }
}
