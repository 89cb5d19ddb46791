//! What can be asked of every method: which labels are wrong, what to label next.

use crate::methods::{METHODS, read};
use gaussfield::data::generate::TwoMoons;
use gaussfield::description::{Description, DescriptionError};
use gaussfield::harmonic::{Criterion, Query, Reason, Verdict};
use gaussfield::labels::{Islands, Transductive as _};
use gaussfield::prelude::*;

/// Sixty points, of which every fifth has a label.
fn moons() -> (Points, Labels) {
    let moons = TwoMoons { n: 60, noise: 0.05 }.generate(3).unwrap();
    let known: Vec<usize> = (0..60).step_by(5).collect();
    (moons.points, moons.labels.keep(&known).unwrap())
}

#[test]
fn every_method_says_which_labels_are_wrong() {
    let (points, labels) = moons();
    let wrong = labels.get(10).map(|class| 1 - class);
    let labels = labels.with(10, wrong).unwrap();
    let mut found = 0;
    for method in METHODS {
        let fitted = read(method.text).fit(&points, &labels).unwrap();
        let audit = fitted.audit(0.05).unwrap();
        let mut nodes: Vec<usize> = audit.iter().map(|label| label.node).collect();
        nodes.sort_unstable();
        assert_eq!(nodes, labels.labelled(), "{method}");
        assert!(audit.iter().all(|label| (0.0..=1.0).contains(&label.wrong)), "{method}");
        assert!(audit.windows(2).all(|two| two[0].wrong >= two[1].wrong), "{method}");
        found += usize::from(audit[0].node == 10);
        assert!(fitted.audit(1.5).is_err(), "{method}");
    }
    assert!(2 * found > METHODS.len(), "{found} of {} find the wrong label first", METHODS.len());
}

#[test]
fn every_method_on_a_graph_says_what_to_label_next() {
    let (points, labels) = moons();
    let doubts = Query { batch: 3, criterion: Criterion::Uncertainty, ..Query::default() };
    for method in METHODS {
        let description = read(method.text);
        let fitted = description.fit(&points, &labels).unwrap();
        let asked = fitted.next(&doubts);
        if !description.method.needs_graph() {
            assert!(matches!(asked, Err(DescriptionError::NoGraph { .. })), "{method}");
            continue;
        }
        let mut nodes: Vec<usize> = asked.unwrap().iter().map(|asked| asked.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes.len(), 3, "{method}");
        assert!(nodes.iter().all(|&node| labels.get(node).is_none()), "{method}");
        // What an answer would change is told by a field alone.
        let errors = fitted.next(&Query { criterion: Criterion::ExpectedErrors, ..doubts });
        let told = !matches!(errors, Err(DescriptionError::NoField { .. }));
        assert_eq!(told, fitted.field().is_some(), "{method}");
    }
}

/// Groups without a label come first, of a method without a field too.
#[test]
fn what_no_label_reaches_is_asked_first() {
    let graph =
        Graph::from_edges(7, [(0, 1), (1, 2), (3, 4), (4, 5), (5, 6)].map(|(i, j)| (i, j, 1.0)));
    let names = [Some("a"), None, Some("b"), None, None, None, None];
    let prior = ClassPrior::uniform(2).unwrap();
    let dynamics = Dynamics { islands: Islands::Prior(prior), ..Dynamics::default() };
    let description = Description::from(gaussfield::description::Method::Dynamics(dynamics));
    let fitted = description.fit_graph(graph.unwrap(), &Labels::from_names(names)).unwrap();
    assert!(fitted.field().is_none() && fitted.islands() == [3, 4, 5, 6]);
    let query = Query { batch: 2, criterion: Criterion::Uncertainty, ..Query::default() };
    let asked = fitted.next(&query).unwrap();
    assert_eq!((asked[0].node, asked[0].reason), (4, Reason::Unreached { nodes: 4 }));
    assert_eq!(asked[1].node, 1);
}

/// Fifteen labels, one of them wrong. A process that learned that none is wrong says that its numbers
/// tell nothing; the audit with a stated share finds it.
#[test]
fn fifteen_labels_with_one_wrong() {
    let moons = TwoMoons { n: 150, noise: 0.05 }.generate(8).unwrap();
    let known: Vec<usize> = (0..150).step_by(10).collect();
    let labels = moons.labels.keep(&known).unwrap();
    let labels = labels.with(70, labels.get(70).map(|class| 1 - class)).unwrap();
    let plan = Description::automatic(&moons.points, &labels).unwrap();
    let fitted = plan.fit(&moons.points, &labels).unwrap();
    let audit = fitted.audit(0.05).unwrap();
    assert_eq!((audit[0].node, audit[0].verdict), (70, Verdict::Suspect));
    let suspects = audit.iter().filter(|label| label.verdict == Verdict::Suspect).count();
    assert_eq!(suspects, 1, "{audit:?}");
    let prior = GraphPrior::normalised(0.01).on(fitted.graph().unwrap()).unwrap();
    let learned = GaussianProcess::ep(Flip { epsilon: 4e-9 }).fit(&prior, &labels).unwrap().audit();
    assert!(learned.suspects.iter().all(|suspect| suspect.probability < 1e-3));
    assert!(learned.to_string().starts_with("the rate of wrong labels is 4.0e-9"), "{learned}");
    // One label of each class: nothing tells, and that is what is said.
    let two = moons.labels.keep(&[0, 149]).unwrap();
    let plan = Description::automatic(&moons.points, &two).unwrap();
    let audit = plan.fit(&moons.points, &two).unwrap().audit(0.05).unwrap();
    assert!(audit.iter().all(|label| label.verdict == Verdict::Untold), "{audit:?}");
}
