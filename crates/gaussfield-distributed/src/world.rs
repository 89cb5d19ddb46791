//! Who works together, and what they can tell each other.

use crate::DistributedError;
use std::error::Error;

/// One member's view of all members of a job. Every call but the first two and the
/// last is one of all members: each must make it, in the same order.
pub trait World: Sync {
    /// Which member this is, from 0.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Sends one parcel to each member, the own included; gives what each of them sent, by rank.
    fn swap(&self, parcels: Vec<Vec<u8>>) -> Vec<Vec<u8>>;

    /// Sends numbers to some members and fills the slices with what some send, in the order given.
    /// Both ends must know how many there are.
    fn trade(&self, sends: &[(usize, Vec<f64>)], receives: &mut [(usize, &mut [f64])]);

    /// The numbers of every member, as many from each, by rank.
    fn gather(&self, own: &[f64]) -> Vec<f64>;

    /// Ends the job for this reason, where one member cannot go on and others may wait for it where no
    /// error reaches them. A call of one alone.
    fn end(&self, why: &str) -> !;
}

/// A number that goes into a parcel.
pub(crate) trait Item: Copy {
    const BYTES: usize;
    fn put(self, into: &mut Vec<u8>);
    fn take(from: &[u8]) -> Self;
}

macro_rules! item {
    ($($type:ty),*) => {$(
        impl Item for $type {
            const BYTES: usize = size_of::<$type>();

            fn put(self, into: &mut Vec<u8>) {
                into.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &[u8]) -> Self {
                let mut bytes = [0; size_of::<$type>()];
                bytes.copy_from_slice(from);
                Self::from_le_bytes(bytes)
            }
        }
    )*};
}
item!(u32, u64, f32, f64);

/// Numbers as bytes.
pub(crate) fn packed<T: Item>(numbers: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(T::BYTES * numbers.len());
    numbers.iter().for_each(|number| number.put(&mut bytes));
    bytes
}

/// Bytes as numbers; a rest that is no whole number is left.
pub(crate) fn unpacked<T: Item>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(T::BYTES).map(T::take).collect()
}

/// Parcels of numbers.
pub(crate) fn swap<T: Item>(world: &impl World, parcels: Vec<Vec<T>>) -> Vec<Vec<T>> {
    let parcels = parcels.into_iter().map(|parcel| packed(&parcel)).collect();
    world.swap(parcels).iter().map(|parcel| unpacked(parcel)).collect()
}

/// What every member has, by rank; as many as it likes.
pub(crate) fn all<T: Item>(world: &impl World, own: &[T]) -> Vec<Vec<T>> {
    let parcel = packed(own);
    world.swap(vec![parcel; world.size()]).iter().map(|parcel| unpacked(parcel)).collect()
}

/// Adds up place by place, in the order of the members: the same bits on all of them, and in every
/// run of as many.
pub fn sum(world: &impl World, values: &mut [f64]) {
    if world.size() > 1 && !values.is_empty() {
        let all = world.gather(values);
        values.fill(0.0);
        for own in all.chunks_exact(values.len()) {
            values.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    }
}

/// The largest place by place; a NaN is passed over.
pub fn max(world: &impl World, values: &mut [f64]) {
    if world.size() > 1 && !values.is_empty() {
        let all = world.gather(values);
        for own in all.chunks_exact(values.len()) {
            values.iter_mut().zip(own).for_each(|(most, own)| *most = most.max(*own));
        }
    }
}

/// The sum of one number.
pub(crate) fn total(world: &impl World, own: f64) -> f64 {
    let mut one = [own];
    sum(world, &mut one);
    one[0]
}

/// Goes on only if no member met an error: otherwise all of them get that of the lowest.
///
/// # Errors
/// [`DistributedError::Member`].
pub fn agree<T, E: Into<Box<dyn Error>>>(
    world: &impl World,
    own: Result<T, E>,
) -> Result<T, DistributedError> {
    let own = own.map_err(Into::into);
    let message = own.as_ref().err().map(|error| with_causes(&**error)).unwrap_or_default();
    // An error without words is one all the same.
    let said: Vec<u8> = match &own {
        Ok(_) => Vec::new(),
        Err(_) => [b"!", message.as_bytes()].concat(),
    };
    let all = world.swap(vec![said; world.size()]);
    let failed = all.iter().enumerate().find(|(_, said)| !said.is_empty());
    match (failed, own) {
        (None, Ok(own)) => Ok(own),
        (failed, _) => {
            let (member, said) = failed.map_or((0, &[][..]), |(member, said)| (member, &said[1..]));
            let message = String::from_utf8_lossy(said).into_owned();
            Err(DistributedError::Member { member, members: world.size(), message })
        }
    }
}

/// What an error says and what its causes say, as far as it does not say that itself.
fn with_causes(error: &dyn Error) -> String {
    let (mut words, mut cause) = (error.to_string(), error.source());
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !words.contains(&said) {
            words = format!("{words}: {said}");
        }
        cause = inner.source();
    }
    words
}

/// Refuses members that were given different things.
///
/// # Errors
/// [`DistributedError::Different`].
pub(crate) fn same(
    world: &impl World,
    what: &'static str,
    own: &[u8],
) -> Result<(), DistributedError> {
    let all = world.swap(vec![own.to_vec(); world.size()]);
    match all.iter().position(|other| *other != all[0]) {
        Some(member) => Err(DistributedError::Different { member, what }),
        None => Ok(()),
    }
}
