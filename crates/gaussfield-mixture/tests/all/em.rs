//! EM against the textbook.

use crate::common::{blobs, close, documents, first_labelled};
use gaussfield_core::dense::Spd;
use gaussfield_core::{Cancelled, Progress};
use gaussfield_labels::Inductive as _;
use gaussfield_labels::Labels;
use gaussfield_mixture::{
    Components, Covariance, Covariances, Em, EmptyComponents, Family, Floor, Gaussian, Keep,
    Mixture, MixtureError, Multinomial, Stop,
};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;
use sprs::CsMat;

const SHAPES: [Covariance; 4] =
    [Covariance::Full, Covariance::Diagonal, Covariance::Spherical, Covariance::Tied];

fn shape() -> impl Strategy<Value = Covariance> {
    prop::sample::select(SHAPES.to_vec())
}

/// Plain EM for some steps.
fn plain(family: Family, components: usize, steps: usize) -> Em {
    Em {
        max_iterations: steps,
        tolerance: 0.0,
        empty: EmptyComponents::Keep,
        ..Em::new(family, components)
    }
}

/// ln γ_m p(x|m) from the textbook, one point and component at a time.
fn textbook(mixture: &Mixture, rows: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((rows.nrows(), mixture.len()), |(i, m)| {
        let log_density = match mixture.components() {
            Components::Gaussian(gaussian) => {
                let gap = &rows.row(i) - &gaussian.means().row(m);
                let factor = Spd::factorise(gaussian.covariance(m)).unwrap();
                let distance = gap.dot(&factor.solve_vector(&gap));
                let size = gap.len() as f64 * (2.0 * std::f64::consts::PI).ln();
                -0.5 * (distance + size + factor.log_det())
            }
            Components::Multinomial(words) => {
                rows.row(i).dot(&words.word_probabilities().row(m).mapv(f64::ln))
            }
        };
        mixture.gamma()[m].ln() + log_density
    })
}

/// [zhu2005 (1)] word for word.
fn log_likelihood(mixture: &Mixture, rows: &Array2<f64>, labels: &Labels) -> f64 {
    let joint = textbook(mixture, rows).mapv(f64::exp);
    (0..rows.nrows())
        .map(|i| match labels.get(i) {
            Some(class) => joint.row(i).dot(&mixture.lambda().column(class)).ln(),
            None => joint.row(i).sum().ln(),
        })
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_step_lowers_the_likelihood(
        shape in shape(), components in 1..5_usize, classes in 1..4_usize, seed in 0..1000_u64,
    ) {
        let points = Points::dense(blobs(60, 2, 3, seed)).unwrap();
        let labels = first_labelled(60, 9, classes);
        let family = Family::Gaussian { covariance: shape, reg: Floor::Variance(0.0) };
        let fit = match (Em { seed, ..plain(family, components, 25) }).fit(&points, &labels) {
            // A spike on one point has no likelihood to compare.
            Err(MixtureError::Collapsed { .. }) => return Err(TestCaseError::reject("collapsed")),
            other => other.unwrap(),
        };
        for pair in fit.facts.log_likelihoods.windows(2) {
            prop_assert!(pair[1] >= pair[0] - 1e-9 * pair[0].abs(), "{pair:?}");
        }
    }

    #[test]
    fn no_step_lowers_the_smoothed_likelihood_of_words(
        components in 1..5_usize, smooth in 0.1..2.0_f64, seed in 0..1000_u64,
    ) {
        let rows = documents(40, seed);
        let labels = first_labelled(40, 6, 2);
        let points = Points::dense(rows).unwrap();
        let em = Em { seed, ..plain(Family::Multinomial { smooth }, components, 1) };
        let mut mixture = em.start(&points, &labels).unwrap();
        let mut before = f64::NEG_INFINITY;
        for _ in 0..12 {
            let fit = em.run(&points, &labels, mixture).unwrap();
            mixture = fit.mixture;
            let Components::Multinomial(words) = mixture.components() else { unreachable!() };
            let prior = smooth * words.word_probabilities().mapv(f64::ln).sum();
            let now = fit.facts.log_likelihoods[1] + prior;
            prop_assert!(now >= before - 1e-9 * now.abs(), "{before} then {now}");
            before = now;
        }
    }

    #[test]
    fn likelihood_and_responsibilities_are_the_textbooks(
        shape in shape(), seed in 0..1000_u64,
    ) {
        let rows = blobs(50, 3, 3, seed);
        let points = Points::dense(rows.clone()).unwrap();
        let labels = first_labelled(50, 8, 2);
        let em = plain(Family::gaussian(shape), 3, 4);
        let fit = em.fit(&points, &labels).unwrap();
        let want = log_likelihood(&fit.mixture, &rows, &labels);
        let got = fit.facts.log_likelihoods[4];
        prop_assert!((got - want).abs() < 1e-8 * want.abs(), "{got} {want}");
        let mut joint = textbook(&fit.mixture, &rows).mapv(f64::exp);
        for mut row in joint.rows_mut() {
            let sum = row.sum();
            row /= sum;
        }
        let responsibilities = fit.mixture.responsibilities(&points, Keep::All).unwrap();
        prop_assert!(close(&responsibilities.to_dense(), &joint, 1e-9));
    }

    #[test]
    fn sparse_storage_changes_nothing(seed in 0..1000_u64) {
        let labels = first_labelled(30, 4, 2);
        for (family, rows) in [
            (Family::multinomial(), documents(30, seed)),
            (Family::gaussian(Covariance::Diagonal), documents(30, seed)),
        ] {
            let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
            let dense = Points::dense(rows).unwrap();
            let em = plain(family, 3, 5);
            let (a, b) = (em.fit(&dense, &labels).unwrap(), em.fit(&sparse, &labels).unwrap());
            let (a, b) = (a.mixture.predict(&sparse).unwrap(), b.mixture.predict(&dense).unwrap());
            prop_assert!(close(&a.into_values(), &b.into_values(), 1e-8));
        }
    }
}

