//! For tests: the n-th call to the system fails, below one folder.
//!
//! Every write of this workspace goes through the same few calls (a folder made, a file created,
//! written, synced, renamed, its folder synced). A test counts those of some work, and then does the
//! work once for each of them and each [`Fault`]: whatever fails, a file is there whole or not at all.
//!
//! ```
//! use gaussfield_core::files::{faults::{Fault, Faults}, write_atomically};
//!
//! let folder = std::env::temp_dir().join(format!("gaussfield-faults-{}", std::process::id()));
//! let file = folder.join("file");
//! write_atomically(&file, b"old").unwrap();
//! let full = Faults::below(&folder, Fault::NoSpace, 2);
//! assert!(write_atomically(&file, b"new").is_err());
//! assert_eq!(std::fs::read(&file)?, b"old");
//! assert!(full.struck());
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), std::io::Error>(())
//! ```

use super::disk::{Call, Limit, parent};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

/// What happens at the chosen call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The call fails for want of space; a write takes half of its bytes before it does.
    NoSpace,
    /// The call fails with an input/output error.
    InputOutput,
    /// A write takes half of its bytes, and says so. Other calls succeed.
    ShortWrite,
    /// The process ends before the call: neither it nor any later one is made.
    Killed,
    /// The power fails before the call. Of files that were not synced half is left; names have
    /// reached the disk.
    PowerCut,
    /// The power fails before the call. Of files that were not synced half is left, and names that
    /// were not synced with their folder are as they were before.
    PowerCutBeforeNames,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::NoSpace,
        Self::InputOutput,
        Self::ShortWrite,
        Self::Killed,
        Self::PowerCut,
        Self::PowerCutBeforeNames,
    ];

    /// Whether nothing happens any more afterwards.
    fn is_end(self) -> bool {
        matches!(self, Self::Killed | Self::PowerCut | Self::PowerCutBeforeNames)
    }
}

/// A fault that waits for its call, as long as this value lives. Calls of all threads count.
#[derive(Debug)]
pub struct Faults {
    plan: Arc<Mutex<Plan>>,
}

#[derive(Debug)]
struct Plan {
    folder: PathBuf,
    fault: Option<Fault>,
    /// The call, from 0.
    at: usize,
    calls: usize,
    struck: bool,
    /// Files whose bytes may not have reached the disk.
    unsynced: Vec<PathBuf>,
    /// Names that may not have reached it, and what had them before.
    names: Vec<(PathBuf, Option<Vec<u8>>)>,
}

static PLANS: Mutex<Vec<Arc<Mutex<Plan>>>> = Mutex::new(Vec::new());

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Faults {
    /// The fault happens at the call with this number, from 0, among those below the folder.
    pub fn below(folder: &Path, fault: Fault, call: usize) -> Self {
        Self::new(folder, Some(fault), call)
    }

    /// No fault, but the calls below the folder are counted.
    pub fn counting(folder: &Path) -> Self {
        Self::new(folder, None, 0)
    }

    fn new(folder: &Path, fault: Option<Fault>, at: usize) -> Self {
        let folder = folder.to_owned();
        let (unsynced, names) = (Vec::new(), Vec::new());
        let plan = Plan { folder, fault, at, calls: 0, struck: false, unsynced, names };
        let plan = Arc::new(Mutex::new(plan));
        locked(&PLANS).push(Arc::clone(&plan));
        Self { plan }
    }

    /// How many calls were made so far.
    pub fn calls(&self) -> usize {
        locked(&self.plan).calls
    }

    /// Whether the fault has happened.
    pub fn struck(&self) -> bool {
        locked(&self.plan).struck
    }

    /// Whether all that was written would outlast a loss of power.
    pub fn all_synced(&self) -> bool {
        let plan = locked(&self.plan);
        plan.unsynced.is_empty() && plan.names.is_empty()
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        locked(&PLANS).retain(|plan| !Arc::ptr_eq(plan, &self.plan));
    }
}

fn plan_of(path: &Path) -> Option<Arc<Mutex<Plan>>> {
    let plans = locked(&PLANS);
    plans.iter().find(|plan| path.starts_with(&locked(plan).folder)).cloned()
}

/// What a call is told before it is made.
pub(super) fn before(call: Call<'_>, path: &Path) -> io::Result<Option<Limit>> {
    let Some(plan) = plan_of(path) else { return Ok(None) };
    let mut plan = locked(&plan);
    let number = plan.calls;
    plan.calls += 1;
    let Some(fault) = plan.fault else {
        plan.remember(call);
        return Ok(None);
    };
    if plan.struck && fault.is_end() {
        return Err(ended());
    }
    if number != plan.at {
        plan.remember(call);
        return Ok(None);
    }
    plan.struck = true;
    match (fault, call) {
        (Fault::NoSpace, Call::Write) => Ok(Some(Limit::HalfThenNoSpace)),
        (Fault::NoSpace, _) => Err(io::ErrorKind::StorageFull.into()),
        (Fault::InputOutput, _) => Err(io::Error::other("input/output error")),
        (Fault::ShortWrite, Call::Write) => Ok(Some(Limit::Half)),
        (Fault::ShortWrite, _) => {
            plan.remember(call);
            Ok(None)
        }
        (Fault::Killed, _) => Err(ended()),
        (Fault::PowerCut, _) => plan.lose(false).and(Err(ended())),
        (Fault::PowerCutBeforeNames, _) => plan.lose(true).and(Err(ended())),
    }
}

fn ended() -> io::Error {
    io::Error::other("the process has ended")
}

/// What a call that succeeded leaves to be synced.
pub(super) fn after(call: Call<'_>, path: &Path) {
    let Some(plan) = plan_of(path) else { return };
    let mut plan = locked(&plan);
    let own = path.to_owned();
    match call {
        Call::MakeFolder | Call::Create => plan.names.push((own, None)),
        Call::Write => plan.unsynced.push(own),
        Call::SyncFile => plan.unsynced.retain(|file| *file != own),
        Call::Rename(to) => {
            plan.unsynced.iter_mut().filter(|file| **file == own).for_each(|f| *f = to.into());
            plan.names.retain(|(name, _)| *name != own);
        }
        Call::SyncFolder => plan.names.retain(|(name, _)| parent(name) != own),
        Call::Remove => {
            plan.unsynced.retain(|file| *file != own);
            plan.names.retain(|(name, _)| *name != own);
        }
    }
}

impl Plan {
    /// What will be gone once the call is made.
    fn remember(&mut self, call: Call<'_>) {
        if let Call::Rename(to) = call {
            self.names.push((to.to_owned(), fs::read(to).ok()));
        }
    }

    /// What a loss of power takes with it.
    fn lose(&mut self, names: bool) -> io::Result<()> {
        for file in std::mem::take(&mut self.unsynced) {
            let file = OpenOptions::new().write(true).open(file)?;
            file.set_len(file.metadata()?.len() / 2)?;
        }
        let lost = std::mem::take(&mut self.names);
        for (path, earlier) in lost.into_iter().rev().filter(|_| names) {
            match earlier {
                Some(bytes) => fs::write(&path, bytes)?,
                None if path.is_dir() => fs::remove_dir_all(&path)?,
                None if path.exists() => fs::remove_file(&path)?,
                None => {}
            }
        }
        Ok(())
    }
}
