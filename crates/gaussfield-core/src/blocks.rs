//! Rows in blocks of a fixed size, and the fixed order in which blocks are added up.
//!
//! Bounds depend on sizes only, never on the number of threads: partial sums are made and added in
//! the same order everywhere, so that results are the same to the last bit.

use std::ops::Range;

/// Most partial sums kept at once, whatever their size.
const MOST_PARTS: usize = 64;

/// Most bytes of all partial sums together.
const MOST_BYTES: usize = 256 << 20;

/// Consecutive ranges of `rows` rows, the last perhaps shorter.
pub fn split(n: usize, rows: usize) -> Vec<Range<usize>> {
    blocks(0..n, rows).collect()
}

/// The blocks of `rows` rows of a range.
pub fn blocks(part: Range<usize>, rows: usize) -> impl Iterator<Item = Range<usize>> {
    let rows = rows.max(1);
    part.clone().step_by(rows).map(move |start| start..(start + rows).min(part.end))
}

/// Splits n rows into consecutive parts, each a whole number of blocks of `rows` rows, for partial
/// sums of `bytes` bytes each: at most 64 parts, and at most 256 MiB together.
pub fn parts(n: usize, rows: usize, bytes: usize) -> Vec<Range<usize>> {
    let most = (MOST_BYTES / bytes.max(1)).clamp(1, MOST_PARTS);
    let rows = rows.max(1);
    split(n, n.div_ceil(rows).div_ceil(most).max(1) * rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_rows_once_and_stay_within_the_bytes() {
        for (n, bytes) in [(0, 8), (1, 8), (256, 8), (257, 8), (100_000, 8), (100_000, 200 << 20)] {
            let parts = parts(n, 256, bytes);
            let all = parts.iter().cloned().flat_map(|part| blocks(part, 256)).flatten();
            assert!(all.eq(0..n));
            assert!(parts.len() <= (MOST_BYTES / bytes).clamp(1, MOST_PARTS));
        }
        assert_eq!(split(5, 0).len(), 5);
    }
}
