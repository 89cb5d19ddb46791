//! Labels that may be wrong: the list of suspects, and the bound that EM climbs.

use gaussfield_gp::{Flip, FlippedProbit, GaussianProcess, GraphPrior, Observed, Warning};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use ndarray::{Array2, Axis};

/// Two rings of ten, joined by one weak edge.
fn rings() -> Graph {
    let ring = |first: usize| (0..10).map(move |i| (first + i, first + (i + 1) % 10, 1.0));
    let chord = |first: usize| (0..10).map(move |i| (first + i, first + (i + 3) % 10, 0.5));
    let edges = ring(0).chain(ring(10)).chain(chord(0)).chain(chord(10));
    Graph::from_edges(20, edges.chain([(0, 10, 0.01)])).unwrap()
}

/// Five labels on each ring; the one of node 4 is wrong.
fn observed() -> Observed {
    let nodes = [0, 2, 4, 6, 8, 11, 13, 15, 17, 19];
    let sign = |&node: &usize| if (node < 10) ^ (node == 4) { 1.0 } else { -1.0 };
    Observed::new(&nodes, &nodes.iter().map(sign).collect::<Vec<f64>>()).unwrap()
}

#[test]
fn a_wrong_label_is_the_first_suspect() {
    let prior = GraphPrior::normalised(0.02).on(&rings()).unwrap();
    let flip = GaussianProcess::ep(Flip { epsilon: 0.1 }).fit(&prior, observed()).unwrap();
    let probit = FlippedProbit { epsilon: 0.1, noise: 0.1 };
    let probit = GaussianProcess::ep(probit).fit(&prior, observed()).unwrap();
    for audit in [flip.audit(), probit.audit()] {
        let suspects = &audit.suspects;
        assert_eq!(audit.warning, None);
        assert_eq!(suspects.len(), 10);
        assert_eq!((suspects[0].node, suspects[0].class, suspects[0].instead), (4, 0, 1));
        assert!(suspects[0].probability > 0.5, "{suspects:?}");
        assert!(suspects[1].probability < 0.2);
        assert!(suspects.windows(2).all(|pair| pair[0].probability >= pair[1].probability));
    }
    let certain = GaussianProcess::ep(Flip { epsilon: 0.0 });
    let certain = certain.fit(&prior, observed()).unwrap();
    let audit = certain.audit();
    assert!(audit.suspects.iter().all(|suspect| suspect.probability == 0.0));
    assert_eq!(audit.warning, Some(Warning::NoNoise { epsilon: 0.0 }));
    assert!(certain.bound().value() < f64::MIN, "minus infinity");
}

/// Labels of two classes, one process or two: the same audit.
#[test]
fn one_against_rest_suspects_as_one_process_does() {
    let prior = GraphPrior::normalised(0.02).on(&rings()).unwrap();
    let seen = observed();
    let mut classes = vec![None; 20];
    for (&node, &target) in seen.nodes().iter().zip(seen.targets()) {
        classes[node] = Some(usize::from(target > 0.0));
    }
    let labels = Labels::new(classes, vec!["no".into(), "yes".into()]).unwrap();
    let process = GaussianProcess::ep(FlippedProbit { epsilon: 0.1, noise: 0.1 });
    let one = process.fit(&prior, &labels).unwrap().audit();
    let rest = process.one_against_rest().fit(&prior, &labels).unwrap().audit();
    assert_eq!(one.class_names, rest.class_names);
    for (a, b) in one.suspects.iter().zip(&rest.suspects) {
        assert_eq!((a.node, a.class, a.instead), (b.node, b.class, b.instead));
        assert!((a.probability - b.probability).abs() < 1e-9, "{a:?} {b:?}");
    }
}

