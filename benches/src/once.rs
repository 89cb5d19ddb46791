//! Figures that are measured once, beside the repeated ones.

use gaussfield_core::files::write_atomically;
use std::path::{Path, PathBuf};

/// Leaves the time of work that ran once where criterion leaves its figures, without an interval,
/// so that the report has it too.
///
/// # Errors
/// A folder or file that cannot be written.
pub fn measured_once(suite: &str, what: &str, seconds: f64) -> anyhow::Result<()> {
    leave(&folder(), suite, what, seconds)
}

/// Seconds that all threads of this process have computed so far, to a hundredth; `None` where the
/// system does not tell.
pub fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold spaces; user and system time are the 12th and
    // 13th words after it, in hundredths of a second.
    let words: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |at: usize| words.get(at)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// The most memory that this process ever held, in MiB; `None` where the system does not tell.
pub fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}

/// Lets the peak of memory begin anew, where the system allows it.
pub fn forget_peak() {
    // Without it the peak is that of all that ran before: larger, never smaller.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Criterion's folder: beside the build this program is part of.
fn folder() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    // TARGET/PROFILE/deps/PROGRAM.
    let target = own.ancestors().nth(3).map_or_else(|| PathBuf::from("target"), Path::to_path_buf);
    target.join("criterion")
}

fn leave(folder: &Path, suite: &str, what: &str, seconds: f64) -> anyhow::Result<()> {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let name: String = what.chars().map(plain).collect();
    let new = folder.join(format!("{suite}_once")).join(name).join("new");
    let identity = serde_json::json!({
        "group_id": format!("{suite}/once"), "function_id": what, "value_str": null
    });
    let estimates = serde_json::json!({
        "median": { "point_estimate": 1e9 * seconds, "confidence_interval": null }
    });
    for (file, content) in [("benchmark.json", identity), ("estimates.json", estimates)] {
        write_atomically(&new.join(file), content.to_string().as_bytes())?;
    }
    Ok(())
}
