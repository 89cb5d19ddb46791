//! No input makes a method take memory that it was not given: each test runs in a process of its own
//! that has less than the input asks for.

use crate::contract::{check, said};
use crate::methods::{METHODS, read};
use gaussfield::core::Budget;
use gaussfield::data::read::svmlight::{self, IndexBase};
use gaussfield::description::Description;
use gaussfield::graph::Graph;
use gaussfield::labels::Labels;
use gaussfield::points::Points;
use ndarray::Array2;
use std::path::Path;
use std::process::Command;

/// Set for the process that a test starts of itself.
const AGAIN: &str = "GAUSSFIELD_TEST_AGAIN";
/// Kilobytes of address space of that process.
const MEMORY: &str = "1500000";
/// What descriptions are given of it.
const SMALL: Budget = Budget { bytes: 64 << 20 };

/// Runs the test of this name again under the limit; `true` in that process.
fn limited(name: &str) -> bool {
    if std::env::var_os(AGAIN).is_some() {
        return true;
    }
    let mut again = Command::new("sh");
    again.args(["-c", "ulimit -v \"$1\" && exec \"$0\" --exact \"$2\""]);
    again.arg(std::env::current_exe().unwrap()).arg(MEMORY).arg(format!("memory::{name}"));
    // Threads reserve addresses that they do not use.
    again.env(AGAIN, "").env("RAYON_NUM_THREADS", "2").env("MALLOC_ARENA_MAX", "2");
    let output = again.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && told.contains("1 passed"), "{output:?}");
    false
}

/// A line of a sparse file can name a feature by any number: no method takes memory for all that
/// might lie below it.
#[test]
fn the_widest_sparse_points_are_refused_or_answered() {
    if !limited("the_widest_sparse_points_are_refused_or_answered") {
        return;
    }
    let text = "1 268435455:1\n-1 1:1\n1 5:2\n-1 1:2\n1 5:1\n-1 7:1\n";
    let data = svmlight::parse(Path::new("wide"), text.as_bytes(), IndexBase::One).unwrap();
    let labels = data.labels.keep(&[0, 1]).unwrap();
    for method in METHODS {
        let description = Description { budget: SMALL, ..read(method.text) };
        match description.fit(&data.points, &labels) {
            Ok(fitted) => check(method, &fitted, &data.points, &labels),
            Err(error) => drop(said(&error)),
        }
    }
}

/// A column of numbers taken for classes: every method says so, on points and on a graph, within the
/// memory that it has.
#[test]
fn a_column_of_ids_is_refused_as_classes() {
    if !limited("a_column_of_ids_is_refused_as_classes") {
        return;
    }
    const POINTS: usize = 20_000;
    let names = (0..POINTS - 1).map(|id| format!("id {id}")).collect();
    let classes = (0..POINTS).map(|i| (i > 0).then(|| i - 1)).collect();
    let labels = Labels::new(classes, names).unwrap();
    let points = Points::dense(Array2::from_shape_fn((POINTS, 1), |(i, _)| i as f64)).unwrap();
    let chain = Graph::from_edges(POINTS, (1..POINTS).map(|i| (i - 1, i, 1.0))).unwrap();
    for method in METHODS {
        let description = read(method.text);
        let mut outcomes = vec![description.fit(&points, &labels)];
        if !description.method.needs_points() {
            outcomes.push(description.fit_graph(chain.clone(), &labels));
        }
        for outcome in outcomes {
            let error = outcome.err().unwrap_or_else(|| panic!("{method} takes ids for classes"));
            let told = said(&error);
            assert!(told.contains("the scores of all classes take 9.60 GB"), "{method}: {told}");
            assert!(told.contains("numbers or ids"), "{method}: {told}");
        }
    }
}

/// Few points of many features: covariances of all pairs of these are refused, the rest is answered.
#[test]
fn covariances_of_many_features_are_refused() {
    if !limited("covariances_of_many_features_are_refused") {
        return;
    }
    let row = |(i, j): (usize, usize)| ((i * 31 + j * 17) % 13) as f64 + (i % 2) as f64 * 9.0;
    let points = Points::dense(Array2::from_shape_fn((40, 20_000), row)).unwrap();
    let class = |i: usize| (i < 6).then_some(i % 2);
    let labels = Labels::new((0..40).map(class).collect(), vec!["a".into(), "b".into()]).unwrap();
    let mut refused = 0;
    for method in METHODS.iter().filter(|method| method.text.contains("mixture")) {
        match read(method.text).fit(&points, &labels) {
            Ok(fitted) => check(method, &fitted, &points, &labels),
            Err(error) => {
                let told = said(&error);
                let matrices = ["the densities of all components", "a logistic regression"];
                assert!(matrices.iter().any(|what| told.contains(what)), "{method}: {told}");
                refused += 1;
            }
        }
    }
    assert_eq!(refused, 4, "full covariances twice, tied ones, and a logistic regression");
}
