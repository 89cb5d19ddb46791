//! The memory that a reader may take.

use crate::DataError;
use gaussfield_core::Budget;
use std::cell::Cell;
use std::io::Read;
use std::path::Path;

thread_local! {
    static BUDGET: Cell<Budget> = Cell::new(Budget::default());
}

/// Does some work in which no reader takes more memory than this for one file: the bytes of the
/// file, what they unpack to and what is made of them. Without it the limit is 4 GiB.
///
/// ```
/// use gaussfield_core::Budget;
/// use gaussfield_data::{DataError, read};
/// use std::path::Path;
///
/// let rows = "1 1:0.5\n".repeat(1000);
/// let parse = || read::svmlight::parse(Path::new("rows"), rows.as_bytes(), Default::default());
/// assert!(parse().is_ok());
/// let small = read::within(Budget { bytes: 10_000 }, parse);
/// assert!(matches!(small, Err(DataError::TooLarge { .. })));
/// # Ok::<(), DataError>(())
/// ```
pub fn within<T>(budget: Budget, work: impl FnOnce() -> T) -> T {
    struct Former(Budget);
    impl Drop for Former {
        fn drop(&mut self) {
            BUDGET.set(self.0);
        }
    }
    let _former = Former(BUDGET.replace(budget));
    work()
}

/// The budget of readers on this thread.
pub(super) fn budget() -> Budget {
    BUDGET.get()
}

/// What one reader may still take.
#[derive(Debug)]
pub(super) struct Memory<'a> {
    pub(super) path: &'a Path,
    left: Budget,
    limit: u64,
}

impl<'a> Memory<'a> {
    /// For bytes that are held already.
    ///
    /// # Errors
    /// [`DataError::TooLarge`].
    pub(super) fn holding(path: &'a Path, bytes: &[u8]) -> Result<Self, DataError> {
        let mut memory = Self::of(path);
        memory.take("the file", bytes.len() as u64)?;
        Ok(memory)
    }

    /// For a file that is read bit by bit.
    pub(super) fn of(path: &'a Path) -> Self {
        let left = budget();
        Self { path, left, limit: left.bytes }
    }

    /// What may still be taken.
    pub(super) fn left(&self) -> u64 {
        self.left.bytes
    }

    /// The same memory, for a part of the file that has a name of its own.
    pub(super) fn named(self, path: &Path) -> Memory<'_> {
        Memory { path, left: self.left, limit: self.limit }
    }

    /// Takes bytes for `what`, before they are asked for.
    ///
    /// # Errors
    /// [`DataError::TooLarge`].
    pub(super) fn take(&mut self, what: &'static str, bytes: u64) -> Result<(), DataError> {
        let used = self.limit - self.left.bytes;
        match self.left.take(what, bytes) {
            Ok(left) => self.left = left,
            Err(_) => {
                return Err(DataError::TooLarge {
                    path: self.path.to_owned(),
                    what: what.to_owned(),
                    bytes: u128::from(used) + u128::from(bytes),
                    limit: self.limit,
                });
            }
        }
        Ok(())
    }

    /// Gives bytes back that are not needed any more.
    pub(super) fn give_back(&mut self, bytes: u64) {
        self.left.bytes += bytes;
    }

    /// Takes `count` items of `each` bytes.
    ///
    /// # Errors
    /// As [`Memory::take`].
    pub(super) fn items(
        &mut self,
        what: &'static str,
        count: usize,
        each: usize,
    ) -> Result<(), DataError> {
        self.take(what, (count as u64).saturating_mul(each as u64))
    }

    /// Reads to the end, as far as the memory goes. While the buffer moves to a larger one both are
    /// held.
    ///
    /// # Errors
    /// [`DataError::TooLarge`]; [`DataError::Format`] for a stream that cannot be read.
    pub(super) fn unpack(
        &mut self,
        what: &'static str,
        mut from: impl Read,
    ) -> Result<Vec<u8>, DataError> {
        const FIRST: u64 = 1 << 12;
        let mut bytes: Vec<u8> = Vec::new();
        let mut block = vec![0; 1 << 16];
        loop {
            let count = match from.read(&mut block) {
                Ok(0) => return Ok(bytes),
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    return Err(DataError::Format {
                        path: self.path.to_owned(),
                        problem: format!("{what} is damaged or cut short ({error})"),
                        remedy: "fetch the file again".to_owned(),
                    });
                }
            };
            let held = bytes.capacity() as u64;
            let needed = bytes.len() as u64 + count as u64;
            if needed > held {
                let wanted = (2 * held).max(needed).max(FIRST).min(self.left.bytes.max(needed));
                // Old and new together must fit; afterwards the old one is given back.
                self.take(what, wanted)?;
                bytes.reserve_exact((wanted - bytes.len() as u64) as usize);
                self.give_back(held);
            }
            bytes.extend_from_slice(block.get(..count).unwrap_or_default());
        }
    }
}
