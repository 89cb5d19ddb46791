//! BoomerAMG of hypre as a preconditioner: the only foreign functions of this crate.
//!
//! The calls themselves are in `hypre.c`, compiled against the headers that are installed. What this
//! module must keep, and does:
//! - MPI is running and its world is the job: `gf_multigrid_new` looks, and refuses members that are
//!   threads of a process. The value that holds MPI open outlives the work.
//! - Arrays have the lengths that are passed with them; all of it is copied before a call returns.
//! - One thread at a time, for hypre keeps state: a lock, though only one thread ever asks.
//! - No panic and no exception crosses the border: there are no callbacks.
//! - After each step all members learn whether one of them failed, so that none waits in the next for
//!   one that will not come.

#![allow(unsafe_code)]

use crate::system::System;
use crate::{DistributedError, World, agree};
use gaussfield_laplacian::shared::{Block, Operator};
use std::ops::Range;
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long one that failed inside a call of all members waits for the others to come out of it.
const GRACE: Duration = Duration::from_secs(5);
/// Rows that are handed over together.
const TOGETHER: usize = 1 << 13;

#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn gf_multigrid_new(
        rank: i32,
        size: i32,
        first: i64,
        count: i32,
        made: *mut *mut Opaque,
        call: *mut i32,
    ) -> i32;
    fn gf_multigrid_matrix(m: *mut Opaque, call: *mut i32) -> i32;
    fn gf_multigrid_sizes(
        m: *mut Opaque,
        own: *const i32,
        others: *const i32,
        call: *mut i32,
    ) -> i32;
    fn gf_multigrid_fill(
        m: *mut Opaque,
        from: i32,
        count: i32,
        sizes: *mut i32,
        columns: *const i64,
        values: *const f64,
        call: *mut i32,
    ) -> i32;
    fn gf_multigrid_settings(m: *mut Opaque, call: *mut i32) -> i32;
    fn gf_multigrid_assemble(m: *mut Opaque, call: *mut i32) -> i32;
    fn gf_multigrid_setup(m: *mut Opaque, call: *mut i32) -> i32;
    fn gf_multigrid_apply(m: *mut Opaque, r: *const f64, z: *mut f64, call: *mut i32) -> i32;
    fn gf_multigrid_free(m: *mut Opaque);
}

/// Owns what hypre made.
#[derive(Debug)]
struct Handle(NonNull<Opaque>);

// SAFETY: hypre keeps nothing of the thread that made an object; the lock around it lets one thread in
// at a time.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the pointer came from gf_multigrid_new and is freed once, here.
        unsafe { gf_multigrid_free(self.0.as_ptr()) }
    }
}

impl Handle {
    /// Room for the rows of this member.
    fn new(world: &impl World, first: u64, rows: usize) -> Result<Self, DistributedError> {
        let size = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
        let (mut made, mut call) = (null_mut(), 0);
        // SAFETY: both out-parameters are valid. That MPI runs is looked at there.
        let code = unsafe {
            let (rank, members) = (size(world.rank()), size(world.size()));
            let first = first as i64;
            gf_multigrid_new(rank, members, first, size(rows), &raw mut made, &raw mut call)
        };
        // Owned before anything else, so that a half-made one is freed too.
        let handle = NonNull::new(made).map(Self);
        sound(code, call)?;
        handle.ok_or(DistributedError::Hypre { call: name(2), code })
    }

    /// One of the calls that need nothing but what was made.
    fn step(
        &self,
        step: unsafe extern "C" fn(*mut Opaque, *mut i32) -> i32,
    ) -> Result<(), DistributedError> {
        let mut call = 0;
        // SAFETY: the pointer is that of gf_multigrid_new, and the steps are made in their order.
        let code = unsafe { step(self.0.as_ptr(), &raw mut call) };
        sound(code, call)
    }

    /// The entries of all rows, some thousand rows at a time: together they take as much as the matrix.
    fn fill(&self, system: &System) -> Result<(), DistributedError> {
        let count = system.rows.rows();
        let (mut own, mut others) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for row in 0..count {
            let places = system.rows.row(row).0;
            let inside = places.iter().filter(|&&place| (place as usize) < count).count();
            own.push(1 + inside as i32);
            others.push((places.len() - inside) as i32);
        }
        let mut call = 0;
        // SAFETY: there is a number in both arrays for each row.
        let code = unsafe {
            let (own, others) = (own.as_ptr(), others.as_ptr());
            gf_multigrid_sizes(self.0.as_ptr(), own, others, &raw mut call)
        };
        sound(code, call)?;
        for from in (0..count).step_by(TOGETHER) {
            let mut rows = Rows::new(system, from..count.min(from + TOGETHER));
            let mut call = 0;
            // SAFETY: there is a size for each row from the first, and they add up to the length of both
            // other arrays; the object has at least as many rows.
            let code = unsafe {
                let Rows { sizes, columns, values } = &mut rows;
                let (from, count) = (from as i32, sizes.len() as i32);
                let (columns, values) = (columns.as_ptr(), values.as_ptr());
                let sizes = sizes.as_mut_ptr();
                gf_multigrid_fill(
                    self.0.as_ptr(),
                    from,
                    count,
                    sizes,
                    columns,
                    values,
                    &raw mut call,
                )
            };
            sound(code, call)?;
        }
        self.step(gf_multigrid_settings)
    }
}

