//! A run that is interrupted leaves nothing behind.

use crate::support::{Folder, text, two_lines};
use std::io::{BufRead as _, BufReader, Write};
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

/// In the middle of the fit: the log tells when the neighbours were found, and a search for the length
/// scale comes after them.
#[cfg(unix)]
#[test]
fn an_interrupted_fit_writes_nothing() {
    let folder = Folder::new();
    // Points of a spiral in eight dimensions, labelled at its ends.
    let mut table = String::from("a,b,c,d,e,f,g,h,label\n");
    for i in 0..6000_u32 {
        let t = f64::from(i) * 0.01;
        let cells: Vec<String> =
            (1..9).map(|j| format!("{:.4}", (t * f64::from(j)).sin() * t)).collect();
        let label =
            [("a", 0), ("b", 5999)].into_iter().find(|(_, row)| *row == i).map_or("", |l| l.0);
        table += &format!("{},{label}\n", cells.join(","));
    }
    folder.file("t.csv", table);
    let mut program = Command::new(assert_cmd::cargo::cargo_bin("gaussfield"))
        .current_dir(folder.path())
        .args(["label", "t.csv", "-vv", "--scale", "learn", "--save", "t.model", "-r", "page"])
        .env_remove("RUST_LOG")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines().map_while(Result::ok);
    let found = lines.find(|line| line.contains("neighbour search: "));
    assert!(found.is_some(), "every stage is told of");
    let id = program.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    let rest: Vec<String> = lines.collect();
    let output = program.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("interrupted: nothing was written")), "{rest:?}");
    assert!(output.stdout.is_empty());
    assert_eq!(folder.names(), ["t.csv"]);
}