#[test]
fn one_component_is_the_sample_moments_whatever_its_shape() {
    let rows = blobs(40, 3, 2, 5);
    let mean = rows.mean_axis(ndarray::Axis(0)).unwrap();
    let gaps = &rows - &mean;
    let covariance = gaps.t().dot(&gaps) / 40.0;
    let points = Points::dense(rows).unwrap();
    let labels = first_labelled(40, 2, 2);
    for shape in SHAPES {
        let family = Family::Gaussian { covariance: shape, reg: Floor::Variance(0.0) };
        let fit = plain(family, 1, 2).fit(&points, &labels).unwrap();
        let Components::Gaussian(gaussian) = fit.mixture.components() else { unreachable!() };
        assert!((&gaussian.means().row(0) - &mean).iter().all(|gap| gap.abs() < 1e-12));
        let want = match shape {
            Covariance::Full | Covariance::Tied => covariance.clone(),
            Covariance::Diagonal => Array2::from_diag(&covariance.diag()),
            Covariance::Spherical => Array2::from_diag_elem(3, covariance.diag().sum() / 3.0),
        };
        assert!(close(&gaussian.covariance(0), &want, 1e-11), "{shape:?}");
    }
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let rows = blobs(90, 2, 3, 11);
    let labels = first_labelled(90, 6, 2);
    for shape in SHAPES {
        let em = plain(Family::gaussian(shape), 3, 10);
        let here = em.fit(&Points::dense(rows.clone()).unwrap(), &labels).unwrap();
        let there = em.fit(&Points::dense(&rows + 1e6).unwrap(), &labels).unwrap();
        let gap = &here.mixture.gamma() - &there.mixture.gamma();
        assert!(gap.iter().all(|gap| gap.abs() < 1e-7), "{shape:?}: {gap}");
    }
}

