//! Fetching from a small server of our own: good archives, wrong sums, broken downloads, full disks.
//!
//! With `GAUSSFIELD_NETWORK_TESTS` set the real packages are fetched as well.

mod faults;
mod recipes;

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use gaussfield_data::DataError;
use gaussfield_data::catalog::{
    Catalog, ClientCommand, Index, Indexes, Location, Outcome, Places, Progress,
};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

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

/// What the server says to a path: the answer as it goes over the wire.
type Answers = HashMap<String, Vec<u8>>;

fn found(body: &[u8]) -> Vec<u8> {
    [
        format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len())
            .as_bytes(),
        body,
    ]
    .concat()
}

/// A server on this machine, for as long as the test program runs.
struct Server {
    address: String,
    /// Paths asked for, with the header that carries a password.
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("127.0.0.1:{}", listener.local_addr().unwrap().port());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let _ = serve(stream, &answers, &log);
            }
        });
        Self { address, asked }
    }

    fn indexes(&self) -> Indexes {
        let at = Index::At(format!("http://{}/simple", self.address));
        Indexes { pip: at.clone(), npm: at }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(mut to: TcpStream, answers: &Answers, log: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut lines = BufReader::new(to.try_clone()?).lines();
    let first = lines.next().unwrap()?;
    let path = first.split(' ').nth(1).unwrap().to_owned();
    let mut entry = path.clone();
    for line in lines {
        let line = line?;
        if let Some(value) = line.to_lowercase().strip_prefix("authorization: ") {
            entry = format!("{entry} {value}");
        }
        if line.is_empty() {
            break;
        }
    }
    log.lock().unwrap().push(entry);
    let missing =
        b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec();
    to.write_all(answers.get(&path).unwrap_or(&missing))
}

/// A data set "toy" of one file, a package that carries it, and a place to fetch it to.
struct Toy {
    temp: tempfile::TempDir,
    archive: Vec<u8>,
    toml: String,
    client: &'static str,
}

impl Toy {
    fn new(client: &'static str) -> Self {
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
            name = "Toy_package"
            version = "1.0"
            archive = "toy-package-1.0.tgz"
            bytes = {packed}
            sha256 = "{archive}"
            recipe = "gzip"
            members = [{{ path = "package/data/toy", bytes = {size}, sha256 = "{content}" }}]
            "#,
            size = CONTENT.len(),
            packed = archive.len(),
            content = sum(CONTENT),
            archive = sum(&archive),
        );
        Self { temp: tempfile::tempdir().unwrap(), archive, toml, client }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// A server that answers so where the archive lies.
    fn server(&self, answer: Vec<u8>) -> Server {
        let page = b"<html><a href=\"../../files/other-2.tgz#sha256=0\">o</a>\
                     <a href=\"../../files/toy-package-1.0.tgz#sha256=0\">t</a></html>";
        let place = match self.client {
            "npm" => "/simple/Toy_package/-/toy-package-1.0.tgz",
            _ => "/files/toy-package-1.0.tgz",
        };
        let page = ("/simple/toy-package/".to_owned(), found(page));
        Server::start(HashMap::from([page, (place.to_owned(), answer)]))
    }

    fn good(&self) -> Server {
        self.server(found(&self.archive))
    }

    fn catalog(&self, indexes: Indexes) -> Catalog {
        self.catalog_in(indexes, &self.path("cache"))
    }

    fn catalog_in(&self, indexes: Indexes, cache: &Path) -> Catalog {
        let places = Places { data: Some(self.path("data")), cache: cache.to_owned() };
        Catalog::from_toml(&self.toml).unwrap().with_places(places).with_indexes(indexes)
    }

    fn fetch(&self, server: &Server) -> Result<Location, DataError> {
        self.catalog(server.indexes()).fetch("toy", |_| ())
    }

    fn nothing_left(&self) -> bool {
        fs::read_dir(self.path("cache")).map_or(true, |mut entries| entries.next().is_none())
    }
}

#[test]
fn a_good_package_is_fetched_once() {
    for client in ["npm", "pip"] {
        let toy = Toy::new(client);
        let server = toy.good();
        let catalog = toy.catalog(server.indexes());
        let (mut steps, mut received) = (Vec::new(), 0);
        let location = catalog.fetch("toy", |step| match step {
            Progress::Receive { bytes, total } => {
                assert_eq!(total, Some(toy.archive.len() as u64));
                received = bytes;
            }
            step => steps.push(step.to_string()),
        });
        let folder = toy.path("cache/nested/toy");
        assert_eq!(location.unwrap(), Location::Cache(folder.clone()));
        assert_eq!((steps.len(), received), (4, toy.archive.len() as u64), "{steps:?}");
        assert!(steps[0].starts_with("downloading the package Toy_package 1.0"), "{steps:?}");
        let mut content = Vec::new();
        let packed = fs::File::open(folder.join("toy.gz")).unwrap();
        GzDecoder::new(packed).read_to_end(&mut content).unwrap();
        assert_eq!(content, CONTENT);
        assert!(catalog.check("toy").unwrap().is_good());
        let names: Vec<_> = fs::read_dir(toy.path("cache")).unwrap().flatten().collect();
        assert_eq!(names.len(), 1, "nothing else is left: {names:?}");

        let asked = server.asked().len();
        let mut present = false;
        catalog.fetch("toy", |step| present = matches!(step, Progress::Present(_))).unwrap();
        assert!(present && server.asked().len() == asked);
    }
}

#[test]
fn the_users_index_is_asked_with_its_password_and_a_redirected_page_has_its_own_links() {
    let toy = Toy::new("pip");
    let elsewhere = b"HTTP/1.1 302 Found\r\nLocation: /mirror/toy/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let server = Server::start(HashMap::from([
        ("/simple/toy-package/".to_owned(), elsewhere.to_vec()),
        ("/mirror/toy/".to_owned(), found(b"<a href='toy-package-1.0.tgz'>t</a>")),
        ("/mirror/toy/toy-package-1.0.tgz".to_owned(), found(&toy.archive)),
    ]));
    let pip = Index::At(format!("http://me:secret@{}/simple/", server.address));
    let catalog = toy.catalog(Indexes { pip, ..server.indexes() });
    catalog.fetch("toy", |_| ()).unwrap();
    let asked = server.asked();
    assert_eq!(asked[0], "/simple/toy-package/ basic bwu6c2vjcmv0", "{asked:?}");
    assert!(asked.last().unwrap().starts_with("/mirror/toy/toy-package-1.0.tgz"), "{asked:?}");
}

