//! Models in files: what was saved is what is loaded, for every method, and nothing else is.

use crate::methods::{METHODS, read};
use gaussfield::core::files::Format;
use gaussfield::core::files::faults::{Fault, Faults};
use gaussfield::data::generate::TwoMoons;
use gaussfield::description::{Description, Fitted};
use gaussfield::graph::Graph;
use gaussfield::labels::{Inductive as _, Labels, Transductive as _};
use gaussfield::points::Points;
use ndarray::Array2;

fn moons() -> (Points, Labels, Points) {
    let moons = TwoMoons { n: 60, noise: 0.05 }.generate(3).unwrap();
    let labels = moons.labels.keep(&[0, 15, 42, 59]).unwrap();
    (moons.points, labels, TwoMoons { n: 12, noise: 0.1 }.generate(8).unwrap().points)
}

fn same(first: &Fitted, second: &Fitted, new: &Points, method: &str) {
    assert_eq!(first.description(), second.description(), "{method}");
    assert_eq!(first.scores(), second.scores(), "{method}");
    assert_eq!(first.predictions(), second.predictions(), "{method}");
    assert_eq!(first.probabilities().unwrap(), second.probabilities().unwrap(), "{method}");
    assert_eq!(first.facts(), second.facts(), "{method}");
    assert_eq!(first.labels(), second.labels(), "{method}");
    assert_eq!(first.islands(), second.islands(), "{method}");
    assert_eq!(first.notes(), second.notes(), "{method}");
    assert_eq!(first.predict(new).unwrap(), second.predict(new).unwrap(), "{method}");
    assert_eq!(first.predict_new(new).unwrap(), second.predict_new(new).unwrap(), "{method}");
}

#[test]
fn every_method_is_loaded_as_it_was_saved() {
    let (points, labels, new) = moons();
    for method in METHODS {
        let mut fitted = read(method.text).fit(&points, &labels).unwrap();
        fitted.note("column", "kind");
        let bytes = fitted.to_bytes().unwrap();
        let loaded = Fitted::from_bytes(&bytes).unwrap();
        same(&fitted, &loaded, &new, method.text);
        // And once more, to the last byte.
        assert_eq!(loaded.to_bytes().unwrap(), bytes, "{method}");
    }
}

#[test]
fn preparations_local_scales_sparse_points_and_graphs_are_kept() {
    let (points, labels, new) = moons();
    let plan = Description::automatic(&points, &labels).unwrap();
    for prepare in ["[]", "[\"standardise\"]", "[\"min-max\", \"unit-rows\"]"] {
        let text = format!("prepare = {prepare}\n{}", plan.description.to_toml().unwrap());
        let description = Description::from_toml(&text).unwrap();
        let fitted = description.fit(&points, &labels).unwrap();
        same(&fitted, &Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap(), &new, prepare);
    }
    let sparse = |of: &Points| {
        let rows = of.to_dense();
        let mut triplets = sprs::TriMat::new(rows.dim());
        for ((i, j), &x) in rows.indexed_iter() {
            triplets.add_triplet(i, j, x);
        }
        Points::sparse(triplets.to_csr()).unwrap()
    };
    let fitted = plan.fit(&sparse(&points), &labels).unwrap();
    let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    same(&fitted, &loaded, &sparse(&new), "sparse");

    let graph = Graph::from_edges(60, (0..59).map(|i| (i, i + 1, 1.0))).unwrap();
    let fitted = read("harmonic = {}").fit_graph(graph, &labels).unwrap();
    let loaded = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    assert_eq!(fitted.scores(), loaded.scores());
    let error = loaded.predict_new(&new).unwrap_err().to_string();
    assert!(error.contains("fitted to a graph"), "{error}");
}

