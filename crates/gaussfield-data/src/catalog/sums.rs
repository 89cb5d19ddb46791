//! sha256 sums, streamed, so that a large file needs little memory.

use super::FileEntry;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::io::Read;

/// The sum of all a reader gives.
pub(super) fn of_reader(mut from: impl Read) -> std::io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hex(hasher))
}

fn hex(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The sum the catalogue speaks of, for bytes that are or will be a file: of the bytes, or of what
/// they unpack to. A damaged gzip stream has no sum; the reason stands in its place.
pub(super) fn of_entry(file: &FileEntry, from: impl Read) -> std::io::Result<String> {
    let (sum, kind) = if file.contents_sha256.is_some() {
        (of_contents(file, MultiGzDecoder::new(from)), "a gzipped tar archive")
    } else if file.unpacked_sha256.is_some() {
        // One byte more than expected is enough to make the sums differ: no bomb is unpacked.
        let limited = MultiGzDecoder::new(from).take(file.bytes.saturating_add(1));
        (of_reader(limited), "a gzip file")
    } else {
        return of_reader(from);
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
    let mut named: Vec<(Vec<u8>, Vec<u8>)> = members
        .into_iter()
        .map(|(parts, bytes)| (parts.get(shared..).unwrap_or_default().join(&b'/'), bytes))
        .collect();
    named.sort_unstable();
    let mut hasher = Sha256::new();
    for (name, bytes) in &named {
        hasher.update(name);
        hasher.update([0]);
        hasher.update(bytes.len().to_string());
        hasher.update([0]);
        hasher.update(bytes);
    }
    Ok(hex(hasher))
}

/// How many folders all files have in common.
fn shared_folders(members: &[(Vec<Vec<u8>>, Vec<u8>)]) -> usize {
    let Some(((first, _), rest)) = members.split_first() else { return 0 };
    rest.iter().fold(first.len().saturating_sub(1), |shared, (parts, _)| {
        let equal = first.iter().zip(parts).take_while(|(a, b)| a == b).count();
        shared.min(equal).min(parts.len().saturating_sub(1))
    })
}