#[test]
fn a_wrong_sum_is_an_error_and_leaves_nothing() {
    let toy = Toy::new("npm");
    let other = tar_gz(&[("package/data/toy", b"something else")]);
    let (archive, content) = (sum(&toy.archive), sum(CONTENT));
    let finished = format!("unpacked_sha256 = \"{content}\"");
    let longer = [toy.archive.clone(), vec![0; 1 << 20]].concat();
    for (what, toml, given) in [
        ("toy-package-1.0.tgz", toy.toml.clone(), &other),
        ("toy-package-1.0.tgz", toy.toml.clone(), &toy.archive[..20].to_vec()),
        ("toy-package-1.0.tgz", toy.toml.clone(), &longer),
        ("package/data/toy", toy.toml.replace(&archive, &sum(&other)), &other),
        (
            "toy.gz",
            toy.toml.replace(&finished, &format!("unpacked_sha256 = \"{}\"", sum(b""))),
            &toy.archive,
        ),
    ] {
        let toy = Toy { toml, archive: given.clone(), ..Toy::new("npm") };
        match toy.fetch(&toy.good()) {
            Err(DataError::Checksum { path, .. }) => assert_eq!(path, Path::new(what)),
            result => panic!("{what}: {result:?}"),
        }
        assert!(toy.nothing_left(), "{what}");
    }
}

#[test]
fn a_download_that_fails_or_breaks_off_leaves_nothing() {
    let toy = Toy::new("pip");
    let cut = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\nonly this"
        .to_vec();
    let refused = b"HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n".to_vec();
    for (answer, needle) in [(cut, "toy-package-1.0.tgz"), (refused, "503"), (vec![], "toy-")] {
        let error = toy.fetch(&toy.server(answer)).unwrap_err();
        assert!(matches!(error, DataError::Download { .. }), "{error}");
        assert!(error.to_string().contains(needle), "{needle}: {error}");
        assert!(toy.nothing_left(), "{needle}");
    }
    let nobody = Index::At("http://127.0.0.1:1/simple".to_owned());
    let indexes = Indexes { pip: nobody.clone(), npm: nobody };
    let error = toy.catalog(indexes).fetch("toy", |_| ()).unwrap_err();
    assert!(error.to_string().contains("check the network"), "{error}");
}

