//! Members that are threads of one process.
//!
//! They share nothing but what they send each other, so that all that runs on several machines runs
//! here too, without MPI: this is how it is tested, and how one machine serves a graph of its own.

use crate::World;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What a member says of another that is gone.
const ENDED: &str = "has ended";

/// What goes from one thread to another.
#[derive(Debug)]
enum Parcel {
    Bytes(Vec<u8>),
    Numbers(Vec<f64>),
}

/// One of several threads that work together; see [`together`].
#[derive(Debug)]
pub struct Crew {
    rank: usize,
    to: Vec<Sender<Parcel>>,
    from: Vec<Mutex<Receiver<Parcel>>>,
}

/// Does the work on so many threads, each with its own [`Crew`]; gives what each made of it, by rank.
///
/// ```
/// use gaussfield_distributed::{World, sum, together};
///
/// let sums = together(3, |world| {
///     let mut own = [world.rank() as f64];
///     sum(world, &mut own);
///     own[0]
/// });
/// assert_eq!(sums, [3.0, 3.0, 3.0]);
/// ```
///
/// # Panics
/// If one of them does; the others then end where they wait for it.
pub fn together<R: Send>(members: usize, work: impl Fn(&Crew) -> R + Sync) -> Vec<R> {
    let mut crew: Vec<Crew> =
        (0..members).map(|rank| Crew { rank, to: Vec::new(), from: Vec::new() }).collect();
    for from in 0..members {
        for to in 0..members {
            let (sender, receiver) = channel();
            crew[from].to.push(sender);
            crew[to].from.push(Mutex::new(receiver));
        }
    }
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            crew.into_iter().map(|member| scope.spawn(move || work(&member))).collect();
        let (mut made, mut panics) = (Vec::new(), Vec::new());
        for thread in threads {
            match thread.join() {
                Ok(own) => made.push(own),
                Err(panic) => panics.push(panic),
            }
        }
        // The one that others ended for comes first.
        panics.sort_by_key(|panic| {
            panic.downcast_ref::<String>().is_some_and(|s| s.ends_with(ENDED))
        });
        match panics.into_iter().next() {
            Some(panic) => resume_unwind(panic),
            None => made,
        }
    })
}

impl Crew {
    fn send(&self, to: usize, parcel: Parcel) {
        assert!(self.to[to].send(parcel).is_ok(), "member {to} {ENDED}");
    }

    fn receive(&self, from: usize) -> Parcel {
        let receiver = self.from[from].lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match receiver.recv() {
            Ok(parcel) => parcel,
            Err(_) => panic!("member {from} {ENDED}"),
        }
    }
}

impl World for Crew {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn swap(&self, parcels: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        assert_eq!(parcels.len(), self.size(), "a parcel for each member");
        for (to, parcel) in parcels.into_iter().enumerate() {
            self.send(to, Parcel::Bytes(parcel));
        }
        let receive = |from: usize| match self.receive(from) {
            Parcel::Bytes(bytes) => bytes,
            Parcel::Numbers(_) => panic!("member {from} trades where member {} swaps", self.rank),
        };
        (0..self.size()).map(receive).collect()
    }

    fn trade(&self, sends: &[(usize, Vec<f64>)], receives: &mut [(usize, &mut [f64])]) {
        for (to, numbers) in sends {
            self.send(*to, Parcel::Numbers(numbers.clone()));
        }
        for (from, into) in receives {
            match self.receive(*from) {
                Parcel::Numbers(numbers) => into.copy_from_slice(&numbers),
                Parcel::Bytes(_) => panic!("member {from} swaps where member {} trades", self.rank),
            }
        }
    }

    fn gather(&self, own: &[f64]) -> Vec<f64> {
        crate::world::all(self, own).concat()
    }

    fn end(&self, why: &str) -> ! {
        panic!("{why}")
    }
}