fn sound(code: i32, call: i32) -> Result<(), DistributedError> {
    match (code, call) {
        (0, _) => Ok(()),
        (_, 1) => Err(DistributedError::NoRanks),
        _ => Err(DistributedError::Hypre { call: name(call), code }),
    }
}

/// Some rows of D − W + diag(e), assembled.
struct Rows {
    sizes: Vec<i32>,
    columns: Vec<i64>,
    values: Vec<f64>,
}

impl Rows {
    fn new(system: &System, range: Range<usize>) -> Self {
        let count = system.rows.rows();
        let mut rows = Self { sizes: Vec::new(), columns: Vec::new(), values: Vec::new() };
        for row in range {
            let (places, weights) = system.rows.row(row);
            rows.columns.push((system.first + row as u64) as i64);
            rows.values.push(system.rows.diagonal()[row]);
            for (&place, &weight) in places.iter().zip(weights) {
                let place = place as usize;
                let column = match place < count {
                    true => system.first + place as u64,
                    false => system.halo.ghosts[place - count],
                };
                rows.columns.push(column as i64);
                rows.values.push(-weight);
            }
            rows.sizes.push(1 + places.len() as i32);
        }
        rows
    }
}

/// Refuses more entries than hypre counts.
fn countable(system: &System) -> Result<(), DistributedError> {
    let stored = system.rows.rows() + system.rows.stored();
    match i32::try_from(stored) {
        Ok(_) => Ok(()),
        Err(_) => Err(DistributedError::TooManyEntries { stored: stored as u64 }),
    }
}

/// One V-cycle on D − W + diag(e). The matrix is assembled for this alone: residuals and certificate
/// are those of the rows in difference form, for here weak links are lost in the subtraction.
#[derive(Debug)]
pub(crate) struct Multigrid<'a, W> {
    world: &'a W,
    inner: Mutex<Inner>,
}

/// What hypre made, and a column before and after.
#[derive(Debug)]
struct Inner {
    handle: Handle,
    before: Vec<f64>,
    after: Vec<f64>,
}

impl<'a, W: World> Multigrid<'a, W> {
    /// A call of all members.
    pub(crate) fn new(world: &'a W, system: &System) -> Result<Self, DistributedError> {
        let rows = system.rows.rows();
        let made = countable(system).and_then(|()| Handle::new(world, system.first, rows));
        let handle = agree(world, made)?;
        in_time(world, handle.step(gf_multigrid_matrix))?;
        agree(world, handle.fill(system))?;
        in_time(world, handle.step(gf_multigrid_assemble))?;
        in_time(world, handle.step(gf_multigrid_setup))?;
        let (before, after) = (vec![0.0; rows], vec![0.0; rows]);
        Ok(Self { world, inner: Mutex::new(Inner { handle, before, after }) })
    }

    /// z = M⁻¹ r, a column at a time. A call of all members.
    pub(crate) fn apply(&self, r: &Block, z: &mut Block) {
        let width = r.width();
        let mut inner = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Inner { handle, before, after } = &mut *inner;
        for column in 0..width {
            let of_column = r.data().iter().skip(column).step_by(width);
            before.iter_mut().zip(of_column).for_each(|(to, from)| *to = *from);
            let mut call = 0;
            // SAFETY: both arrays have a number for each row that the object was made with.
            let code = unsafe {
                let (r, z) = (before.as_ptr(), after.as_mut_ptr());
                gf_multigrid_apply(handle.0.as_ptr(), r, z, &raw mut call)
            };
            if let Err(error) = sound(code, call) {
                // Others wait in the same call, and there is no going on alone.
                self.world.end(&ended(self.world, &error));
            }
            let of_column = z.data_mut().iter_mut().skip(column).step_by(width);
            of_column.zip(&*after).for_each(|(to, from)| *to = *from);
        }
    }
}

/// Goes on only if no member failed inside a call of all of them. The others may still be in there,
/// waiting for one that left: then the job ends.
fn in_time<W: World>(world: &W, own: Result<(), DistributedError>) -> Result<(), DistributedError> {
    let Err(error) = own else { return agree(world, Ok::<_, DistributedError>(())) };
    let why = ended(world, &error);
    thread::scope(|scope| {
        let (out, still_in) = channel::<()>();
        scope.spawn(move || {
            if still_in.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
                world.end(&why);
            }
        });
        let agreed = agree(world, Err(error));
        drop(out);
        agreed
    })
}

/// What is said of a job that ends because of one member.
fn ended(world: &impl World, error: &DistributedError) -> String {
    format!("member {} of {}: {error}: the job ends", world.rank(), world.size())
}

/// What the numbers of `hypre.c` stand for.
fn name(call: i32) -> &'static str {
    match call {
        3 => "HYPRE_IJMatrixCreate",
        4 => "HYPRE_IJMatrixSetValues",
        5 => "HYPRE_BoomerAMGCreate",
        6 => "HYPRE_IJMatrixAssemble",
        7 => "HYPRE_IJVectorCreate",
        8 => "HYPRE_BoomerAMGSetup",
        9 => "HYPRE_IJVectorSetValues",
        10 => "HYPRE_BoomerAMGSolve",
        11 => "HYPRE_IJVectorGetValues",
        _ => "the allocation of memory",
    }
}