#[test]
fn what_is_not_there_is_named() {
    let mut toy = Toy::new("pip");
    let pages = HashMap::from([("/simple/toy-package/".to_owned(), found(b"<a href='a-2.whl'>"))]);
    match toy.fetch(&Server::start(pages)) {
        Err(DataError::NoSuchMember { name, available, .. }) => {
            assert_eq!((&*name, &*available), ("toy-package-1.0.tgz", &["a-2.whl".to_owned()][..]));
        }
        result => panic!("{result:?}"),
    }
    toy.toml = toy.toml.replace("package/data/toy", "package/data/troy");
    match toy.fetch(&toy.good()) {
        Err(DataError::NoSuchMember { name, .. }) => assert_eq!(name, "package/data/troy"),
        result => panic!("{result:?}"),
    }
    assert!(toy.nothing_left());
    let catalog =
        Catalog::builtin().unwrap().with_places(Places { data: None, cache: toy.path("cache") });
    for (name, needle) in [("coil20", "it cannot be fetched"), ("mist", "\"mnist\"")] {
        let error = catalog.fetch(name, |_| ()).unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    }
}

/// The stand-ins are shell scripts.
#[cfg(unix)]
#[test]
fn a_client_is_asked_for_its_index_and_for_nothing_else() {
    let configured = "case \"$*\" in 'config get global.index-url'|'config get registry') \
                      echo ' ADDRESS ';; *) echo \"$*\" >> \"$0.run\"; exit 1;; esac";
    let default = "case \"$*\" in 'config get global.index-url') echo no >&2; exit 1;; \
                   'download --help') echo ' -i, --index-url <url>  Base URL of the index (default \
                   ADDRESS). This'; echo '  --extra-index-url <url> (default no)';; \
                   *) echo \"$*\" >> \"$0.run\"; exit 1;; esac";
    for (client, script) in [("pip", configured), ("pip", default), ("npm", configured)] {
        let toy = Toy::new(client);
        let server = toy.good();
        let path = toy.path("client.sh");
        let address = format!("http://{}/simple", server.address);
        fs::write(&path, script.replace("ADDRESS", &address)).unwrap();
        let absent = ClientCommand::new(toy.path("no-such-program"), &[]);
        let way = Index::Asked(vec![absent, ClientCommand::new("sh", &[path.to_str().unwrap()])]);
        let catalog = toy.catalog(Indexes { pip: way.clone(), npm: way });
        catalog.fetch("toy", |_| ()).unwrap();
        assert!(!toy.path("client.sh.run").exists(), "{client}: asked for something else");
    }
}

#[test]
fn an_index_that_nobody_knows_is_an_error_with_the_remedy() {
    for (client, remedy) in [("pip", "set PIP_INDEX_URL"), ("npm", "install Node.js")] {
        let toy = Toy::new(client);
        let none = ClientCommand::new(toy.path("no-such-program"), &["-m", "pip"]);
        let none = Index::Asked(vec![none]);
        let indexes = Indexes { pip: none.clone(), npm: none };
        let error = toy.catalog(indexes).fetch("toy", |_| ()).unwrap_err();
        assert!(matches!(error, DataError::NoIndex { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains(client) && text.contains(remedy), "{text}");
        assert!(text.contains("no-such-program -m pip"), "{text}");
        assert!(toy.nothing_left());
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_named() {
    let toy = Toy::new("npm");
    let server = toy.good();
    fs::write(toy.path("file"), b"").unwrap();
    let below_a_file = toy.path("file").join("cache");
    // The second cache is there, but a file stands where the data set's folder should be.
    let taken = toy.path("cache");
    fs::create_dir(&taken).unwrap();
    fs::write(taken.join("nested"), b"").unwrap();
    for cache in [&below_a_file, &taken] {
        match toy.catalog_in(server.indexes(), cache).fetch("toy", |_| ()) {
            Err(DataError::Unwritable { path, .. }) => {
                assert_eq!(path, cache.join("nested/toy/toy.gz"));
            }
            result => panic!("{result:?}"),
        }
    }
}

#[test]
fn a_damaged_copy_is_replaced_in_the_cache_and_refused_in_the_users_folder() {
    let toy = Toy::new("npm");
    let server = toy.good();
    fs::create_dir_all(toy.path("cache/nested/toy")).unwrap();
    fs::write(toy.path("cache/nested/toy/toy.gz"), b"damaged").unwrap();
    assert!(matches!(toy.fetch(&server), Ok(Location::Cache(_))));
    assert!(toy.catalog(server.indexes()).check("toy").unwrap().is_good());

    fs::create_dir_all(toy.path("data/nested/toy")).unwrap();
    fs::write(toy.path("data/nested/toy/toy.gz"), b"damaged").unwrap();
    match toy.fetch(&server) {
        Err(DataError::Checksum { path, .. }) => {
            assert_eq!(path, toy.path("data/nested/toy/toy.gz"));
        }
        result => panic!("{result:?}"),
    }
}
