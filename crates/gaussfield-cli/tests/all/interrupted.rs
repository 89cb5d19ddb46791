//! A run that is interrupted leaves nothing behind.

use crate::support::{Folder, text, two_lines};
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_nothing() {
    let folder = Folder::new();
    let mut program = Command::new(assert_cmd::cargo::cargo_bin("gaussfield"))
        .current_dir(folder.path())
        .args(["label", "-", "-l", "kind", "-i", "name", "-o", "x.csv", "--save", "x.model"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut rows = program.stdin.take().unwrap();
    rows.write_all(two_lines().as_bytes()).unwrap();
    rows.flush().unwrap();
    // It waits for more rows; by then it listens to interrupts.
    std::thread::sleep(Duration::from_millis(700));
    let id = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(300));
    // It may have ended already.
    drop(rows.write_all(b"row-a,1,2,\n"));
    drop(rows);
    let output = program.wait_with_output().unwrap();
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{message}");
    assert!(message.contains("interrupted: nothing was written"), "{message}");
    assert!(output.stdout.is_empty() && folder.names().is_empty(), "{:?}", folder.names());
}
