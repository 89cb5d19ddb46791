//! What a user can get wrong, and what the error says about it.

use gaussfield_core::Budget;
use gaussfield_graph::Graph;
use gaussfield_harmonic::views::{AbsorbingWalk, BeliefPropagation, heat_kernel};
use gaussfield_harmonic::{
    Balance, Consistency, Dongles, Dynamics, Harmonic, HarmonicError, Poisson, Smoothing, Tempered,
};
use gaussfield_labels::{ClassPrior, Islands, Labels, Scores};
use gaussfield_laplacian::{Boundary, SolverOptions};
use ndarray::{Array2, array};

fn path() -> Graph {
    Graph::from_edges(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]).unwrap()
}

fn ends() -> Labels {
    Labels::from_names([Some("a"), None, None, Some("b")])
}

#[test]
fn each_mistake_is_an_error_that_names_it() {
    let (graph, labels, fit) = (path(), ends(), Harmonic::default());
    let none = Labels::new(vec![None; 4], vec!["a".into()]).unwrap();
    let short = Labels::from_names([Some("a"), None]);
    let cut = Graph::from_edges(4, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let one_end = Labels::from_names([Some("a"), None, None, None]);
    let two_rows = Scores::new(array![[1.0, 0.0], [0.0, 1.0]]).unwrap();
    let one_row = Scores::new(array![[1.0, 0.0]]).unwrap();
    let prior = Harmonic {
        islands: Islands::Prior(ClassPrior::given(vec![0.2, 0.3, 0.5]).unwrap()),
        ..Harmonic::default()
    };
    let field = fit.fit(&graph, &labels).unwrap();
    let single = fit.fit(&graph, &one_end).unwrap();
    let even = Islands::Prior(ClassPrior::uniform(1).unwrap());
    let filled = Harmonic { islands: even, ..Harmonic::default() }.fit(&cut, &one_end).unwrap();
    let doubt = Dongles::default().and_doubt(0.5).unwrap();
    let doubted = fit.fit_with_dongles(&graph, &labels, &doubt).unwrap();
    let consistent = Consistency::default().fit(&graph, &labels).unwrap();
    let all = Labels::from_names(["a", "b", "a", "b"].map(Some));
    let boundary = Boundary::new(4, &[0]).unwrap();
    let alpha = |alpha| Consistency { alpha, ..Consistency::default() }.fit(&graph, &labels);
    let dynamics = |dynamics: Dynamics| dynamics.fit(&graph, &labels).unwrap_err();
    let three = Balance::Counts(ClassPrior::uniform(3).unwrap());
    let tight = SolverOptions { budget: Budget { bytes: 200 }, ..SolverOptions::default() };
    let wrong_rows = Dongles::on_unlabelled(one_row, 0.1).unwrap();

    let table: Vec<(&str, HarmonicError)> = vec![
        ("no node is labelled", fit.fit(&graph, &none).unwrap_err()),
        ("2 given where 4 are needed", fit.fit(&graph, &short).unwrap_err()),
        ("2 nodes cannot reach", fit.fit(&cut, &one_end).unwrap_err()),
        ("for example node 2", fit.fit(&cut, &one_end).unwrap_err()),
        ("class prior: 3 given where 2", prior.fit(&graph, &labels).unwrap_err()),
        ("η is 1", Dongles::on_unlabelled(two_rows.clone(), 1.0).unwrap_err()),
        ("η is -0.1", Dongles::default().and_doubt(-0.1).unwrap_err()),
        ("η is NaN", Dongles::default().and_doubt(f64::NAN).unwrap_err()),
        ("self-loop weight is -1", Dongles::default().with_self_loops(-1.0).unwrap_err()),
        (
            "1 given where 2 are needed",
            fit.fit_with_dongles(&graph, &labels, &wrong_rows).unwrap_err(),
        ),
        ("α is 1", alpha(1.0).unwrap_err()),
        ("α is NaN", alpha(f64::NAN).unwrap_err()),
        ("β is 0", field.covariance(&[1], 0.0).unwrap_err()),
        ("node 7", field.variances(&[7], 1.0).unwrap_err()),
        ("node 9", field.influence(9).unwrap_err()),
        ("node 3 is labelled", field.what_if(&[1, 3]).unwrap_err()),
        ("node 4", field.what_if(&[4]).unwrap_err()),
        ("class 2", field.with_label(1, 2).unwrap_err()),
        ("node 5", field.with_label(5, 0).unwrap_err()),
        ("node 1 has no label", field.without_label(1).unwrap_err()),
        ("no node is labelled", single.without_label(0).unwrap_err()),
        ("node 3 is labelled in one", field.relabelled(&one_end).unwrap_err()),
        ("labels: 2 given where 4", field.relabelled(&short).unwrap_err()),
        ("part of the graph that had no label", filled.with_label(2, 0).unwrap_err()),
        ("part of the graph that had no label", filled.what_if(&[3]).unwrap_err()),
        ("part of the graph that had no label", filled.variances(&[3], 1.0).unwrap_err()),
        ("cannot be had with doubted labels", doubted.with_label(1, 0).unwrap_err()),
        ("cannot be had with doubted labels", doubted.what_if(&[1]).unwrap_err()),
        ("with local and global consistency", consistent.variances(&[1], 1.0).unwrap_err()),
        ("with doubted labels", doubted.edge_gradient(Array2::zeros((2, 2)).view()).unwrap_err()),
        ("2 nodes cannot reach", Consistency::default().fit(&cut, &one_end).unwrap_err()),
        ("every node is labelled", Smoothing::default().fit(&graph, &all).unwrap_err()),
        (
            "ε is 1",
            Smoothing { epsilon: 1.0, ..Smoothing::default() }.fit(&graph, &all).unwrap_err(),
        ),
        ("steps between decisions is 0", dynamics(Dynamics { steps: 0, ..Dynamics::default() })),
        ("rounds allowed is 0", dynamics(Dynamics { max_rounds: 0, ..Dynamics::default() })),
        (
            "class prior: 3 given where 2",
            dynamics(Dynamics { balance: three, ..Dynamics::default() }),
        ),
        ("2 nodes cannot reach", Dynamics::default().fit(&cut, &one_end).unwrap_err()),
        (
            "scores to start from",
            Dynamics::default().fit_from(&graph, &labels, &single).unwrap_err(),
        ),
        (
            "the walks of threshold dynamics take 256 bytes",
            Dynamics { solver: tight, ..Dynamics::default() }
                .fit_from(&graph, &labels, &field)
                .unwrap_err(),
        ),
        ("t is -1", heat_kernel(&graph, &boundary, -1.0, Default::default()).unwrap_err()),
        ("cannot reach", BeliefPropagation::default().run(&cut, &one_end).unwrap_err()),
        ("node 9", AbsorbingWalk::default().run(&graph, &labels, 9).unwrap_err()),
    ];
    for (words, error) in table {
        assert!(error.to_string().contains(words), "{error} should contain {words:?}");
    }
}

/// Many classes on a graph of few edges: what is as wide as the classes is refused before it is there.
#[test]
fn many_classes_are_counted_before_they_are_taken() {
    let (n, classes) = (3000, 600);
    let graph = Graph::from_edges(n, (0..n).map(|i| (i, (i + 1) % n, 1.0))).unwrap();
    let of = (0..n).map(|i| (i < classes).then_some(i)).collect();
    let names = (0..classes).map(|c| format!("class {c}")).collect();
    let labels = Labels::new(of, names).unwrap();
    let one = (8 * n * classes) as u64;
    let within = |blocks: u64| SolverOptions {
        budget: Budget { bytes: blocks * one },
        ..SolverOptions::default()
    };
    let fit = |blocks, which: usize| {
        let (solver, graph, labels) = (within(blocks), &graph, &labels);
        match which {
            0 => Harmonic { solver, ..Harmonic::default() }.fit(graph, labels).map(drop),
            1 => Consistency { solver, ..Consistency::default() }.fit(graph, labels).map(drop),
            2 => Dynamics { solver, ..Dynamics::default() }.fit(graph, labels).map(drop),
            3 => Poisson { solver, ..Poisson::default() }.fit(graph, labels).map(drop),
            _ => {
                let dynamics = Dynamics { solver, ..Dynamics::default() };
                Tempered { dynamics, ..Tempered::default() }.fit(graph, labels).map(drop)
            }
        }
    };
    // The most that is refused with what it is refused for: what one step takes, the next lacks.
    for (which, blocks, words) in [
        (0, 2, "values, right-hand sides and solutions of a field"),
        (1, 2, "values, right-hand sides and solutions of a field"),
        (2, 3, "the walks of threshold dynamics"),
        (2, 6, "values, right-hand sides and solutions of a field"),
        (3, 1, "the scores of Poisson learning"),
        (3, 2, "the weights of the system"),
        (4, 5, "the scores of tempered dynamics"),
        (4, 8, "values, right-hand sides and solutions of a field"),
    ] {
        let error = fit(blocks, which).unwrap_err().to_string();
        assert!(error.contains(words), "{which}: {error} should contain {words:?}");
    }
    assert!((0..4).all(|which| fit(20, which).is_ok()));
}

#[test]
fn islands_hold_the_prior_when_asked_by_name() {
    let graph = Graph::from_edges(5, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let labels =
        Labels::new(vec![Some(1), None, None, None, None], vec!["a".into(), "b".into()]).unwrap();
    let prior = ClassPrior::given(vec![0.25, 0.75]).unwrap();
    let method = Harmonic { islands: Islands::Prior(prior), ..Harmonic::default() };
    let field = method.fit(&graph, &labels).unwrap();
    assert_eq!(field.islands(), [2, 3, 4]);
    assert_eq!(field.values().row(3), array![0.25, 0.75]);
    assert_eq!(field.values().row(1), array![0.0, 1.0]);
    assert_eq!(
        Harmonic::default().fit(&graph, &labels).unwrap_err(),
        HarmonicError::ComponentWithoutLabel { nodes: vec![2, 3, 4] }
    );
}

#[test]
fn one_class_only_and_all_labelled_are_no_mistakes() {
    let one = Labels::from_names([Some("a"), None, None, None]);
    let field = Harmonic::default().fit(&path(), &one).unwrap();
    assert!(field.values().iter().all(|&f| (f - 1.0).abs() < 1e-15));

    let all = Labels::from_names(["a", "b", "a", "b"].map(Some));
    let field = Harmonic::default().fit(&path(), &all).unwrap();
    assert!(field.interior().is_empty());
    assert_eq!(field.class(1), array![0.0, 1.0, 0.0, 1.0]);
}

#[test]
fn a_node_with_nothing_but_its_dongle_follows_it() {
    let graph = Graph::from_edges(3, [(0, 1, 1.0)]).unwrap();
    let labels = Labels::new(vec![Some(0), None, None], vec!["a".into(), "b".into()]).unwrap();
    let outside = Scores::new(array![[1.0, 0.0], [0.3, 0.7]]).unwrap();
    let dongles = Dongles::on_unlabelled(outside, 0.1).unwrap();
    let field = Harmonic::default().fit_with_dongles(&graph, &labels, &dongles).unwrap();
    assert!((field.class(1)[2] - 0.7).abs() < 1e-12);
}

#[test]
fn every_method_fills_and_flags_the_same_islands() {
    let graph = Graph::from_edges(6, [(0, 1, 1.0), (2, 3, 1.0)]).unwrap();
    let names = vec!["a".into(), "b".into()];
    let labels = Labels::new(vec![Some(1), None, None, None, None, Some(0)], names).unwrap();
    let islands = Islands::Prior(ClassPrior::given(vec![0.25, 0.75]).unwrap());
    let plain = Smoothing { islands: islands.clone(), ..Smoothing::default() };
    let spread = Consistency { islands: islands.clone(), ..Consistency::default() };
    for field in [plain.fit(&graph, &labels).unwrap(), spread.fit(&graph, &labels).unwrap()] {
        assert_eq!(field.islands(), [2, 3, 4]);
        assert_eq!(field.values().row(3), array![0.25, 0.75]);
        assert_eq!(field.values().row(5), array![1.0, 0.0]);
    }
    // A jump leaves the part 2 – 3; only node 4, without any edge, is still alone.
    let jumping = Smoothing { epsilon: 0.1, islands, ..Smoothing::default() };
    assert_eq!(jumping.fit(&graph, &labels).unwrap().islands(), [4]);
}

/// Columns of the inverse for all nodes of a large graph are refused before; variances need some at a
/// time. Those of a chain held at its ends are i(N − i)/N.
#[test]
fn a_covariance_of_too_many_nodes_is_refused_before() {
    let last = 12_000;
    let chain = Graph::from_edges(last + 1, (0..last).map(|i| (i, i + 1, 1.0))).unwrap();
    let label = |i: usize| (i == 0 || i == last).then_some(usize::from(i > 0));
    let labels =
        Labels::new((0..=last).map(label).collect(), vec!["a".into(), "b".into()]).unwrap();
    let field = Harmonic::default().fit(&chain, &labels).unwrap();
    let all: Vec<usize> = (1..last).collect();
    let told = field.covariance(&all, 0.5).unwrap_err().to_string();
    assert!(told.starts_with("the columns of the inverse for so many nodes take"), "{told}");
    let some: Vec<usize> = (1..last).step_by(40).collect();
    let variances = field.variances(&some, 0.5).unwrap();
    for (&i, variance) in some.iter().zip(&variances) {
        let want = (i * (last - i)) as f64 / last as f64;
        assert!((variance / want - 1.0).abs() < 1e-8, "{i}: {variance} for {want}");
    }
}
