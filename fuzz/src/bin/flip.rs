//! `flip --bits N --seed S`: sealed models with one flipped bit; none may load.
#![allow(clippy::print_stdout)]

use anyhow::ensure;
use gaussfield_fuzz::formats::FORMATS;
use gaussfield_fuzz::options;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

fn main() -> anyhow::Result<()> {
    let [bits, seed] = options::numbers([("bits", 100_000), ("seed", 1)])?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for format in FORMATS.iter().filter(|format| format.sealed) {
        let seeds = format.seeds()?;
        let mut taken = 0;
        for flip in 0..bits {
            let mut file = seeds[flip as usize % seeds.len()].clone();
            let bit = rng.random_range(0..8 * file.len());
            file[bit / 8] ^= 1 << (bit % 8);
            taken += u64::from((format.read)(&file));
        }
        println!("{}: {bits} flipped bits, {taken} loaded", format.name);
        ensure!(taken == 0, "a changed file was taken");
    }
    Ok(())
}
