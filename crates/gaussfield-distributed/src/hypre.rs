//! BoomerAMG of hypre as a preconditioner: the only foreign functions of this crate.
//!
//! The calls themselves are in `hypre.c`, compiled against the headers that are installed. What this
//! module must keep, and does:
//! - MPI is running and its world is the job: a system is only made by members of an [`Mpi`] job, and
//!   the value that holds MPI open outlives it.
//! - Arrays have the lengths that are passed with them; all of it is copied before a call returns.
//! - One thread at a time, for hypre keeps state: a lock, though only one thread ever asks.
//! - No panic and no exception crosses the border: there are no callbacks.
//!
//! [`Mpi`]: crate::Mpi

#![allow(unsafe_code)]

use crate::DistributedError;
use crate::system::System;
use gaussfield_laplacian::shared::{Block, Operator, Precondition};
use std::ptr::{NonNull, null_mut};
use std::sync::Mutex;

#[repr(C)]
struct Opaque {
    _private: [u8; 0],
}

unsafe extern "C" {
    fn gf_multigrid_new(
        first: i64,
        count: i32,
        sizes: *const i32,
        columns: *const i64,
        values: *const f64,
        made: *mut *mut Opaque,
        call: *mut i32,
    ) -> i32;
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

/// One V-cycle on D − W + diag(e). The matrix is assembled for this alone: residuals and certificate
/// are those of the rows in difference form, for here weak links are lost in the subtraction.
#[derive(Debug)]
pub(crate) struct Multigrid {
    handle: Mutex<Handle>,
    rows: usize,
}

impl Multigrid {
    /// A call of all members.
    pub(crate) fn new(system: &System) -> Result<Self, DistributedError> {
        let rows = system.rows.rows();
        let (mut sizes, mut columns, mut values) =
            (Vec::with_capacity(rows), Vec::new(), Vec::new());
        for row in 0..rows {
            let (places, weights) = system.rows.row(row);
            columns.push((system.first + row as u64) as i64);
            values.push(system.rows.diagonal()[row]);
            for (&place, &weight) in places.iter().zip(weights) {
                let place = place as usize;
                let column = match place < rows {
                    true => system.first + place as u64,
                    false => system.halo.ghosts[place - rows],
                };
                columns.push(column as i64);
                values.push(-weight);
            }
            sizes.push(1 + places.len() as i32);
        }
        let count = i32::try_from(rows).map_err(|_| DistributedError::NoRows {
            member: 0,
            members: 1,
            rows: rows as u64,
        })?;
        let (mut made, mut call) = (null_mut(), 0);
        // SAFETY: `sizes` has `count` entries whose sum is the length of `columns` and of `values`; both
        // out-parameters are valid; MPI runs, as the module says.
        let code = unsafe {
            gf_multigrid_new(
                system.first as i64,
                count,
                sizes.as_ptr(),
                columns.as_ptr(),
                values.as_ptr(),
                &raw mut made,
                &raw mut call,
            )
        };
        // Owned before anything else, so that a half-made one is freed too.
        let handle = NonNull::new(made).map(Handle);
        match handle {
            Some(handle) if code == 0 => Ok(Self { handle: Mutex::new(handle), rows }),
            _ => Err(DistributedError::Hypre { call: name(call), code }),
        }
    }
}

impl Precondition for Multigrid {
    /// A column, before and after.
    type Scratch = (Vec<f64>, Vec<f64>);

    fn scratch(&self, _: usize) -> Self::Scratch {
        (vec![0.0; self.rows], vec![0.0; self.rows])
    }

    fn apply(&self, r: &Block, z: &mut Block, (before, after): &mut Self::Scratch) {
        let width = r.width();
        let handle = self.handle.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        for column in 0..width {
            let of_column = r.data().iter().skip(column).step_by(width);
            before.iter_mut().zip(of_column).for_each(|(to, from)| *to = *from);
            let mut call = 0;
            // SAFETY: both arrays have a number for each row that the object was made with.
            let code = unsafe {
                let (r, z) = (before.as_ptr(), after.as_mut_ptr());
                gf_multigrid_apply(handle.0.as_ptr(), r, z, &raw mut call)
            };
            // Others wait in the same call: going on alone is not possible, and the panic ends the job.
            assert_eq!(code, 0, "hypre failed in {}", name(call));
            let of_column = z.data_mut().iter_mut().skip(column).step_by(width);
            of_column.zip(&*after).for_each(|(to, from)| *to = *from);
        }
    }
}

/// What the numbers of `hypre.c` stand for.
fn name(call: i32) -> &'static str {
    match call {
        1..=3 => "HYPRE_IJMatrix",
        4 | 5 => "HYPRE_IJVectorCreate",
        6 | 7 => "HYPRE_BoomerAMGCreate",
        8 => "HYPRE_BoomerAMGSetup",
        9 => "HYPRE_IJVectorSetValues",
        10 => "HYPRE_BoomerAMGSolve",
        11 => "HYPRE_IJVectorGetValues",
        _ => "the allocation of memory",
    }
}
