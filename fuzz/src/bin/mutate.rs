//! `mutate --inputs N --seed S`: mutated files against every format; ends with an error at the first
//! that panics, takes more than five seconds, or is taken though it is not what was sealed.
#![allow(clippy::print_stdout)]

use anyhow::{Context as _, bail, ensure};
use gaussfield_fuzz::formats::{FORMATS, Format};
use gaussfield_fuzz::mutate::Mutator;
use gaussfield_fuzz::options;
use gaussfield_fuzz::watch::Watch;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

/// What one input may take.
const LONGEST: Duration = Duration::from_secs(5);

fn main() -> anyhow::Result<()> {
    let [inputs, seed] = options::numbers([("inputs", 100_000), ("seed", 1)])?;
    let start = Instant::now();
    let each = inputs.div_ceil(FORMATS.len() as u64);
    let (mut taken, mut slowest) = (0, (Duration::ZERO, ""));
    let watch = Watch::new(LONGEST, |format, bytes| {
        let place = kept(bytes).unwrap_or_else(|error| error.to_string());
        println!("{format} takes more than {LONGEST:?}: {place}");
        std::process::exit(1);
    });
    for (at, format) in FORMATS.iter().enumerate() {
        let seeds = format.seeds()?;
        for (number, seed) in seeds.iter().enumerate() {
            ensure!((format.read)(seed), "seed {number} of {} is refused", format.name);
        }
        let mut mutator = Mutator::new(seed ^ ((at as u64) << 32));
        let mut own = 0;
        for _ in 0..each {
            let bytes = mutator.mutated(&seeds);
            let before = Instant::now();
            let sound = watch.during(format.name, &bytes, || read(format, &seeds, &bytes))?;
            let time = before.elapsed();
            ensure!(time < LONGEST, "{} took {time:?}: {}", format.name, kept(&bytes)?);
            if time > slowest.0 {
                slowest = (time, format.name);
            }
            own += u64::from(sound);
        }
        println!("{:<14} {each} inputs, {own} taken", format.name);
        taken += own;
    }
    let all = each * FORMATS.len() as u64;
    println!("{all} inputs from seed {seed}: {taken} taken, {} refused, no panic", all - taken);
    println!("slowest {:.3} s ({})", slowest.0.as_secs_f64(), slowest.1);
    println!("{:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn read(format: &Format, seeds: &[Vec<u8>], bytes: &[u8]) -> anyhow::Result<bool> {
    let Ok(taken) = catch_unwind(|| (format.read)(bytes)) else {
        bail!("{} panics: {}", format.name, kept(bytes)?)
    };
    if format.sealed && taken && !seeds.iter().any(|seed| seed == bytes) {
        bail!("{} takes a changed file: {}", format.name, kept(bytes)?);
    }
    Ok(taken)
}

/// Keeps an input that broke something, and tells where.
fn kept(bytes: &[u8]) -> anyhow::Result<String> {
    let (_, path) = tempfile::Builder::new().prefix("gaussfield-fuzz-").tempfile()?.keep()?;
    std::fs::write(&path, bytes).context("the input")?;
    Ok(format!("{} bytes in {}", bytes.len(), path.display()))
}
