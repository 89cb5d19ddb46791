//! The searches find known minima, say why they stopped, and refuse what cannot be searched.

use gaussfield_core::Domain;
use gaussfield_graph::{Exponential, Metric, Pattern, Unweighted};
use gaussfield_labels::{ClassPrior, Labels};
use gaussfield_points::Points;
use gaussfield_tune::{Entropy, Function, Minimise, Optimiser, Stop, TuneError, learn};
use ndarray::array;

/// (ln a − 1)² + 2 (ln b + 1)² + (c − 3)², least at a = e, b = 1/e, c = 3.
struct Bowl;

impl Function for Bowl {
    fn start(&self) -> Vec<f64> {
        vec![1.0, 5.0, -2.0]
    }
    fn names(&self) -> Vec<String> {
        ["a", "b", "c"].map(str::to_owned).to_vec()
    }
    fn domains(&self) -> Vec<Domain> {
        vec![Domain::Positive, Domain::Positive, Domain::Real]
    }
    fn value(&self, p: &[f64]) -> Result<f64, TuneError> {
        Ok((p[0].ln() - 1.0).powi(2) + 2.0 * (p[1].ln() + 1.0).powi(2) + (p[2] - 3.0).powi(2))
    }
    fn value_and_gradient(&self, p: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        let gradient = vec![
            2.0 * (p[0].ln() - 1.0) / p[0],
            4.0 * (p[1].ln() + 1.0) / p[1],
            2.0 * (p[2] - 3.0),
        ];
        Ok((self.value(p)?, gradient))
    }
}

/// 1/a: falls for ever.
struct Slope;