/// Two components of which one explains nothing.
fn with_a_lost_component() -> Mixture {
    let means = array![[0.0, 0.0], [1e4, 1e4]];
    let covariances = Covariances::Spherical(array![4.0, 1e-3]);
    let gaussian = Gaussian::new(means, covariances).unwrap();
    let names = vec!["a".to_owned(), "b".to_owned()];
    let even = Array2::from_elem((2, 2), 0.5);
    let gamma = Array1::from_elem(2, 0.5);
    Mixture::new(gamma, Components::Gaussian(gaussian), even, names).unwrap()
}

#[test]
fn an_empty_component_is_moved_or_kept_as_asked() {
    let points = Points::dense(blobs(80, 2, 2, 3)).unwrap();
    let labels = first_labelled(80, 4, 2);
    let em = Em::new(Family::gaussian(Covariance::Spherical), 2);
    let moved = em.run(&points, &labels, with_a_lost_component()).unwrap();
    assert_eq!(moved.facts.repairs[0].component, 1);
    assert!(moved.facts.repairs[0].mass < 1e-3);
    assert!(moved.mixture.gamma()[1] > 0.3, "{}", moved.mixture.gamma());
    let keep = Em { empty: EmptyComponents::Keep, ..em };
    let kept = keep.run(&points, &labels, with_a_lost_component()).unwrap();
    assert!(kept.facts.repairs.is_empty());
    assert!(kept.mixture.gamma()[1] < 1e-100);
    assert!(kept.facts.log_likelihoods.last() < moved.facts.log_likelihoods.last());
}

#[test]
fn it_says_why_it_stopped() {
    let points = Points::dense(blobs(60, 2, 3, 1)).unwrap();
    let labels = first_labelled(60, 6, 2);
    let em = Em::new(Family::gaussian(Covariance::Full), 3);
    let fit = em.fit(&points, &labels).unwrap();
    assert_eq!(fit.facts.stop, Stop::Converged);
    assert_eq!(fit.facts.log_likelihoods.len(), fit.facts.iterations + 1);
    let short = Em { max_iterations: 1, tolerance: 0.0, ..em }.fit(&points, &labels).unwrap();
    assert_eq!((short.facts.stop, short.facts.iterations), (Stop::IterationLimit, 1));
    let progress = Progress::new(|report| {
        if (report.stage, report.done) == ("EM", 3) {
            Progress::current().cancel();
        }
    });
    let error = progress.during(|| em.fit(&points, &labels)).unwrap_err();
    assert_eq!(error, MixtureError::Cancelled(Cancelled { stage: "EM" }));
}

#[test]
fn labels_colour_the_components_they_belong_to() {
    let points = Points::dense(blobs(90, 2, 3, 2)).unwrap();
    let labels = first_labelled(90, 6, 3);
    let fit = Em::new(Family::gaussian(Covariance::Spherical), 3).fit(&points, &labels).unwrap();
    let decided = fit.mixture.predict(&points).unwrap().argmax();
    assert!(decided.iter().enumerate().all(|(i, &class)| class == i % 3));
}

#[test]
fn topics_are_found_from_counts() {
    let points = Points::dense(documents(120, 9)).unwrap();
    let labels = first_labelled(120, 4, 2);
    let fit = Em::new(Family::multinomial(), 2).fit(&points, &labels).unwrap();
    let decided = fit.mixture.predict(&points).unwrap().argmax();
    let wrong = decided.iter().enumerate().filter(|&(i, &class)| class != i % 2).count();
    assert!(wrong <= 4, "{wrong} of 120");
}

#[test]
fn constant_data_collapses_without_a_floor_and_not_with_one() {
    let points = Points::dense(Array2::ones((10, 2))).unwrap();
    let labels = first_labelled(10, 2, 2);
    for shape in SHAPES {
        let bare = Family::Gaussian { covariance: shape, reg: Floor::Variance(0.0) };
        let error = Em::new(bare, 2).fit(&points, &labels).unwrap_err();
        assert!(matches!(error, MixtureError::Collapsed { .. }), "{shape:?}: {error}");
        let fit = Em::new(Family::gaussian(shape), 2).fit(&points, &labels).unwrap();
        assert!(fit.mixture.predict(&points).is_ok(), "{shape:?}");
    }
}

