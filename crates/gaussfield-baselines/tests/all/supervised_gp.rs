//! The supervised Gaussian process: its laws, its choice of a kernel, its errors.

use crate::bad_matrices::{assert_says, done};
use gaussfield_baselines::{BaselineError, BayesPointMachine, Kernel, SupervisedGp};
use gaussfield_core::Budget;
use gaussfield_gp::{Ambient, GaussianProcess, Geometry, Observed, Probit, Warp};
use gaussfield_graph::Graph;
use gaussfield_labels::{Inductive as _, Labels};
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use ndarray::{Array2, array};
use proptest::prelude::*;

fn line(places: &[f64]) -> Points {
    Points::dense(Array2::from_shape_vec((places.len(), 1), places.to_vec()).unwrap()).unwrap()
}

const WIDE: Kernel = Kernel::Rbf { width: 1.0 };

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Without the graph (γ_I = 0) the semi-supervised process is this one.
    #[test]
    fn it_is_the_warped_process_without_a_graph(
        places in prop::collection::vec(-2.0..2.0_f64, 12),
        noise in 0.01..1.0_f64,
    ) {
        let points = line(&places);
        let classes = [0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0];
        let labels = Labels::numbered(&classes, 2).unwrap().keep(&[1, 3, 4, 7]).unwrap();
        let model = SupervisedGp { noise, ..SupervisedGp::new(WIDE) }.fit(&points, &labels).unwrap();

        let budget = Budget::default();
        let graph = Graph::from_edges(12, (1..12).map(|i| (i - 1, i, 1.0))).unwrap();
        let geometry = Geometry::new(&graph, Laplacian::Combinatorial, budget).unwrap();
        let ambient = Ambient::new(&geometry, &points, WIDE, budget).unwrap();
        let warped = ambient.warp(Warp { gamma_a: 1.0, gamma_i: 0.0, power: 1 }).unwrap();
        let observed = Observed::one_against_rest(&labels, 1).unwrap();
        let posterior = GaussianProcess::ep(Probit { noise }).fit(&warped, &observed).unwrap();

        prop_assert!((model.log_evidence() - posterior.log_evidence()).abs() < 1e-8);
        let (ours, theirs) =
            (model.marginals(&points).unwrap(), posterior.marginals(&points).unwrap());
        let ours = ours[0].as_ref().unwrap();
        for i in 0..12 {
            prop_assert!((ours.mean[i] - theirs.mean[i]).abs() < 1e-7);
            prop_assert!((ours.variance[i] - theirs.variance[i]).abs() < 1e-7);
            prop_assert!((ours.probability[i] - theirs.probability[i]).abs() < 1e-7);
        }
        let predicted = model.predict(&points).unwrap();
        for (i, &class) in predicted.argmax().iter().enumerate() {
            prop_assert_eq!(class, usize::from(ours.probability[i] > 0.5));
        }
    }
}

#[test]
fn the_evidence_chooses_the_kernel() {
    let points = line(&[0.0, 0.5, 1.0, 3.0, 3.5, 4.0]);
    let labels = Labels::numbered(&[0, 0, 0, 1, 1, 1], 2).unwrap();
    let kernels = [0.01, 1.0, 100.0].map(|width| Kernel::Rbf { width });
    let alone = kernels
        .map(|kernel| SupervisedGp::new(kernel).fit(&points, &labels).unwrap().log_evidence());
    let chosen = SupervisedGp::choosing(kernels).fit(&points, &labels).unwrap();
    assert_eq!(chosen.kernel(), kernels[1]);
    assert!(alone[1] > alone[0] && alone[1] > alone[2], "{alone:?}");
    assert!((chosen.log_evidence() - alone[1]).abs() < 1e-12);
}

#[test]
fn more_than_two_classes_and_one_without_labels() {
    let points = line(&[0.0, 0.2, 2.0, 2.2, 4.0, 4.2, 9.0]);
    let names = ["a", "b", "c", "never"].map(str::to_owned).to_vec();
    let shown = vec![Some(0), None, Some(1), None, Some(2), None, None];
    let labels = Labels::new(shown, names).unwrap();
    let model = SupervisedGp::new(Kernel::Rbf { width: 0.7 }).fit(&points, &labels).unwrap();
    let prediction = model.predict(&points).unwrap();
    assert_eq!(&prediction.argmax()[..6], [0, 0, 1, 1, 2, 2]);
    assert!(prediction.class(3).iter().all(|&score| score.abs() < 1e-300));
    let processes = model.marginals(&points).unwrap();
    assert_eq!(
        processes.iter().map(Option::is_some).collect::<Vec<_>>(),
        [true, true, true, false]
    );
    assert!(model.predict(&points.select(&[]).unwrap()).unwrap().argmax().is_empty());
}