impl Function for Slope {
    fn start(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn names(&self) -> Vec<String> {
        vec!["a".to_owned()]
    }
    fn domains(&self) -> Vec<Domain> {
        vec![Domain::Positive]
    }
    fn value(&self, p: &[f64]) -> Result<f64, TuneError> {
        Ok(1.0 / p[0])
    }
    fn value_and_gradient(&self, p: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        Ok((1.0 / p[0], vec![-1.0 / (p[0] * p[0])]))
    }
}

/// 40 (ln a − 1)², steep at the start, and without a value past a = 20 and below 1/20.
struct Cliffs;

impl Function for Cliffs {
    fn start(&self) -> Vec<f64> {
        vec![1.0]
    }
    fn names(&self) -> Vec<String> {
        vec!["a".to_owned()]
    }
    fn domains(&self) -> Vec<Domain> {
        vec![Domain::Positive]
    }
    fn value(&self, p: &[f64]) -> Result<f64, TuneError> {
        if p[0].ln().abs() > 20_f64.ln() {
            return Err(TuneError::NotFinite { value: f64::NAN, parameters: p.to_vec() });
        }
        Ok(40.0 * (p[0].ln() - 1.0).powi(2))
    }
    fn value_and_gradient(&self, p: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
        Ok((self.value(p)?, vec![80.0 * (p[0].ln() - 1.0) / p[0]]))
    }
}

#[test]
fn a_steep_start_does_not_throw_the_search_off_a_cliff() {
    let found = Minimise::default().run(&Cliffs, |_| {}).unwrap();
    assert!((found.parameters[0].ln() - 1.0).abs() < 1e-6, "{found:?}");
}

#[test]
fn every_search_finds_the_bottom_of_a_bowl() {
    let searches = [
        Optimiser::Lbfgs { memory: 5 },
        Optimiser::ConjugateGradient,
        Optimiser::SteepestDescent { longest: 0.3 },
    ];
    for optimiser in searches {
        let how = Minimise { optimiser, value_tolerance: 0.0, ..Minimise::default() };
        let mut told = 0;
        let found = how.run(&Bowl, |_| told += 1).unwrap();
        let e = std::f64::consts::E;
        for (got, want) in found.parameters.iter().zip([e, 1.0 / e, 3.0]) {
            assert!((got - want).abs() < 1e-5, "{optimiser:?}: {got} for {want}");
        }
        assert_eq!(found.stop, Stop::Gradient, "{optimiser:?}");
        assert_eq!(told, found.trace.len());
        assert!(found.trace.windows(2).all(|pair| pair[1].value <= pair[0].value));
    }
}

#[test]
fn an_optimum_at_infinity_is_said_to_run_off() {
    let found = Minimise::default().run(&Slope, |_| {}).unwrap();
    assert!(matches!(&found.stop, Stop::RanOff { names } if names.len() == 1), "{}", found.stop);
    assert!(found.stop.to_string().contains("ran off"));
    assert!(found.parameters[0] > 1e3 && found.parameters[0] <= 1e8);
}

#[test]
fn a_start_on_a_plateau_is_told_from_a_minimum() {
    // At σ = 1e300 every weight is one, whatever σ: nothing can be learned from there.
    let rows =
        ndarray::Array2::from_shape_fn((12, 1), |(i, _)| (i % 6) as f64 + 8.0 * (i / 6) as f64);
    let pattern = Pattern::complete(&Points::dense(rows).unwrap(), Metric::Euclidean).unwrap();
    let label = |i: usize| i.is_multiple_of(6).then_some(["a", "b"][i / 6]);
    let entropy = Entropy::new(Labels::from_names((0..12).map(label)));
    let how = Minimise::default();
    let found = learn(&pattern, &Exponential { sigma: 1e300 }, &entropy, &how).unwrap();
    assert_eq!(found.stop, Stop::Plateau, "{}", found.stop);
    assert!(found.stop.to_string().contains("another start"));
    // A minimum has no gradient either, but the function rises around it.
    let bottom = learn(&pattern, &Exponential { sigma: 2.0 }, &entropy, &how).unwrap();
    assert_ne!(bottom.stop, Stop::Plateau);
    let again = learn(&pattern, &bottom.family, &entropy, &how).unwrap();
    assert_ne!(again.stop, Stop::Plateau, "{}", bottom.stop);
}

#[test]
fn golden_section_finds_the_bottom_of_a_valley() {
    /// (ln a − 1)², least at a = e.
    struct Valley;
    impl Function for Valley {
        fn start(&self) -> Vec<f64> {
            vec![2.0]
        }
        fn names(&self) -> Vec<String> {
            vec!["a".to_owned()]
        }
        fn domains(&self) -> Vec<Domain> {
            vec![Domain::Positive]
        }
        fn value(&self, p: &[f64]) -> Result<f64, TuneError> {
            Ok((p[0].ln() - 1.0).powi(2))
        }
        fn value_and_gradient(&self, p: &[f64]) -> Result<(f64, Vec<f64>), TuneError> {
            Ok((self.value(p)?, vec![2.0 * (p[0].ln() - 1.0) / p[0]]))
        }
    }
    let optimiser = Optimiser::GoldenSection { factor: 4.0, probes: 5 };
    let found = Minimise { optimiser, ..Minimise::default() }.run(&Valley, |_| {}).unwrap();
    assert!((found.parameters[0] - std::f64::consts::E).abs() < 1e-6);
    assert_eq!(found.stop, Stop::Bracket);
}

#[test]
fn each_mistake_is_an_error_that_names_it() {
    let points = Points::dense(array![[0.0], [1.0], [2.0], [50.0]]).unwrap();
    let labels = Labels::from_names([Some("a"), None, Some("b"), None]);
    let pattern = Pattern::complete(&points, Metric::Euclidean).unwrap();
    let entropy = Entropy::new(labels.clone());
    let how = Minimise::default();
    let with = |how: Minimise| how.run(&Bowl, |_| {}).unwrap_err();
    let one = Labels::from_names([Some("a"), None, Some("a"), None]);
    let absent = Labels::new(one.as_slice().to_vec(), vec!["a".into(), "b".into()]).unwrap();
    let massless = Entropy::new(absent).normalised(ClassPrior::uniform(2).unwrap()).unwrap();
    let wide = Exponential { sigma: 30.0 };
    let table: Vec<(&str, TuneError)> = vec![
        ("ε is 1", Entropy::new(labels.clone()).smoothed(1.0).unwrap_err()),
        ("ε is -0.1", Entropy::new(labels.clone()).smoothed(-0.1).unwrap_err()),
        ("ε is NaN", Entropy::new(labels.clone()).smoothed(f64::NAN).unwrap_err()),
        ("no parameters", learn(&pattern, &Unweighted, &entropy, &how).unwrap_err()),
        // At σ = 1 the far point's weights underflow: it is an island.
        ("cannot reach", learn(&pattern, &Exponential { sigma: 1.0 }, &entropy, &how).unwrap_err()),
        ("class 1 has no mass", learn(&pattern, &wide, &massless, &how).unwrap_err()),
        ("reach is 1", with(Minimise { reach: 1.0, ..Minimise::default() })),
        (
            "memory is 0",
            with(Minimise { optimiser: Optimiser::Lbfgs { memory: 0 }, ..Minimise::default() }),
        ),
        (
            "1 to 10000",
            with(Minimise {
                optimiser: Optimiser::Lbfgs { memory: usize::MAX },
                ..Minimise::default()
            }),
        ),
        (
            "longest step is 0",
            with(Minimise {
                optimiser: Optimiser::SteepestDescent { longest: 0.0 },
                ..Minimise::default()
            }),
        ),
        (
            "probes is 2",
            with(Minimise {
                optimiser: Optimiser::GoldenSection { factor: 3.0, probes: 2 },
                ..Minimise::default()
            }),
        ),
        (
            "there are 3",
            with(Minimise {
                optimiser: Optimiser::GoldenSection { factor: 3.0, probes: 3 },
                ..Minimise::default()
            }),
        ),
        (
            "class prior: 3 given",
            Entropy::new(labels).normalised(ClassPrior::uniform(3).unwrap()).unwrap_err(),
        ),
    ];
    for (words, error) in table {
        assert!(error.to_string().contains(words), "{error} should contain {words:?}");
    }
}
