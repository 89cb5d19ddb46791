//! Numbers of an independent dense reference implementation.

use gaussfield_labels::{ClassPrior, Decision, Scores, class_mass_normalise, tuned_threshold};
use ndarray::array;

/// A graph of six nodes, one label of each class: the harmonic function on the other four.
#[test]
fn class_mass_of_a_small_graph() {
    let scores = Scores::new(array![
        [0.6791443850267379, 0.32085561497326204],
        [0.5935828877005348, 0.4064171122994652],
        [0.4224598930481283, 0.5775401069518715],
        [0.08021390374331552, 0.9197860962566845],
    ])
    .unwrap();
    let prior = ClassPrior::uniform(2).unwrap();
    let want = array![
        [0.7261930943479217, 0.2738069056520783],
        [0.6466502352677571, 0.35334976473224283],
        [0.4782305005820722, 0.5217694994179278],
        [0.09850972467794898, 0.9014902753220511],
    ];
    let got = class_mass_normalise(&scores, &prior).unwrap();
    for (got, want) in got.scores.values().iter().zip(&want) {
        assert!((got - want).abs() < 1e-14);
    }
    assert_eq!(Decision::ClassMass(prior).decide(&scores).unwrap(), [0, 0, 1, 1]);
}

/// Latent means of a Gaussian process on eight unlabelled nodes, half of them positive.
#[test]
fn tuned_threshold_of_a_small_process() {
    let modes = array![
        0.6183142959098,
        -0.46188274317610795,
        0.5314991455868769,
        -0.5293580161891865,
        -0.5209391870480172,
        -0.6280775065835985,
        0.5855095577640602,
        0.542944424006535
    ];
    let tuned = tuned_threshold(modes.view(), 0.5).unwrap();
    assert_eq!(tuned.positives, [true, false, true, false, false, false, true, true]);
    assert!((tuned.threshold - 0.0348082012053845).abs() < 1e-14);
}
