//! Members that are the ranks of an MPI job.

use crate::World;
use crate::watch::Watch;
use ferrompi::{Communicator, ThreadLevel};
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Most bytes of one message: MPI counts by 31 bits.
const PIECE: usize = 1 << 30;
const PARCEL: i32 = 1;
const NUMBERS: i32 = 2;

/// How the last words of a job reach its user: it cannot go on, and nobody is left to return them to.
pub type LastWords = fn(&str);

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
    say: LastWords,
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank(), self.size())
    }
}

/// Does the work as one rank of an MPI job and gives its exit code. Words that no error can carry go to
/// `say`.
///
/// A panic on one rank ends them all, and so does a rank that cannot be heard any more: each listens
/// to the one before it, on a thread of its own.
pub fn run(limits: Limits, say: LastWords, work: impl FnOnce(&Mpi) -> ExitCode) -> ExitCode {
    let fail = |words: &str| {
        say(words);
        ExitCode::FAILURE
    };
    let mpi = match ferrompi::Mpi::init_thread(ThreadLevel::Multiple) {
        Ok(mpi) => mpi,
        Err(error) => return fail(&format!("MPI does not start: {error}")),
    };
    let world = Mpi { world: mpi.world(), say };
    let multiple = mpi.thread_level() == ThreadLevel::Multiple;
    let beats = match world.world.duplicate() {
        Ok(beats) => beats,
        Err(error) => return fail(&format!("MPI has no room for another communicator: {error}")),
    };
    let done = AtomicBool::new(false);
    let watch = Watch::new(&beats, limits, say);
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

impl Mpi {
    /// Ends the whole job where MPI reports an error: the others may wait for this rank.
    fn sound<T>(&self, result: Result<T, ferrompi::Error>) -> T {
        result.unwrap_or_else(|error| self.end(&format!("member {}: {error}", self.rank())))
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

    fn end(&self, why: &str) -> ! {
        (self.say)(why);
        self.world.abort(1)
    }
}
