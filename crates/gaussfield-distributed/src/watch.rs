//! A rank that cannot be heard any more ends the job.

use crate::mpi::{LastWords, Limits};
use ferrompi::Communicator;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const BEAT: i32 = 3;

/// How often a member says that it is there, and looks whether another does.
const BEATS: Duration = Duration::from_millis(500);

/// The exit status of a job that was ended because a member did not answer, or took too long.
const SILENT: i32 = 86;

/// Listens to the rank before this one, and tells the next that this one is there.
pub(crate) struct Watch<'a> {
    beats: &'a Communicator,
    limits: Limits,
    begun: Instant,
    say: LastWords,
}

impl<'a> Watch<'a> {
    /// From now on; on a communicator that nobody else uses.
    pub(crate) fn new(beats: &'a Communicator, limits: Limits, say: LastWords) -> Self {
        Self { beats, limits, begun: Instant::now(), say }
    }

    fn next(&self) -> i32 {
        (self.beats.rank() + 1) % self.beats.size()
    }

    fn before(&self) -> i32 {
        (self.beats.rank() + self.beats.size() - 1) % self.beats.size()
    }

    /// One beat around before anything else, so that the ways are open.
    pub(crate) fn greet(&self) {
        let mut beat = [0_u8];
        let (next, before) = (self.next(), self.before());
        self.sound(self.beats.sendrecv(&[0_u8], next, BEAT, &mut beat, before, BEAT));
    }

    /// Says that this rank is there; at last, that it has ended. On a thread of its own, for where the
    /// network is cut it may wait for ever.
    pub(crate) fn beat(&self, done: &AtomicBool) {
        loop {
            let over = done.load(Ordering::Acquire);
            self.sound(self.beats.send(&[u8::from(over)], self.next(), BEAT));
            if over {
                return;
            }
            thread::sleep(BEATS);
        }
    }

    /// Ends the job if the rank before is silent. Nothing here waits for anybody.
    pub(crate) fn listen(&self, done: &AtomicBool) {
        let (rank, before) = (self.beats.rank(), self.before());
        let mut heard = Instant::now();
        let mut ended = false;
        loop {
            while !ended && self.sound(self.beats.iprobe::<u8>(before, BEAT)).is_some() {
                let mut beat = [0_u8];
                self.sound(self.beats.recv(&mut beat, before, BEAT));
                ended = beat[0] == 1;
                heard = Instant::now();
            }
            let over = done.load(Ordering::Acquire);
            if ended && over {
                return;
            }
            if !ended && heard.elapsed() > self.limits.silence {
                self.end(&format!(
                    "member {before} was not heard by member {rank} for {} s (is its machine down, or the \
                     network?): the job ends; start it again to go on from the last stage",
                    heard.elapsed().as_secs()
                ));
            }
            if let Some(limit) = self.limits.whole.filter(|limit| self.begun.elapsed() > *limit) {
                self.end(&format!("the job takes longer than {} s", limit.as_secs()));
            }
            // A job that is over ends within a moment.
            thread::sleep(if over { BEATS / 50 } else { BEATS / 5 });
        }
    }

    fn sound<T>(&self, result: Result<T, ferrompi::Error>) -> T {
        match result {
            Ok(value) => value,
            Err(error) => self.end(&error.to_string()),
        }
    }

    /// Says why, and ends what there is of the job on this machine. `MPI_Abort` would ask the launcher,
    /// and the launcher waits for the machine that does not answer: so it is ended too.
    fn end(&self, why: &str) -> ! {
        (self.say)(why);
        let own = std::process::id().to_string();
        let mut doomed: Vec<String> = launcher().into_iter().collect();
        doomed.push(own);
        // Words on their way through the launcher still come out.
        thread::sleep(Duration::from_secs(1));
        let _ = std::process::Command::new("kill").arg("-9").args(doomed).status();
        self.beats.abort(SILENT)
    }
}

/// The process that started this rank, if it is one that starts ranks.
fn launcher() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().to_owned();
    let name = std::fs::read_to_string(format!("/proc/{parent}/comm")).ok()?;
    let known = ["mpirun", "mpiexec", "orterun", "orted", "prte", "prted", "hydra_pmi_proxy"];
    known.contains(&name.trim()).then_some(parent)
}
