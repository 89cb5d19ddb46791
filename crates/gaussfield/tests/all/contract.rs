//! One contract for every method, through the common traits.
//!
//! Whatever points and labels are given, a method answers soundly or says why not: no NaN, no row
//! that is no distribution, no panic. What must hold of an answer holds of every method. A new method joins by its
//! line in [`METHODS`](crate::methods::METHODS).

use crate::methods::{METHODS, Named, read};
use gaussfield::core::{Budget, Progress};
use gaussfield::data::generate::TwoMoons;
use gaussfield::description::{Description, DescriptionError, Fitted};
use gaussfield::graph::Graph;
use gaussfield::labels::{Labels, Named as _, Transductive as _};
use gaussfield::points::Points;
use ndarray::{Array2, Axis, concatenate};
use std::time::{Duration, Instant};

/// What a row of scores may miss of one.
const OFF: f64 = 1e-9;
/// Longest time of one fit of so few points.
const LONG: Duration = Duration::from_secs(60);

fn moons(n: usize) -> (Points, Labels) {
    let moons = TwoMoons { n, noise: 0.05 }.generate(3).unwrap();
    let shown = [0, n / 4, n / 2 + n / 5, n - 1];
    let labels = moons.labels.keep(&shown).unwrap();
    (moons.points, labels)
}

fn names(of: &[&str]) -> Vec<String> {
    of.iter().map(|&name| name.to_owned()).collect()
}

/// Fits, and checks whatever comes.
fn outcome(method: &Named, points: &Points, labels: &Labels) -> Result<Fitted, String> {
    let start = Instant::now();
    let fitted = read(method.text).fit(points, labels).map_err(|error| said(&error));
    assert!(start.elapsed() < LONG, "{method} took {:?}", start.elapsed());
    if let Ok(fitted) = &fitted {
        check(method, fitted, points, labels);
    }
    fitted
}

/// The whole message, sources included, and that there is one.
pub(crate) fn said(error: &DescriptionError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text += &format!(": {error}");
        source = error.source();
    }
    assert!(text.len() > 10 && text.len() < 2000, "{text}");
    text
}

pub(crate) fn check(method: &Named, fitted: &Fitted, points: &Points, labels: &Labels) {
    let scores = fitted.scores().values();
    assert_eq!(scores.dim(), (points.len(), labels.classes()), "{method}");
    for (row, scores) in scores.rows().into_iter().enumerate() {
        let sound = scores.iter().all(|p| p.is_finite() && *p >= -OFF && *p <= 1.0 + OFF);
        assert!(sound && (scores.sum() - 1.0).abs() <= OFF, "{method}: row {row} is {scores}");
    }
    assert_eq!(fitted.class_names(), labels.names(), "{method}");
    assert_eq!(fitted.predictions().class_names(), labels.names(), "{method}");
    assert_eq!(fitted.predictions().rows(), labels.unlabelled(), "{method}");
    for told in fitted.predictions().iter() {
        assert!(labels.names().iter().any(|name| name == told.class), "{method}");
        assert!((0.0..=1.0 + OFF).contains(&told.probability), "{method}");
    }
}

#[test]
fn parts_without_a_label_are_refused_or_answered() {
    let (points, labels) = moons(60);
    let far = points.to_dense() + 1e4;
    let both = concatenate(Axis(0), &[points.to_dense().view(), far.view()]).unwrap();
    let points = Points::dense(both).unwrap();
    let classes = labels.as_slice().iter().copied().chain([None; 60]).collect();
    let labels = Labels::new(classes, labels.names().to_vec()).unwrap();
    for method in METHODS {
        let _ = outcome(method, &points, &labels);
    }
}

#[test]
fn one_class_one_label_all_labels_no_label() {
    let (points, labels) = moons(60);
    let one_class: Vec<Option<usize>> = (0..60).map(|i| (i % 9 == 0).then_some(0)).collect();
    let one_class = Labels::new(one_class, names(&["only"])).unwrap();
    let one_label = labels.keep(&[0]).unwrap();
    let all = Labels::new((0..60).map(|i| Some(i / 30)).collect(), names(&["a", "b"])).unwrap();
    let none = Labels::new(vec![None; 60], names(&["a", "b"])).unwrap();
    for method in METHODS {
        if let Ok(fitted) = outcome(method, &points, &one_class) {
            assert!(fitted.predictions().iter().all(|told| told.class == "only"), "{method}");
        }
        let _ = outcome(method, &points, &one_label);
        if let Ok(fitted) = outcome(method, &points, &all) {
            assert_eq!(fitted.predictions().len(), 0, "{method}");
        }
        assert!(outcome(method, &points, &none).is_err(), "{method} learns from no label");
        let other = Labels::new(vec![Some(0); 59], names(&["a", "b"])).unwrap();
        assert!(outcome(method, &points, &other).is_err(), "{method} takes 59 labels for 60");
    }
}

