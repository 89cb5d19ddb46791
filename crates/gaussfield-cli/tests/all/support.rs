//! A folder with files, and the program in it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A folder of one test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program, run in the folder.
    pub(crate) fn program(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("gaussfield").unwrap();
        command.current_dir(self.path()).args(arguments).env_remove("RUST_LOG");
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }
}

/// What came out, as text.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Two groups of 20 points on parallel lines, one label each, with names.
pub(crate) fn two_lines() -> String {
    let mut table = String::from("name,x,y,kind\n");
    for i in 0..40 {
        let (upper, step) = (i % 2, f64::from(i / 2) + 0.1 * f64::from(i % 3));
        let kind = match i {
            0 => "low",
            1 => "high",
            _ => "",
        };
        table += &format!("row-{i},{step},{},{kind}\n", f64::from(upper) * 12.0);
    }
    table
}
