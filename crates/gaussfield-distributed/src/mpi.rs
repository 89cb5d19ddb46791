//! Members that are the ranks of an MPI job.

use crate::World;
use ferrompi::{Communicator, ThreadLevel};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Most bytes of one message: MPI counts by 31 bits.
const PIECE: usize = 1 << 30;
const PARCEL: i32 = 1;
const NUMBERS: i32 = 2;
const BEAT: i32 = 3;

/// How often a member says that it is there, and looks whether another does.
const BEATS: Duration = Duration::from_millis(500);

/// The exit status of a job that was ended because a member did not answer, or took too long.
const SILENT: i32 = 86;

/// When a job is ended that does not end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long a member may be silent. MPI waits for ever where a cable is cut. Default 30 s.
    pub silence: Duration,
    /// How long the whole job may take. Default: as long as it likes.
    pub whole: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { silence: Duration::from_secs(30), whole: None }
    }
}

/// One rank of an MPI job; see [`run`].
pub struct Mpi {
    world: Communicator,
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

/// Does the work as one rank of an MPI job and gives its exit code.
///
/// A panic on one rank ends them all, and so does a rank that cannot be heard any more: each listens
/// to the one before it, on a thread of its own.
pub fn run(limits: Limits, work: impl FnOnce(&Mpi) -> ExitCode) -> ExitCode {
    let mpi = match ferrompi::Mpi::init_thread(ThreadLevel::Multiple) {
        Ok(mpi) => mpi,
        Err(error) => return fail(&format!("MPI does not start: {error}")),
    };
    let world = Mpi { world: mpi.world() };
    let multiple = mpi.thread_level() == ThreadLevel::Multiple;
    let beats = match world.world.duplicate() {
        Ok(beats) => beats,
        Err(error) => return fail(&format!("MPI has no room for another communicator: {error}")),
    };
    let done = AtomicBool::new(false);
    let watch = Watch { beats: &beats, limits, begun: Instant::now() };
    thread::scope(|scope| {
        if multiple && world.size() > 1 {
            watch.greet();
            scope.spawn(|| watch.beat(&done));
            scope.spawn(|| watch.listen(&done));
        } else if !multiple && world.rank() == 0 {
            say("this MPI allows no threads: a member that falls silent will not be noticed");
        }
        let end = panic::catch_unwind(AssertUnwindSafe(|| work(&world)));
        let Ok(code) = end else {
            say(&format!("member {} panicked: the job ends", world.rank()));
            world.world.abort(101)
        };
        done.store(true, Ordering::Release);
        code
    })
}

#[allow(clippy::print_stderr)] // the last words of a job that cannot go on
fn say(words: &str) {
    eprintln!("gaussfield-mpi: {words}");
}

fn fail(words: &str) -> ExitCode {
    say(words);
    ExitCode::FAILURE
}

impl Mpi {
    /// Ends the whole job where MPI reports an error: the others may wait for this rank.
    fn sound<T>(&self, result: Result<T, ferrompi::Error>) -> T {
        result.unwrap_or_else(|error| {
            say(&format!("member {}: {error}", self.rank()));
            self.world.abort(1)
        })
    }
}

impl World for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn swap(&self, mut parcels: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(parcels.len(), self.size(), "a parcel for each member");
        let counts: Vec<u64> = parcels.iter().map(|parcel| parcel.len() as u64).collect();
        let mut theirs = vec![0; self.size()];
        self.sound(self.world.alltoall(&counts, &mut theirs));
        let mut received: Vec<Vec<u8>> =
            theirs.iter().map(|&count| vec![0; count as usize]).collect();
        let me = self.rank();
        received[me] = std::mem::take(&mut parcels[me]);
        self.sound(ferrompi::scope(|scope| {
            for (from, parcel) in received.iter_mut().enumerate().filter(|&(rank, _)| rank != me) {
                for piece in parcel.chunks_mut(PIECE) {
                    self.world.irecv(scope, piece, from as i32, PARCEL)?;
                }
            }
            for (to, parcel) in parcels.iter().enumerate() {
                for piece in parcel.chunks(PIECE) {
                    self.world.isend(scope, piece, to as i32, PARCEL)?;
                }
            }
            Ok(())
        }));
        received
    }

    fn trade(&self, sends: &[(usize, Vec<f64>)], receives: &mut [(usize, &mut [f64])]) {
        self.sound(ferrompi::scope(|scope| {
            for (from, into) in receives.iter_mut() {
                for piece in into.chunks_mut(PIECE / 8) {
                    self.world.irecv(scope, piece, *from as i32, NUMBERS)?;
                }
            }
            for (to, numbers) in sends {
                for piece in numbers.chunks(PIECE / 8) {
                    self.world.isend(scope, piece, *to as i32, NUMBERS)?;
                }
            }
            Ok(())
        }));
    }

    fn gather(&self, own: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; own.len() * self.size()];
        if !own.is_empty() {
            self.sound(self.world.allgather(own, &mut all));
        }
        all
    }
}

/// Listens to the rank before this one, and tells the next that this one is there.
struct Watch<'a> {
    beats: &'a Communicator,
    limits: Limits,
    begun: Instant,
}

impl Watch<'_> {
    fn next(&self) -> i32 {
        (self.beats.rank() + 1) % self.beats.size()
    }

    fn before(&self) -> i32 {
        (self.beats.rank() + self.beats.size() - 1) % self.beats.size()
    }

    /// One beat around before anything else, so that the ways are open.
    fn greet(&self) {
        let mut beat = [0_u8];
        let (next, before) = (self.next(), self.before());
        self.sound(self.beats.sendrecv(&[0_u8], next, BEAT, &mut beat, before, BEAT));
    }

    /// Says that this rank is there; at last, that it has ended. On a thread of its own, for where the
    /// network is cut it may wait for ever.
    fn beat(&self, done: &AtomicBool) {
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
    fn listen(&self, done: &AtomicBool) {
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
        say(why);
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