/// Three rings in a row, each of one class; node 4 has the class of the last.
#[test]
fn a_wrong_label_among_three_classes_is_found_with_its_right_class() {
    let ring = |first: usize| (0..10).map(move |i| (first + i, first + (i + 1) % 10, 1.0));
    let links = [(0, 10, 0.01), (15, 20, 0.01)];
    let graph = Graph::from_edges(30, ring(0).chain(ring(10)).chain(ring(20)).chain(links));
    let name = |i: usize| ["first", "second", "third"][if i == 4 { 2 } else { i / 10 }];
    let labels = Labels::from_names((0..30).map(|i| (i % 2 == 0).then(|| name(i))));
    let prior = GraphPrior::normalised(0.02).on(&graph.unwrap()).unwrap();
    let fit = |epsilon| {
        let process = GaussianProcess::ep(Flip { epsilon }).one_against_rest();
        process.fit(&prior, &labels).unwrap().audit()
    };
    let audit = fit(0.1);
    assert!(audit.to_string().starts_with("4: third or first (0."), "{audit}");
    assert!(audit.suspects[0].probability > 0.3 && audit.suspects[1].probability < 0.1, "{audit}");
    assert_eq!((audit.suspects.len(), audit.warning), (15, None));
    let sure = fit(1e-9);
    assert_eq!(sure.warning, Some(Warning::NoNoise { epsilon: 1e-9 }));
    assert!(sure.to_string().starts_with("the rate of wrong labels is 1.0e-9"), "{sure}");
    assert_eq!(fit(0.495).warning, Some(Warning::OnlyNoise { epsilon: 0.495 }));
}

#[test]
fn the_bound_is_one_and_its_parts_agree_with_the_definition() {
    let graph = rings();
    for prior in [GraphPrior::shifted(0.1), GraphPrior::normalised(0.05)] {
        let prior = prior.on(&graph).unwrap();
        let fit = |epsilon| GaussianProcess::ep(Flip { epsilon }).fit(&prior, observed()).unwrap();
        let posterior = fit(0.15);
        let bound = posterior.bound();
        assert!(bound.value() < posterior.log_evidence());
        // KL(q ‖ p) on all nodes: ½[tr K⁻¹S − n + ln|K| − ln|Σ|], by elimination.
        let all: Vec<usize> = (0..20).collect();
        let covariance = posterior.covariance(&all).unwrap();
        let prior_covariance = {
            use gaussfield_gp::Prior as _;
            prior.columns(&all).unwrap().values
        };
        let moments = posterior.second_moments().unwrap();
        let (inverse_moments, log_prior) = eliminate(&prior_covariance, &moments);
        let (_, log_posterior) = eliminate(&covariance, &moments);
        let trace: f64 = inverse_moments.diag().sum();
        let divergence = 0.5 * (trace - 20.0 + log_prior - log_posterior);
        assert!((divergence - bound.divergence()).abs() < 1e-8 * divergence);
        // The ε-gradient vanishes at its rule, and only the rule of the mean counts in k/l.
        let l = observed().len() as f64;
        let of_bound = bound.epsilon_of_bound();
        let wrong = l * of_bound;
        let slope = wrong / 0.15 - (l - wrong) / 0.85;
        assert!((bound.epsilon_gradient() - slope).abs() < 1e-10);
        let k = bound.epsilon_as_published() * l;
        assert!((k - k.round()).abs() < 1e-12);
        let published = k / 0.15 - (l - k) / 0.85;
        assert!((bound.epsilon_gradient_as_published() - published).abs() < 1e-10);
        assert!(bound.epsilon_tilted() > 0.0 && bound.epsilon_tilted() < 0.5);
    }
}

/// A⁻¹B and ln |A| by Gaussian elimination, for a positive definite A.
fn eliminate(a: &Array2<f64>, b: &Array2<f64>) -> (Array2<f64>, f64) {
    let (mut a, mut b) = (a.clone(), b.clone());
    let n = a.nrows();
    let mut log_det = 0.0;
    for i in 0..n {
        let pivot = a[[i, i]];
        log_det += pivot.ln();
        for j in (0..n).filter(|&j| j != i) {
            let share = a[[j, i]] / pivot;
            for matrix in [&mut a, &mut b] {
                let row = matrix.index_axis(Axis(0), i).to_owned();
                matrix.index_axis_mut(Axis(0), j).scaled_add(-share, &row);
            }
        }
    }
    for i in 0..n {
        let pivot = a[[i, i]];
        b.index_axis_mut(Axis(0), i).mapv_inplace(|x| x / pivot);
    }
    (b, log_det)
}
