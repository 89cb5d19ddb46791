//! Learning by the evidence: gradients through every parameter at once, beliefs, several starts,
//! scans.

use gaussfield_core::{Budget, Parameters as _};
use gaussfield_gp::{
    Flip, GaussianProcess, GraphPrior, Kernel, Observed, Probit, Sigmoid, Warp, WarpedPrior,
};
use gaussfield_graph::{
    Exponential, Graph, GraphError, Metric, Neighbours, Pattern, Search, Symmetry, Tanh,
    Unweighted, WeightFamily,
};
use gaussfield_labels::Labels;
use gaussfield_laplacian::Laplacian;
use gaussfield_points::Points;
use gaussfield_tune::{
    Alignment, Evidence, HyperPrior, Learn, Minimise, MultiResolution, Objective, Optimiser,
    TuneError, learn, learn_on, scan_neighbours, scan_radii,
};
use ndarray::Array2;

/// Two arcs of points, without any randomness.
fn points() -> Points {
    let at = |(i, d): (usize, usize)| {
        let angle = 0.16 * (i / 2) as f64;
        let side = if i % 2 == 0 { 1.0 } else { -1.0 };
        let along = if d == 0 { angle.cos() } else { angle.sin() };
        side * along + if d == 0 { 0.5 * (1.0 - side) } else { 0.4 * side }
    };
    Points::dense(Array2::from_shape_fn((40, 2), at)).unwrap()
}

fn observed() -> Observed {
    Observed::new(&[0, 1, 12, 25, 38], &[1.0, -1.0, 1.0, -1.0, 1.0]).unwrap()
}

/// The same five as names.
fn labels() -> Labels {
    let known = [(0, "up"), (1, "down"), (12, "up"), (25, "down"), (38, "up")];
    Labels::from_names(
        (0..40).map(|i| known.iter().find(|(at, _)| *at == i).map(|(_, name)| *name)),
    )
}

fn pattern() -> Pattern {
    Pattern::complete(&points(), Metric::Euclidean).unwrap()
}

fn check<F: WeightFamily + Clone, O: Objective + Clone>(family: &F, objective: &O) {
    check_on(&pattern(), family, objective);
}

/// The gradient of an objective over a family, against central differences.
fn check_on<F: WeightFamily + Clone, O: Objective + Clone>(
    pattern: &Pattern,
    family: &F,
    objective: &O,
) {
    let at = |family: &F, objective: &O| {
        objective.value(&family.graph(pattern, Budget::default()).unwrap()).unwrap()
    };
    let graph = family.graph(pattern, Budget::default()).unwrap();
    let evaluation = objective.evaluate(&graph).unwrap();
    let mut gradient = family.pullback(pattern, &graph, &evaluation.edges).unwrap();
    let own = gradient.len();
    gradient.extend(&evaluation.parameters);
    let start: Vec<f64> = family.values().into_iter().chain(objective.values()).collect();
    for (i, exact) in gradient.iter().enumerate() {
        let step = 1e-5 * start[i].abs();
        let moved = |by: f64| {
            let mut moved = start.clone();
            moved[i] += by;
            let mut family = family.clone();
            family.set_parameters(&moved[..own]).unwrap();
            let mut objective = objective.clone();
            objective.set_parameters(&moved[own..]).unwrap();
            at(&family, &objective)
        };
        let difference = (moved(step) - moved(-step)) / (2.0 * step);
        let gap = (difference - exact).abs() / (1e-3 + exact.abs());
        assert!(gap < 1e-5, "parameter {i}: {difference} {exact}");
    }
}

#[test]
fn gradients_go_through_weights_prior_and_noise() {
    let prior = GraphPrior::regularised(0.2, 20.0);
    let laplace =
        Evidence::of(GaussianProcess::laplace(Sigmoid { gamma: 1.1 }), prior.clone(), observed())
            .learning(&["gamma", "beta", "sigma"])
            .unwrap();
    let names: Vec<_> = laplace.parameters().into_iter().map(|own| own.name).collect();
    assert_eq!(names, ["gamma", "beta", "sigma"]);
    check(&Exponential { sigma: 0.6 }, &laplace);
    check(&Tanh { a1: -4.0, a2: 0.5 }, &laplace);
    let ep = GaussianProcess::ep(Flip { epsilon: 0.1 });
    let ep = Evidence::of(ep, GraphPrior::normalised(0.03), observed());
    check(&Exponential { sigma: 0.6 }, &ep.learning(&["delta", "epsilon"]).unwrap());
    check(&Exponential { sigma: 0.6 }, &Alignment::new(prior, &labels()).unwrap());
}

