//! The baselines on the handwritten digits of Zhu et al. 2003, where `GAUSSFIELD_DATA` names a
//! folder that has them.
//!
//! The expected accuracies come from an independent plain implementation of the three rules on
//! other random splits (ten of 92 labels, eight of 100). They vary by 0.008 to 0.018 from split to
//! split, so means of a few splits agree to about 0.02.

use gaussfield_baselines::{Kernel, NearestNeighbours, Rbf, VotedPerceptron};
use gaussfield_core::Budget;
use gaussfield_data::split::Split;
use gaussfield_data::{Dataset, read::npy};
use gaussfield_graph::{Exponential, Metric, Pattern, WeightFamily};
use gaussfield_labels::{HeldOut, Inductive as _, Labels, Scores, Transductive as _, metrics};
use std::path::PathBuf;

fn usps() -> Option<Dataset> {
    let folder = PathBuf::from(std::env::var_os("GAUSSFIELD_DATA")?).join("usps");
    let images = folder.join("images.npy");
    images.exists().then(|| npy::read_dataset(&images, folder.join("labels.npy")).unwrap())
}

/// The images of some digits, of each the first `count`, grouped into classes.
fn digits(all: &Dataset, count: usize, class: impl Fn(usize) -> Option<usize>) -> Dataset {
    let names = all.labels.names();
    let mut taken = [0; 10];
    let (mut rows, mut classes) = (Vec::new(), Vec::new());
    for row in 0..all.len() {
        let digit: usize = names[all.labels.get(row).unwrap()].parse().unwrap();
        if let Some(class) = class(digit)
            && taken[digit] < count
        {
            taken[digit] += 1;
            rows.push(row);
            classes.push(class);
        }
    }
    let labels = Labels::numbered(&classes, 2).unwrap();
    Dataset { labels, ..all.select(&rows).unwrap() }
}

fn mean_accuracy(
    data: &Dataset,
    labelled: usize,
    mut predict: impl FnMut(&Labels) -> Scores,
) -> f64 {
    let results: Vec<f64> = (0..5)
        .map(|seed| {
            let split = Split::random(&data.labels, labelled, seed).unwrap();
            let given = split.partial(&data.labels).unwrap();
            let prediction = predict(&given).select(&given.unlabelled()).unwrap();
            let held_out = HeldOut::new(&data.labels, &given).unwrap();
            metrics::accuracy(&held_out, &prediction.argmax()).unwrap()
        })
        .collect();
    metrics::MeanStd::over(&results).unwrap().mean
}

fn assert_near(name: &str, got: f64, want: f64) {
    assert!((got - want).abs() < 0.02, "{name}: accuracy {got}, expected {want} ± 0.02");
}

/// Figure 3, left, at 92 labels.
#[test]
fn ones_and_twos() {
    let Some(all) = usps() else { return };
    let data = digits(&all, 1100, |digit| match digit {
        1 => Some(1),
        2 => Some(0),
        _ => None,
    });
    assert_eq!(data.len(), 2200);
    let nearest = mean_accuracy(&data, 92, |given| {
        let model = NearestNeighbours::one(Metric::Euclidean).fit(&data.points, given).unwrap();
        model.predict(&data.points).unwrap()
    });
    let perceptron = mean_accuracy(&data, 92, |given| {
        let model = VotedPerceptron::new(Kernel::Linear).fit(&data.points, given).unwrap();
        model.predict(&data.points).unwrap()
    });
    let pattern = Pattern::complete(&data.points, Metric::Euclidean).unwrap();
    let graph = Exponential { sigma: 380.0 }.graph(&pattern, Budget::default()).unwrap();
    let radial = mean_accuracy(&data, 92, |given| {
        Rbf::default().fit(&graph, given).unwrap().scores().clone()
    });
    assert_near("nearest neighbour", nearest, 0.961);
    assert_near("linear perceptron", perceptron, 0.966);
    assert_near("radial basis functions", radial, 0.957);
}

/// Figure 3, right, at 100 labels: odd against even digits, 400 of each.
#[test]
fn odd_and_even() {
    let Some(all) = usps() else { return };
    let data = digits(&all, 400, |digit| Some(digit % 2));
    let kernel = Kernel::Polynomial { degree: 2, scale: 1.0, offset: 1.0 };
    let accuracy = mean_accuracy(&data, 100, |given| {
        let model = VotedPerceptron::new(kernel).fit(&data.points, given).unwrap();
        model.predict(&data.points).unwrap()
    });
    assert_near("quadratic perceptron", accuracy, 0.840);
}