#[test]
fn the_words_of_a_document_move_an_empty_component() {
    let points = Points::dense(documents(30, 4)).unwrap();
    let labels = first_labelled(30, 4, 2);
    let mut words = Array2::from_elem((2, 8), 1.0 / 8.0);
    words.row_mut(1).assign(&array![1e-200, 1e-200, 1e-200, 1e-200, 1e-200, 1e-200, 1e-200, 1.0]);
    let names = vec!["a".to_owned(), "b".to_owned()];
    let start = Mixture::new(
        array![0.5, 0.5],
        Components::Multinomial(Multinomial::new(words).unwrap()),
        Array2::from_elem((2, 2), 0.5),
        names,
    )
    .unwrap();
    let em = Em::new(Family::multinomial(), 2);
    let fit = em.run(&points, &labels, start).unwrap();
    assert_eq!(fit.facts.repairs[0].component, 1);
    assert!(fit.mixture.gamma()[1] > 0.1);
}

#[test]
fn a_start_from_clusters_has_their_moments() {
    let rows = blobs(90, 2, 3, 4);
    let points = Points::dense(rows.clone()).unwrap();
    let labels = first_labelled(90, 6, 2);
    let assignment: Vec<usize> = (0..90).map(|i| i % 3).collect();
    for shape in SHAPES {
        let em = plain(Family::gaussian(shape), 3, 0);
        let start = em.start_from(&points, &labels, &assignment).unwrap();
        let Components::Gaussian(gaussian) = start.components() else { unreachable!() };
        for m in 0..3 {
            let own: Vec<usize> = (0..90).filter(|i| i % 3 == m).collect();
            let mean = rows.select(ndarray::Axis(0), &own).mean_axis(ndarray::Axis(0)).unwrap();
            let gap = &gaussian.means().row(m) - &mean;
            assert!(gap.iter().all(|gap| gap.abs() < 1e-12), "{shape:?}");
            assert!((start.gamma()[m] - 1.0 / 3.0).abs() < 1e-12);
        }
    }
    let em = plain(Family::gaussian(Covariance::Full), 3, 0);
    assert!(em.start_from(&points, &labels, &assignment[1..]).is_err());
    assert!(em.start_from(&points, &labels, &[3; 90]).is_err());
}

#[test]
fn documents_start_by_topic_even_where_all_share_frequent_words() {
    // A word that fills every document by a different length hides the topics from plain counts.
    let topics = documents(60, 9);
    let mut rows = Array2::zeros((60, 9));
    rows.slice_mut(ndarray::s![.., ..8]).assign(&topics);
    for (i, mut row) in rows.rows_mut().into_iter().enumerate() {
        row[8] = 40.0 * (1 + i % 7) as f64;
    }
    let points = Points::dense(rows).unwrap();
    let labels = first_labelled(60, 4, 2);
    let start = Em::new(Family::multinomial(), 2).start(&points, &labels).unwrap();
    let Components::Multinomial(words) = start.components() else { unreachable!() };
    let topic = |m: usize| words.word_probabilities().slice(ndarray::s![m, ..4]).sum();
    let rest = |m: usize| words.word_probabilities().slice(ndarray::s![m, 4..8]).sum();
    let first = usize::from(topic(0) < rest(0));
    assert!(topic(first) > 2.0 * rest(first) && rest(1 - first) > 2.0 * topic(1 - first));
}

#[test]
fn the_floor_follows_the_units_of_the_points() {
    let rows = blobs(60, 2, 3, 8);
    let labels = first_labelled(60, 6, 2);
    let fit = |scale: f64| {
        let points = Points::dense(scale * &rows).unwrap();
        let em = plain(Family::gaussian(Covariance::Full), 3, 12);
        em.fit(&points, &labels).unwrap().mixture.predict(&points).unwrap().into_values()
    };
    let metres = fit(1.0);
    for scale in [1e-6, 1e6] {
        assert!(close(&fit(scale), &metres, 1e-6), "{scale}");
    }
}