/// Sindhwani, Chu and Keerthi 2007: kernel, graph and noise at once.
#[test]
fn a_warped_kernel_is_learned_with_its_graph_and_noise() {
    let knn = Pattern::knn(&points(), Metric::Euclidean, 5, Symmetry::Either).unwrap();
    let warp = Warp { gamma_a: 0.8, gamma_i: 2.0, power: 2 };
    let prior = WarpedPrior::new(&points(), Kernel::Rbf { width: 0.7 }, warp);
    let process = || GaussianProcess::ep(Probit { noise: 0.3 });
    let family = Exponential { sigma: 0.4 };
    for prior in [prior.clone(), prior.clone().with_laplacian(Laplacian::Symmetric)] {
        let evidence = Evidence::of(process(), prior, observed())
            .learning(&["width", "gamma_a", "gamma_i", "noise"])
            .unwrap();
        check_on(&knn, &family, &evidence);
        let how = Minimise { max_steps: 6, ..Minimise::default() };
        let learned = learn(&knn, &family, &evidence, &how).unwrap();
        let start = evidence.value(&family.graph(&knn, Budget::default()).unwrap()).unwrap();
        assert!(learned.value < start - 1e-3, "{} from {start}", learned.value);
    }

    // On a fixed graph its weights have nothing to learn; the other parameters have.
    let graph = family.graph(&knn, Budget::default()).unwrap();
    let fixed = Evidence::of(process(), prior.fixed_on(&graph).unwrap(), observed())
        .learning(&["width", "gamma_i"])
        .unwrap();
    let error = learn(&knn, &family, &fixed, &Minimise::default()).unwrap_err();
    let words = error.to_string();
    assert!(words.contains("(sigma)") && words.contains("`learn_on`"), "{words}");
    let how = Minimise { max_steps: 6, ..Minimise::default() };
    let learned = learn_on(&graph, &fixed, &how).unwrap();
    assert!(learned.minimum.value < fixed.value(&graph).unwrap());
    let held = Learn::new(&knn, &family, &fixed).by(&how).hold("sigma").run(|_| {}).unwrap();
    assert!(
        (held.family.sigma - family.sigma).abs() < f64::EPSILON
            && held.trace[0].parameters.len() == 2
    );
    assert!((held.value - learned.minimum.value).abs() < 1e-9);
}

#[test]
fn beliefs_pull_and_more_starts_cannot_hurt() {
    let pattern = pattern();
    let process = GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let evidence = Evidence::of(process, GraphPrior::regularised(0.1, 1000.0), observed());
    let family = Exponential { sigma: 2.0 };
    let how = Minimise { optimiser: Optimiser::ConjugateGradient, ..Minimise::default() };
    let free = learn(&pattern, &family, &evidence, &how).unwrap();
    let narrow = HyperPrior::LogNormal { median: 2.0, deviation: 0.01 };
    let believed =
        Learn::new(&pattern, &family, &evidence).by(&how).believing("sigma", narrow).run(|_| {});
    let believed = believed.unwrap().family.sigma;
    assert!((believed - 2.0).abs() < 0.05 && (free.family.sigma - 2.0).abs() > 0.2);
    let flat = Learn::new(&pattern, &family, &evidence)
        .by(&how)
        .believing("sigma", HyperPrior::Flat)
        .run(|_| {})
        .unwrap();
    assert!((flat.family.sigma - free.family.sigma).abs() < 1e-12);
    let many = Learn::new(&pattern, &family, &evidence)
        .by(&how)
        .starting_at(&[0.1])
        .starting_at(&[0.5])
        .run(|_| {})
        .unwrap();
    assert_eq!(many.starts.len(), 3);
    let least = many.starts.iter().filter_map(|end| end.value).fold(f64::INFINITY, f64::min);
    assert!(many.value <= free.value && (many.value - least).abs() < 1e-15);
}

