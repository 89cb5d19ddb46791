//! `kill --kills N --seed S`: a process that writes models without an end is killed N times, at a
//! random moment; each time the files it leaves are whole, old or new.
#![allow(clippy::print_stdout)]

use anyhow::{Context as _, ensure};
use gaussfield::description::Fitted;
use gaussfield::labels::Transductive as _;
use gaussfield_fuzz::formats::FORMATS;
use gaussfield_fuzz::options;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Set for the process that writes: its folder.
const WRITER: &str = "GAUSSFIELD_FUZZ_WRITER";

fn main() -> anyhow::Result<()> {
    if let Some(folder) = std::env::var_os(WRITER) {
        return write_on(Path::new(&folder));
    }
    let [kills, seed] = options::numbers([("kills", 100), ("seed", 1)])?;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let folder = tempfile::tempdir()?;
    let models = models()?;
    let (mut found, mut scraps) = (0, 0);
    for kill in 0..kills {
        let mut child =
            Command::new(std::env::current_exe()?).env(WRITER, folder.path()).spawn()?;
        std::thread::sleep(Duration::from_millis(rng.random_range(5..120)));
        child.kill()?;
        child.wait()?;
        for entry in std::fs::read_dir(folder.path())? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with(".partial") {
                scraps += 1;
                std::fs::remove_file(&path)?;
                continue;
            }
            let model = Fitted::load(&path).with_context(|| format!("after kill {kill}"))?;
            let known = models.iter().any(|known| known.scores() == model.scores());
            ensure!(known, "{name} holds another model after kill {kill}");
            found += 1;
        }
    }
    ensure!(found > 0, "nothing was ever written");
    println!(
        "{kills} kills: {found} files looked at, all whole; {scraps} scraps under other names"
    );
    Ok(())
}

fn models() -> anyhow::Result<Vec<Fitted>> {
    let format = FORMATS.iter().find(|format| format.sealed).context("a sealed format")?;
    let read = |bytes: &Vec<u8>| Ok(Fitted::from_bytes(bytes)?);
    format.seeds()?.iter().map(read).collect()
}

fn write_on(folder: &Path) -> anyhow::Result<()> {
    let models = models()?;
    for turn in 0.. {
        models[turn % models.len()].save(folder.join(format!("model-{}", turn % 3)))?;
    }
    Ok(())
}
