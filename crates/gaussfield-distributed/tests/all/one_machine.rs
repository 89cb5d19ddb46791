//! What several members find is what one machine finds.

use crate::support::{Edges, graph, joined, labels, ring, share};
use gaussfield_distributed::{Method, Part, SolveOptions, decide, together};
use gaussfield_harmonic::{Consistency, Dynamics, Harmonic};
use gaussfield_labels::{ClassPrior, Decision, Transductive};
use ndarray::Array2;

const NODES: u64 = 600;
const LABELS: [(u64, u32); 6] = [(0, 0), (50, 0), (200, 1), (333, 2), (401, 1), (599, 2)];

fn shared(members: usize, edges: &Edges, method: Method) -> Array2<f64> {
    let options = SolveOptions::default();
    joined(together(members, |world| {
        let part = Part::from_edges(world, NODES, &share(world, edges))?;
        let fit = method.fit(world, &part, &LABELS, 3, &options)?;
        assert!(fit.facts.partition_error <= 1e-6 && fit.facts.iterations > 0);
        Ok((part.rows().to_vec(), fit.scores))
    }))
}

fn assert_near(found: &Array2<f64>, wanted: &Array2<f64>, within: f64) {
    let worst = (found - wanted).iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
    assert!(worst <= within, "off by {worst:e}");
}

#[test]
fn harmonic_functions_agree_for_any_number_of_members() {
    for sharp in [1, 4] {
        let edges = ring(NODES, sharp);
        let one = Harmonic::default().fit(&graph(NODES, &edges), &labels(NODES, &LABELS)).unwrap();
        let one = one.scores().values().to_owned();
        for members in [1, 2, 4, 7] {
            assert_near(&shared(members, &edges, Method::Harmonic), &one, 1e-8);
        }
    }
}

#[test]
fn the_same_number_of_members_gives_the_same_bits() {
    let edges = ring(NODES, 2);
    let run = || shared(3, &edges, Method::Harmonic).mapv(f64::to_bits);
    assert_eq!(run(), run());
}

#[test]
fn consistency_and_dynamics_agree() {
    let edges = ring(NODES, 2);
    let (whole, given) = (graph(NODES, &edges), labels(NODES, &LABELS));
    let one = Consistency { alpha: 0.9, ..Consistency::default() }.fit(&whole, &given).unwrap();
    let found = shared(3, &edges, Method::Consistency { alpha: 0.9 });
    assert_near(&found, &one.scores().values().to_owned(), 1e-8);
    let one = Dynamics::default().fit(&whole, &given).unwrap();
    let found = shared(3, &edges, Method::Dynamics { steps: 4, rounds: 8 });
    assert_near(&found, &one.scores().values().to_owned(), 1e-8);
}

#[test]
fn decisions_agree() {
    let edges = ring(NODES, 2);
    let one = Harmonic::default().fit(&graph(NODES, &edges), &labels(NODES, &LABELS)).unwrap();
    let prior = ClassPrior::given(vec![0.2, 0.3, 0.5]).unwrap();
    for decision in
        [Decision::Argmax, Decision::ClassMass(prior.clone()), Decision::Counts(prior.clone())]
    {
        let wanted = one.predictions(&decision).unwrap().classes().to_vec();
        let parts = together(4, |world| {
            let part = Part::from_edges(world, NODES, &share(world, &edges)).unwrap();
            let options = SolveOptions::default();
            let fit = Method::Harmonic.fit(world, &part, &LABELS, 3, &options).unwrap();
            let (classes, _) = decide(world, &fit.scores, &fit.labelled, &decision).unwrap();
            let open = part.rows().iter().zip(classes).zip(&fit.labelled);
            open.filter(|(_, label)| label.is_none())
                .map(|(own, _)| own)
                .map(|(r, c)| (*r, c))
                .collect()
        });
        let mut found: Vec<(u64, usize)> =
            parts.into_iter().flat_map(|part: Vec<_>| part).collect();
        found.sort_unstable();
        let found: Vec<usize> = found.into_iter().map(|(_, class)| class).collect();
        assert_eq!(found, wanted, "{decision:?}");
    }
}
