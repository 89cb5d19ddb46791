//! Seeds that depend on what is computed, not on when or where.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest as _, Sha256};

/// The random stream of one trial: ChaCha8 keyed by SHA-256 of (seed, experiment, trial, purpose).
///
/// The parts are length-prefixed, so different parts never run together into the same key. The
/// stream depends on nothing else: neither on the number of threads nor on which trials ran before.
pub(crate) fn stream(seed: u64, experiment: &str, trial: usize, purpose: &str) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(digest(seed, experiment, trial, purpose))
}

/// One number from the same source as [`stream`], for generators that take a `u64` seed.
pub(crate) fn number(seed: u64, experiment: &str, trial: usize, purpose: &str) -> u64 {
    let digest = digest(seed, experiment, trial, purpose);
    digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn digest(seed: u64, experiment: &str, trial: usize, purpose: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    hash.update((trial as u64).to_le_bytes());
    for part in [experiment, purpose] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_part_changes_the_seed() {
        let base = (1, "fig3", 0, "labels");
        let seeds = [
            base,
            (2, "fig3", 0, "labels"),
            (1, "fig4", 0, "labels"),
            (1, "fig3", 1, "labels"),
            (1, "fig3", 0, "noise"),
            (1, "fig3l", 0, "abels"),
        ];
        let distinct: HashSet<u64> = seeds.iter().map(|&(s, e, t, p)| number(s, e, t, p)).collect();
        assert_eq!(distinct.len(), seeds.len());
        assert_eq!(number(1, "fig3", 0, "labels"), number(base.0, base.1, base.2, base.3));
    }
}
