//! sha256 sums, streamed, so that a large file needs little memory.

use super::FileEntry;
use flate2::read::MultiGzDecoder;
use gaussfield_core::files::{sha256, sha256_of};
use std::io::Read;

/// The sum the catalogue speaks of, for bytes that are or will be a file: of the bytes, or of what
/// they unpack to. A damaged gzip stream has no sum; the reason stands in its place.
pub(super) fn of_entry(file: &FileEntry, from: impl Read) -> std::io::Result<String> {
    let (sum, kind) = if file.contents_sha256.is_some() {
        (of_contents(file, MultiGzDecoder::new(from)), "a gzipped tar archive")
    } else if file.unpacked_sha256.is_some() {
        // One byte more than expected is enough to make the sums differ: no bomb is unpacked.
        let limited = MultiGzDecoder::new(from).take(file.bytes.saturating_add(1));
        (sha256(limited), "a gzip file")
    } else {
        return sha256(from);
    };
    sum.or_else(|error| match error.kind() {
        std::io::ErrorKind::InvalidInput
        | std::io::ErrorKind::InvalidData
        | std::io::ErrorKind::Other
        | std::io::ErrorKind::UnexpectedEof => Ok(format!("none (not {kind}: {error})")),
        _ => Err(error),
    })
}

/// The sum of what a tar archive holds; see [`FileEntry::contents_sha256`].
fn of_contents(file: &FileEntry, from: impl Read) -> std::io::Result<String> {
    let mut members: Vec<(Vec<Vec<u8>>, Vec<u8>)> = Vec::new();
    let mut left = file.bytes;
    for member in tar::Archive::new(from).entries()? {
        let member = member?;
        let name = member.path_bytes().into_owned();
        let counts = file.ending.as_ref().is_none_or(|ending| name.ends_with(ending.as_bytes()));
        if !member.header().entry_type().is_file() || !counts {
            continue;
        }
        let mut bytes = Vec::new();
        member.take(left.saturating_add(1)).read_to_end(&mut bytes)?;
        left = left.checked_sub(bytes.len() as u64).ok_or_else(|| {
            std::io::Error::other(format!("its files have more than {} bytes", file.bytes))
        })?;
        let parts = name.split(|&byte| byte == b'/').filter(|part| !matches!(part, [] | [b'.']));
        members.push((parts.map(<[u8]>::to_vec).collect(), bytes));
    }
    let shared = shared_folders(&members);
    let named = |(parts, bytes): (Vec<Vec<u8>>, Vec<u8>)| {
        let mut head = parts.get(shared..).unwrap_or_default().join(&b'/');
        head.push(0);
        let length = bytes.len().to_string() + "\0";
        (head, bytes, length)
    };
    let mut named: Vec<_> = members.into_iter().map(named).collect();
    named.sort_unstable();
    let pieces = named.iter().flat_map(|(name, bytes, length)| [name, length.as_bytes(), bytes]);
    Ok(sha256_of(pieces))
}

/// How many folders all files have in common.
fn shared_folders(members: &[(Vec<Vec<u8>>, Vec<u8>)]) -> usize {
    let Some(((first, _), rest)) = members.split_first() else { return 0 };
    rest.iter().fold(first.len().saturating_sub(1), |shared, (parts, _)| {
        let equal = first.iter().zip(parts).take_while(|(a, b)| a == b).count();
        shared.min(equal).min(parts.len().saturating_sub(1))
    })
}