/// A point that was fitted is told what it was told, a point half-way what both say, whatever else is
/// asked about.
#[test]
fn new_points_are_harmonic() {
    let points = Points::dense(ndarray::array![[0.0], [1.0], [10.0], [11.0]]).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, Some("b")]);
    let text = "[graph.knn]\nk = 2\n[weights.exponential]\nsigma = 1.0\n[method.harmonic]\n";
    let fitted = Description::from_toml(text).unwrap().fit(&points, &labels).unwrap();
    let new = Points::dense(ndarray::array![[0.5], [5.5], [1e6]]).unwrap();
    let told = fitted.predict(&new).unwrap();
    let of = |node: usize| fitted.scores().values()[[node, 0]];
    assert!((told.values()[[0, 0]] - (of(0) + of(1)) / 2.0).abs() < 1e-12);
    assert!((told.values()[[1, 0]] - (of(1) + of(2)) / 2.0).abs() < 1e-12);
    // Far away the nearest alone is left.
    assert!((told.values()[[2, 0]] - of(3)).abs() < 1e-12);
    let alone = fitted.predict(&new.select(&[1]).unwrap()).unwrap();
    assert_eq!(alone.values().row(0), told.values().row(1));
    let rule = fitted.facts().get("new points").map(|rule| format!("{rule:?}"));
    assert!(rule.unwrap().contains("2 nearest points"));
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let (points, labels, _) = moons();
    let fitted = read("harmonic = {}").fit(&points, &labels).unwrap();
    let bytes = fitted.to_bytes().unwrap();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let at = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let format = |version| Format { name: "gaussfield-model", oldest: 1, newest: version };
    let content = &bytes[at..];
    let renamed = || {
        // A field that is not known, in a header of the same length.
        let place = content.windows(7).position(|word| word == b"\"names\"").unwrap();
        let mut changed = content.to_vec();
        changed[place + 1] = b'g';
        changed
    };
    let mut flipped = bytes.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for (bytes, words) in [
        (b"id,label\n1,a\n".to_vec(), "no file of gaussfield's"),
        (Vec::new(), "no file of gaussfield's"),
        (bytes[..bytes.len() - 9].to_vec(), "bytes after its first line"),
        (flipped, "was changed after it was written"),
        (format(3).seal(content), "format version 3"),
        (Format { name: "gaussfield-mixture", oldest: 1, newest: 1 }.seal(content), "mixture"),
        (format(1).seal(b"short"), "it is empty"),
        (format(1).seal(&[0xff; 64]), "header is longer"),
        (format(1).seal(&content[..content.len() - 8]), "longer than the file"),
        (format(1).seal(&[content, &[0; 8]].concat()), "left over"),
        (format(1).seal(&renamed()), "unknown field"),
    ] {
        let error = Fitted::from_bytes(&bytes).map(|_| ()).unwrap_err();
        let said = format!("{error:?}");
        assert!(said.contains(words), "{words:?} is not in {said:?}, of {}", &text[..60]);
    }
}

/// A seal that fits says nothing of what was sealed.
#[test]
fn a_sealed_file_that_no_fit_would_write_is_told_and_does_not_panic() {
    let (points, labels, new) = moons();
    for (weights, from, to, words) in [
        ("self-tuning.neighbour = 2", "\"neighbour\":2", "\"neighbour\":0", "k = 0"),
        ("self-tuning.neighbour = 2", "\"k\":3", "\"k\":0", "k = 0"),
        (
            "exponential-per-dimension.sigmas = [0.5, 0.5]",
            "[0.5,0.5]",
            "[0.50000]",
            "length scales",
        ),
    ] {
        let text = format!("graph.knn.k = 3\nweights.{weights}\nmethod.harmonic = {{}}");
        let fitted = Description::from_toml(&text).unwrap().fit(&points, &labels).unwrap();
        let bytes = fitted.to_bytes().unwrap();
        let start = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        let mut content = bytes[start..].to_vec();
        let from = from.as_bytes();
        let places = content.windows(from.len()).filter(|&word| word == from).count();
        assert_eq!(places, 1, "{weights}");
        let at = content.windows(from.len()).position(|word| word == from).unwrap();
        content[at..at + to.len()].copy_from_slice(to.as_bytes());
        let forged = Format { name: "gaussfield-model", oldest: 1, newest: 1 }.seal(&content);
        let error = match Fitted::from_bytes(&forged) {
            Ok(model) => model.predict_new(&new).map(drop).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(words), "{words:?} is not in {error:?}");
    }
}

