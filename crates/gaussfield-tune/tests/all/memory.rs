//! What a search remembers changes its cost, not its numbers.

use gaussfield_core::{Budget, Cancelled, Progress};
use gaussfield_data::generate::TwoMoons;
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_laplacian::{Preconditioner, Solver, SolverOptions};
use gaussfield_tune::{Entropy, Learn, Minimise, Objective, Optimiser, TuneError, Workbench};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn moons(solver: Solver) -> (Pattern, Exponential, Entropy) {
    let moons = TwoMoons { n: 400, noise: 0.1 }.generate(5).unwrap();
    let labels = moons.labels.keep(&[0, 7, 390, 399]).unwrap();
    let pattern = Pattern::knn(&moons.points, Metric::Euclidean, 8, Symmetry::Either).unwrap();
    let family = Exponential { sigma: 2.0 * pattern.mean_distance() };
    let entropy = Entropy::new(labels).smoothed(0.01).unwrap();
    let entropy = entropy.with_solver(SolverOptions { solver, ..SolverOptions::default() });
    (pattern, family, entropy)
}

#[test]
fn every_step_of_a_search_has_the_value_of_a_fresh_solve() {
    let iterative = Solver::ConjugateGradient(Preconditioner::ApproximateCholesky);
    for solver in [Solver::Auto, iterative] {
        let (pattern, family, entropy) = moons(solver);
        let how = Minimise {
            optimiser: Optimiser::SteepestDescent { longest: 0.2 },
            max_steps: 6,
            ..Minimise::default()
        };
        let learned = Learn::new(&pattern, &family, &entropy).by(&how).run(|_| {}).unwrap();
        assert!(learned.trace.len() > 3);
        for step in &learned.trace {
            let sigma = step.parameters[0];
            let graph = Exponential { sigma }.graph(&pattern, Budget::default()).unwrap();
            let fresh = entropy.value(&graph).unwrap();
            assert!((step.value - fresh).abs() < 1e-8 * fresh, "{} for {fresh}", step.value);
        }
        let work = learned.work;
        assert_eq!((work.structures, work.preparations), (1, learned.evaluations), "{work:?}");
        if solver == iterative {
            assert!(work.preconditioners < work.preparations, "{work:?}");
        } else {
            assert_eq!((work.analyses, work.factorisations), (1, learned.evaluations), "{work:?}");
        }
    }
}

#[test]
fn another_pattern_on_the_same_workbench_is_noticed() {
    let (pattern, family, entropy) = moons(Solver::Auto);
    let wider = Pattern::knn(pattern.points(), Metric::Euclidean, 12, Symmetry::Either).unwrap();
    let mut workbench = Workbench::default();
    for pattern in [&pattern, &wider, &pattern] {
        let graph = family.graph(pattern, Budget::default()).unwrap();
        let kept = entropy.value_on(&mut workbench, &graph).unwrap();
        assert!((kept - entropy.value(&graph).unwrap()).abs() < 1e-12);
    }
    assert_eq!(workbench.work().structures, 3);
}

#[test]
fn the_budget_of_a_search_is_the_callers() {
    let (pattern, family, entropy) = moons(Solver::Auto);
    let search = Learn::new(&pattern, &family, &entropy).within(Budget { bytes: 1000 });
    let refused = search.run(|_| {}).unwrap_err();
    assert!(matches!(refused, TuneError::Graph(_)), "{refused}");
}

#[test]
fn a_search_is_heard_and_stops_when_asked() {
    let (pattern, family, entropy) = moons(Solver::Auto);
    let steps = Arc::new(AtomicU64::new(0));
    let heard = Arc::clone(&steps);
    let progress = Progress::new(move |report| {
        if report.stage == "tuning" {
            heard.fetch_max(report.done, Ordering::Relaxed);
        }
    });
    let search = || Learn::new(&pattern, &family, &entropy);
    let learned = progress.during(|| search().run(|_| {})).unwrap();
    assert_eq!(steps.load(Ordering::Relaxed), learned.trace.len() as u64);
    let mut made = 0;
    let stopped = progress.during(|| {
        search().run(|_| {
            made += 1;
            if made == 2 {
                progress.cancel();
            }
        })
    });
    assert_eq!(stopped.unwrap_err(), TuneError::Cancelled(Cancelled { stage: "tuning" }));
    assert_eq!(made, 2);
}