/// Doubled points make K singular; contradicting labels on them leave a coin toss.
#[test]
fn doubled_points_do_no_harm() {
    let points = line(&[0.0, 0.0, 3.0, 3.0]);
    let labels = Labels::numbered(&[0, 1, 1, 1], 2).unwrap();
    let model =
        SupervisedGp { noise: 0.1, ..SupervisedGp::new(WIDE) }.fit(&points, &labels).unwrap();
    let found = model.marginals(&points).unwrap();
    let probability = &found[0].as_ref().unwrap().probability;
    assert!((probability[0] - 0.5).abs() < 0.1 && probability[3] > 0.9, "{probability}");
}

#[test]
fn wrong_input_is_named() {
    let points = line(&[0.0, 1.0, 2.0]);
    let labels = Labels::from_names([Some("a"), Some("b"), None]);
    let none = labels.keep(&[]).unwrap();
    let one = labels.keep(&[1]).unwrap();
    let plain = SupervisedGp::new(WIDE);
    let model = plain.fit(&points, &labels).unwrap();
    let wide = Points::dense(array![[1.0, 2.0]]).unwrap();
    let noise = |noise| done(SupervisedGp { noise, ..plain.clone() }.fit(&points, &labels));
    let width = |width| done(SupervisedGp::new(Kernel::Rbf { width }).fit(&points, &labels));
    let length = done(plain.fit(&line(&[0.0]), &labels));
    let empty: Result<(), BaselineError> = done(SupervisedGp::choosing([]).fit(&points, &labels));
    assert_says(vec![
        ("no kernel", empty, &["grid is empty"]),
        ("no label", done(plain.fit(&points, &none)), &["no node is labelled"]),
        ("one class", done(plain.fit(&points, &one)), &["\"b\"", "all 1"]),
        ("length", length, &["3 given where 1"]),
        ("noise 0", noise(0.0), &["noise", "is 0", "positive"]),
        ("noise NaN", noise(f64::NAN), &["noise", "NaN"]),
        ("width", width(-1.0), &["width", "-1"]),
        (
            "dimension",
            done(model.predict(&wide)),
            &["dimensions of the points: 2 given where 1 are needed"],
        ),
    ]);
}

#[test]
fn the_bayes_point_is_in_the_middle_of_the_wedge() {
    // Planes that agree with both labels: those whose normal is within 90° of 0° and of 70°. Their
    // mean points to 35° by symmetry, and a query at a right angle to it is on the boundary.
    let at = |degrees: f64| [degrees.to_radians().cos(), degrees.to_radians().sin()];
    let points = Points::dense(ndarray::arr2(&[at(0.0), at(250.0)])).unwrap();
    let labels = Labels::numbered(&[1, 0], 2).unwrap();
    let queries =
        Points::dense(ndarray::arr2(&[at(125.0), at(35.0), at(120.0), at(130.0)])).unwrap();
    let model = BayesPointMachine::new(Kernel::Linear).fit(&points, &labels).unwrap();
    let means = model.marginals(&queries).unwrap().remove(0).unwrap().mean;
    assert!(means[0].abs() < 1e-6 && means[1] > 0.5, "{means}");
    assert!(means[2] > 0.0 && means[3] < 0.0, "{means}");
    // Half of all planes agree with the first label; of these 110° of 180° with the second.
    let exact = (0.5 * 110.0 / 180.0_f64).ln();
    assert!((model.log_evidence() - exact).abs() < 0.02, "{} {exact}", model.log_evidence());
    let impossible = Labels::numbered(&[1, 0, 0], 2).unwrap();
    let twice = Points::dense(ndarray::arr2(&[at(0.0), at(250.0), at(0.0)])).unwrap();
    assert!(BayesPointMachine::new(Kernel::Linear).fit(&twice, &impossible).is_err());
    let noisy = BayesPointMachine { epsilon: 0.1, ..BayesPointMachine::new(Kernel::Linear) };
    assert!(noisy.fit(&twice, &impossible).is_ok());
}