#[test]
fn scans_cut_their_graphs_from_one_search() {
    let points = points();
    let lists = Neighbours::search(&points, Metric::Euclidean, 6, Search::Auto).unwrap();
    let edges = |_, graph: &Graph| Ok(graph.edges());
    let budget = Budget::default();
    let got = scan_neighbours(&lists, &[1, 3, 6], Symmetry::Either, budget, edges).unwrap();
    for (k, got) in [1, 3, 6].into_iter().zip(got) {
        let direct = Pattern::knn(&points, Metric::Euclidean, k, Symmetry::Either).unwrap();
        assert_eq!(got, direct.edges());
    }
    let little = Budget { bytes: 100 };
    let full = scan_neighbours(&lists, &[3], Symmetry::Either, little, edges).unwrap_err();
    assert!(matches!(full, TuneError::Graph(GraphError::OverBudget(_))), "{full}");
    let past = scan_neighbours(&lists, &[7], Symmetry::Either, budget, edges).unwrap_err();
    assert!(matches!(past, TuneError::Graph(GraphError::ListsTooShort { k: 7, kept: 6 })));
    let beyond = Neighbours::search(&points, Metric::Euclidean, 40, Search::Auto).unwrap_err();
    assert!(matches!(beyond, GraphError::BadNeighbourCount { k: 40, most: 39, .. }), "{beyond}");

    let complete = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let ball = Pattern::ball(&points, Metric::Euclidean, 0.9).unwrap();
    for pattern in [&complete, &ball] {
        let got =
            scan_radii(pattern, &[0.2, 0.5, 0.9], budget, |_, graph| Ok(graph.edges())).unwrap();
        for (radius, got) in [0.2, 0.5, 0.9].into_iter().zip(got) {
            let direct = Pattern::ball(&points, Metric::Euclidean, radius).unwrap();
            assert_eq!(got, direct.edges(), "{radius}");
        }
        assert!(scan_radii(pattern, &[0.0], budget, |_, _| Ok(())).is_err());
    }
}

#[test]
fn refined_grids_close_in_on_the_best_point() {
    let bowl = |at: &[f64]| Ok(at.iter().map(|x| (x - 0.731).abs()).collect());
    let found = MultiResolution { points: 9, levels: 6 }.minimise(0.0, 2.0, bowl).unwrap();
    assert!((found.at - 0.731).abs() < 1e-3 && found.value < 1e-3);
    assert!(found.visited.windows(2).all(|pair| pair[0].0 < pair[1].0));
    // Places without a value are passed over.
    let half = |at: &[f64]| Ok(at.iter().map(|x| if *x < 1.0 { f64::NAN } else { *x }).collect());
    assert!((MultiResolution::default().minimise(0.0, 2.0, half).unwrap().at - 1.0).abs() < 0.01);
    let nowhere = |at: &[f64]| Ok(vec![f64::NAN; at.len()]);
    assert!(MultiResolution::default().minimise(0.0, 1.0, nowhere).is_err());
    assert!(MultiResolution { points: 2, levels: 1 }.minimise(0.0, 1.0, bowl).is_err());
    assert!(MultiResolution { points: 3, levels: 0 }.minimise(0.0, 1.0, bowl).is_err());
    assert!(MultiResolution::default().minimise(1.0, 1.0, bowl).is_err());
}

#[test]
fn unknown_names_and_nothing_to_learn_are_told() {
    let process = || GaussianProcess::laplace(Sigmoid { gamma: 1.0 });
    let evidence = Evidence::of(process(), GraphPrior::shifted(0.1), observed());
    let error = evidence.clone().learning(&["beta"]).unwrap_err().to_string();
    assert!(error.contains("\"beta\"") && error.contains("delta, gamma"), "{error}");
    let error = learn(&pattern(), &Unweighted, &evidence, &Minimise::default()).unwrap_err();
    assert_eq!(error, TuneError::NoParameters);
    // A family without parameters serves an objective that has some.
    let noise = evidence.clone().learning(&["gamma"]).unwrap();
    let knn = Pattern::knn(&points(), Metric::Euclidean, 4, Symmetry::Either).unwrap();
    let learned = learn(&knn, &Unweighted, &noise, &Minimise::default()).unwrap();
    assert!(learned.value <= noise.value(&graph(&knn)).unwrap());
    let pattern = pattern();
    let family = Tanh { a1: 1.0, a2: 0.5 };
    let error = learn(&pattern, &family, &evidence, &Minimise::default()).unwrap_err();
    assert!(error.to_string().contains("negative"), "{error}");
    let wrong = Learn::new(&pattern, &Exponential { sigma: 1.0 }, &evidence)
        .believing("alpha", HyperPrior::Flat)
        .run(|_| {});
    assert!(matches!(wrong, Err(TuneError::NoSuchParameter { .. })));
    let wrong = Learn::new(&pattern, &Exponential { sigma: 1.0 }, &evidence)
        .believing("sigma", HyperPrior::Gamma { shape: 0.0, rate: 1.0 })
        .run(|_| {});
    assert!(matches!(wrong, Err(TuneError::OutOfRange(_))));
}

fn graph(pattern: &Pattern) -> Graph {
    Unweighted.graph(pattern, Budget::default()).unwrap()
}