#[test]
fn a_file_is_whole_and_a_missing_one_is_named() {
    let (points, labels, new) = moons();
    let folder = std::env::temp_dir().join(format!("gaussfield-saved-{}", std::process::id()));
    let path = folder.join("a/model.gf");
    let fitted = read("nearest-neighbours = { k = 1 }").fit(&points, &labels).unwrap();
    fitted.save(&path).unwrap();
    same(&fitted, &Fitted::load(&path).unwrap(), &new, "from a file");
    std::fs::remove_dir_all(&folder).unwrap();
    let error = format!("{:?}", Fitted::load(&path).map(|_| ()).unwrap_err());
    assert!(error.contains("model.gf"), "{error}");
    let narrow = Points::dense(Array2::zeros((1, 1))).unwrap();
    assert!(fitted.predict_new(&narrow).is_err());
}

/// A seal that no change passes: every bit and every length.
#[test]
fn one_flipped_bit_anywhere_is_refused() {
    let (points, labels) = (Points::dense(ndarray::array![[0.0], [0.4], [1.0]]), ["a", "", "b"]);
    let labels = Labels::from_names(labels.map(|name| Some(name).filter(|name| !name.is_empty())));
    for method in ["harmonic = {}", "nearest-neighbours = { k = 1 }"] {
        let fitted = read(method).fit(points.as_ref().unwrap(), &labels).unwrap();
        let mut bytes = fitted.to_bytes().unwrap();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Fitted::from_bytes(&bytes).is_err(), "{method}: bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        for length in 0..bytes.len() {
            assert!(Fitted::from_bytes(&bytes[..length]).is_err(), "{method}: {length} bytes");
        }
        assert_eq!(Fitted::from_bytes(&bytes).unwrap().scores(), fitted.scores());
    }
}

#[test]
fn a_save_that_fails_leaves_the_old_model() {
    let (points, labels, _) = moons();
    let folder = std::env::temp_dir().join(format!("gaussfield-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("model");
    let old = read("harmonic = {}").fit(&points, &labels).unwrap();
    let new = read("consistency = { alpha = 0.9 }").fit(&points, &labels).unwrap();
    old.save(&path).unwrap();
    let counting = Faults::counting(&folder);
    old.save(&path).unwrap();
    assert!(counting.all_synced(), "a model that is saved outlasts a loss of power");
    let calls = counting.calls();
    drop(counting);
    for fault in Fault::ALL {
        for call in 0..calls {
            old.save(&path).unwrap();
            let faults = Faults::below(&folder, fault, call);
            let saved = new.save(&path);
            assert!(faults.struck());
            drop(faults);
            let found = Fitted::load(&path).unwrap();
            let whole = |model: &Fitted| found.scores() == model.scores();
            assert!(whole(&new) || saved.is_err() && whole(&old), "{fault:?} at {call}");
        }
    }
    // A folder in the way is an error that names it.
    let error = format!("{:?}", new.save(&folder).unwrap_err());
    assert!(error.contains(&folder.display().to_string()), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Every automatic choice is saved with its reason.
#[test]
fn choices_are_saved_with_their_reasons() {
    let moons = TwoMoons { n: 80, noise: 0.05 }.generate(1).unwrap();
    let labels = moons.labels.keep(&[0, 20, 60, 79]).unwrap();
    let plan = Description::automatic(&moons.points, &labels).unwrap();
    let fitted = plan.fit(&moons.points, &labels).unwrap();
    let parts: Vec<&str> = fitted.choices().iter().map(|choice| &*choice.part).collect();
    let of_plan = plan.choices.len();
    assert_eq!(fitted.choices()[..of_plan], plan.choices);
    assert_eq!(parts[of_plan..], ["search", "sharpness", "solver"]);
    assert!(fitted.choices().iter().all(|choice| !choice.because.is_empty()));
    let again = Fitted::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    assert_eq!(again.choices(), fitted.choices());
    // What a description leaves open is told without a plan as well; what it says is no choice.
    let told = |text: &str| {
        let fitted = Description::from_toml(text).unwrap().fit(&moons.points, &labels).unwrap();
        fitted.choices().iter().map(|choice| choice.part.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told("method.harmonic = {}"), ["graph", "search", "weights", "solver"]);
    let all = "graph.knn = { k = 4, search = \"kd-tree\" }\nweights.exponential.sigma = 0.3\n\
               method.harmonic.solver.solver = \"sparse-cholesky\"";
    assert!(told(all).is_empty());
    let learned = "method.harmonic = {}\ntuning.objective.entropy.epsilon = 0.01";
    assert!(told(learned).contains(&"learned".to_owned()));
}