#[test]
fn duplicates_constant_columns_and_numbers_of_any_size() {
    let (points, labels) = moons(60);
    let rows = points.to_dense();
    let twice = rows.select(Axis(0), &(0..60).map(|i| i / 2 * 2).collect::<Vec<_>>());
    let constant = concatenate(Axis(1), &[rows.view(), Array2::from_elem((60, 2), 7.0).view()]);
    let mut huge = rows.clone();
    (huge[[5, 0]], huge[[6, 1]]) = (1e300, -1e300);
    let all = [
        twice,
        Array2::from_elem((60, 2), 3.0),
        constant.unwrap(),
        huge,
        &rows * 1e300,
        &rows * 1e-300,
        &rows + 1e12,
    ];
    for rows in all {
        let points = Points::dense(rows).unwrap();
        for method in METHODS {
            let _ = outcome(method, &points, &labels);
        }
    }
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(Points::dense(Array2::from_elem((3, 1), bad)).is_err());
    }
}

#[test]
fn a_thousand_classes() {
    let (points, _) = moons(60);
    let many: Vec<String> = (0..1000).map(|class| format!("class {class}")).collect();
    let shown = |i: usize| i.is_multiple_of(15).then_some((i * 37) % 1000);
    let labels = Labels::new((0..60).map(shown).collect(), many).unwrap();
    for method in METHODS {
        let _ = outcome(method, &points, &labels);
    }
}

#[test]
fn permuted_points_have_permuted_answers() {
    let (points, labels) = moons(60);
    let order: Vec<usize> = (0..60).map(|i| (i * 23 + 7) % 60).collect();
    let permuted = points.select(&order).unwrap();
    let classes = order.iter().map(|&i| labels.as_slice()[i]).collect();
    let other = Labels::new(classes, labels.names().to_vec()).unwrap();
    for method in METHODS.iter().filter(|method| !method.draws) {
        let first = outcome(method, &points, &labels).unwrap();
        let second = outcome(method, &permuted, &other).unwrap();
        let expected = first.scores().values().select(Axis(0), &order);
        let gap = (&expected - &second.scores().values()).fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(gap < 1e-5, "{method}: {gap:e}");
    }
}

/// The unit of the weights is nobody's business where nothing is compared with them: powers of two
/// change no digit of them.
#[test]
fn scaled_weights_have_the_same_answers() {
    let (points, labels) = moons(60);
    let graph = read("harmonic = {}").graph_of(&points).unwrap();
    let mut compared = 0;
    for method in METHODS.iter().filter(|method| method.scales) {
        let description = read(method.text);
        if description.method.needs_points() {
            continue;
        }
        let first = description.fit_graph(graph.clone(), &labels).unwrap();
        for power in [-400, 400] {
            let by = 2.0_f64.powi(power);
            let scaled = Graph::from_edges(60, edges(&graph).map(|(i, j, w)| (i, j, w * by)));
            let second = description.fit_graph(scaled.unwrap(), &labels);
            let second = second.unwrap_or_else(|error| panic!("{method}: {}", said(&error)));
            let gaps = &first.scores().values() - &second.scores().values();
            let gap = gaps.fold(0.0_f64, |most, gap| most.max(gap.abs()));
            assert!(gap < 1e-9, "{method} by 2^{power}: {gap:e}");
        }
        compared += 1;
    }
    assert!(compared > 12, "{compared}");
}

/// Each edge once.
fn edges(graph: &Graph) -> impl Iterator<Item = (usize, usize, f64)> {
    let mut edges = Vec::new();
    for i in 0..graph.nodes() {
        graph.for_each_neighbour(i, |j, weight| {
            if i < j {
                edges.push((i, j, weight));
            }
        });
    }
    edges.into_iter()
}

#[test]
fn threads_change_no_bit() {
    let (points, labels) = moons(60);
    for method in METHODS {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| outcome(method, &points, &labels).unwrap())
        };
        let (one, two) = (on(1), on(2));
        assert_eq!(one.scores(), two.scores(), "{method}");
        assert_eq!(one.predictions(), two.predictions(), "{method}");
    }
}

#[test]
fn new_points_are_answered_as_soundly() {
    let (points, labels) = moons(60);
    let new = TwoMoons { n: 10, noise: 0.05 }.generate(9).unwrap().points;
    let far = Points::dense(Array2::from_shape_fn((3, 2), |(i, _)| 10_f64.powi(100 * i as i32)));
    for method in METHODS {
        let fitted = outcome(method, &points, &labels).unwrap();
        let by_itself = fitted.facts().get("new points") == Some(&"by the method".into());
        assert_eq!(by_itself, method.for_new_points, "{method}");
        for points in [&new, far.as_ref().unwrap()] {
            let Ok(told) = fitted.predict_new(points) else { continue };
            assert_eq!(told.class_names(), labels.names(), "{method}");
            let sound = |p: f64| (0.0..=1.0 + OFF).contains(&p);
            assert!(told.iter().all(|told| sound(told.probability)), "{method}");
        }
        let narrow = Points::dense(Array2::zeros((2, 1))).unwrap();
        assert!(fitted.predict_new(&narrow).is_err(), "{method} takes points of one dimension");
    }
}

#[test]
fn cancelled_work_is_an_error_and_changes_nothing() {
    let (points, labels) = moons(60);
    for method in METHODS {
        let before = outcome(method, &points, &labels).unwrap();
        let progress = Progress::new(|_| ());
        progress.cancel();
        // A method that is done before it could be heard may finish.
        if let Ok(finished) = progress.during(|| read(method.text).fit(&points, &labels)) {
            assert_eq!(finished.scores(), before.scores(), "{method}");
        }
        let after = outcome(method, &points, &labels).unwrap();
        assert_eq!(after.scores(), before.scores(), "{method}");
    }
}

#[test]
fn a_budget_of_nothing_is_refused() {
    let (points, labels) = moons(60);
    for method in METHODS {
        let nothing = Description { budget: Budget { bytes: 0 }, ..read(method.text) };
        let error = nothing.fit(&points, &labels).err().unwrap_or_else(|| panic!("{method}"));
        assert!(said(&error).contains("budget"), "{method}: {error}");
    }
}

/// The points of the fit, asked as if they were new, have the classes that they had.
#[test]
fn old_points_asked_as_new_have_their_classes() {
    let (points, labels) = moons(60);
    for method in METHODS.iter().filter(|method| method.for_new_points) {
        let fitted = outcome(method, &points, &labels).unwrap();
        let told = fitted.predict_new(&points).unwrap_or_else(|error| panic!("{method}: {error}"));
        let class_of = |row: usize| told.iter().find(|told| told.row == row).map(|told| told.class);
        for before in fitted.predictions().iter() {
            assert_eq!(class_of(before.row), Some(before.class), "{method}: row {}", before.row);
        }
    }
}

/// Names that other programs take for numbers, for nothing, or for "unlabelled" are names.
#[test]
fn class_names_are_any_text() {
    let (points, labels) = moons(60);
    for pair in [["-2", "5"], ["-1", "nan"], ["", " "], ["é\n", "\"0\""]] {
        let named = Labels::new(labels.as_slice().to_vec(), names(&pair)).unwrap();
        for method in METHODS {
            let fitted = outcome(method, &points, &named).unwrap();
            assert_eq!(fitted.class_names(), pair, "{method}");
        }
    }
}

/// The potential of a chain falls by the same amount at each link, however long it is.
#[test]
fn long_chains_have_the_answer_known() {
    for n in [200, 2000] {
        let points = Points::dense(Array2::from_shape_fn((n, 1), |(i, _)| i as f64)).unwrap();
        let mut classes = vec![None; n];
        (classes[0], classes[n - 1]) = (Some(0), Some(1));
        let labels = Labels::new(classes, names(&["left", "right"])).unwrap();
        for weights in ["weights = { exponential = { sigma = 1.0 } }", "weights = \"unweighted\""] {
            let text = format!("graph.ball = {{ eps = 1.5 }}\n{weights}\nmethod.harmonic = {{}}\n");
            let fitted = Description::from_toml(&text).unwrap().fit(&points, &labels).unwrap();
            for (i, row) in fitted.scores().values().rows().into_iter().enumerate() {
                let want = i as f64 / (n - 1) as f64;
                assert!((row[1] - want).abs() < 1e-9, "{n}, {i}: {} for {want}", row[1]);
            }
        }
    }
}

/// A width so small that every weight is zero or nothing: an error, never a class at random.
#[test]
fn weights_that_vanish_are_told() {
    let (points, labels) = moons(60);
    for method in METHODS {
        let description = read(method.text);
        if !description.method.needs_graph() {
            continue;
        }
        for sigma in [1e-3, 1e-150, 1e-300] {
            let text = format!("weights.exponential.sigma = {sigma:e}\n[method]\n{}", method.text);
            let fitted = Description::from_toml(&text).unwrap().fit(&points, &labels);
            match fitted {
                Ok(fitted) => check(method, &fitted, &points, &labels),
                Err(error) => drop(said(&error)),
            }
        }
    }
}
