//! What a wrong description is told: the part, the value, the remedy.

use gaussfield::description::Description;
use gaussfield::points::Points;
use gaussfield::prelude::*;
use ndarray::array;

/// Each text with what the answer must say.
const WRONG: [(&str, &[&str]); 19] = [
    ("method = 3", &["line 1", "method"]),
    ("method.harmonik = {}", &["unknown variant `harmonik`", "`harmonic`"]),
    ("graph.knn.k = 3", &["missing field `method`"]),
    ("method.harmonic = {}\ncolour = 1", &["unknown field `colour`", "`weights`", "line 2"]),
    ("method.harmonic = { alpha = 1 }", &["unknown field `alpha`", "`islands`"]),
    ("method.harmonic.solver = { max_iterations = 9 }", &["`max_iterations`", "`max-iterations`"]),
    (
        "method.harmonic = {}\ngraph.knn = { k = 3, metrik = \"cosine\" }",
        &["metrik", "metric", "line 2"],
    ),
    ("method.harmonic = {}\ngraph.knn = { k = -1 }", &["-1", "line 2"]),
    (
        "method.harmonic = {}\nweights.exponential = { sigma = -2.0 }",
        &["weights: sigma is -2", "positive"],
    ),
    ("method.harmonic = {}\nweights.exponential = { sigma = 1.0, s = 2 }", &["unknown field `s`"]),
    ("method.dongles.dongles.doubt = 1.5", &["η is 1.5", "below 1"]),
    ("method.harmonic = {}\ndecision.class-mass = [0.5, 0.6]", &["sum", "1.1"]),
    (
        "method.nearest-neighbours.k = 1\ngraph.knn.k = 3",
        &["graph: given", "nearest-neighbours", "leave it out"],
    ),
    (
        "method.nearest-neighbours.k = 1\ntuning.objective.entropy = {}",
        &["tuning: given", "nearest-neighbours"],
    ),
    (
        "method.harmonic = {}\nweights = \"unweighted\"\ntuning.objective.entropy = {}",
        &["tuning: these weights", "exponential"],
    ),
    (
        "method.harmonic = {}\ntuning.objective.entropy.eps = 1",
        &["unknown field `eps`", "`epsilon`"],
    ),
    ("method.harmonic = {}\ntuning = {}", &["missing field `objective`"]),
    (
        "method.harmonic = {}\ntuning.objective.evidence = {}",
        &["evidence: harmonic", "gaussian-process", "entropy"],
    ),
    (
        "method.gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = 1.0 } \
         } } }, inference = { ep = { likelihood = { probit = { nois = 1.0 } } } } }",
        &["unknown field `nois`", "`noise`"],
    ),
];

/// What is found at the fit.
const UNFIT: [(&str, &[&str]); 11] = [
    (
        "method.gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = -1.0 \
         } } } }, inference = { softmax = {} } }\ngraph.complete = {}",
        &["method.gaussian-process: delta is -1", "positive"],
    ),
    (
        "method.gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = 1.0 } \
         } } }, inference = { laplace = { likelihood = { flip = { epsilon = 0.1 } } } } }\n\
         graph.complete = {}",
        &["method.gaussian-process:", "expectation propagation"],
    ),
    ("method.consistency.alpha = 2.0", &["method.consistency: α is 2", "below 1"]),
    ("method.harmonic.solver.tolerance = 0.0", &["method.harmonic: the tolerance is 0"]),
    ("method.harmonic = {}\ngraph.knn.k = 9", &["graph: k = 9", "at most 4"]),
    ("method.harmonic = {}\ngraph.ball.eps = 0.0", &["graph:", "is 0", "positive"]),
    (
        "method.harmonic = {}\ngraph.ball.eps = 0.1",
        &["method.harmonic", "cannot reach any labelled node"],
    ),
    ("method.harmonic = {}\ngraph.complete = {}\nbudget.bytes = 10", &["budget", "10 bytes"]),
    (
        "method.harmonic = {}\ngraph.complete = {}\ndecision.class-mass = [0.2, 0.3, 0.5]",
        &["decision: classes"],
    ),
    (
        "method.harmonic = {}\ngraph.complete = {}\ntuning = { objective = { entropy = {} }, hold = [\"sgma\"] }",
        &["tuning: there is no parameter \"sgma\"", "sigma"],
    ),
    (
        "method.harmonic = {}\ngraph.complete = {}\ntuning.objective.entropy.epsilon = 1.0",
        &["tuning: the smoothing ε is 1"],
    ),
];

fn says(error: &str, needles: &[&str], text: &str) {
    for needle in needles {
        assert!(error.contains(needle), "{text:?} is told {error:?}, without {needle:?}");
    }
}

#[test]
fn a_wrong_description_is_refused_when_it_is_read() {
    for (text, needles) in WRONG {
        let error = Description::from_toml(text).expect_err(text).to_string();
        says(&error, needles, text);
    }
    let error = Description::from_json("{\"method\":").unwrap_err().to_string();
    says(&error, &["JSON", "line 1"], "cut off");
}

#[test]
fn a_description_that_does_not_fit_the_points_names_the_part() {
    let points = Points::dense(array![[0.0], [1.0], [2.5], [4.0], [5.0]]).unwrap();
    let labels = Labels::from_names([Some("a"), None, None, None, Some("b")]);
    for (text, needles) in UNFIT {
        let description = Description::from_toml(text).expect(text);
        let error = description.fit(&points, &labels).expect_err(text).to_string();
        says(&error, needles, text);
    }
    let description = Description::from_toml("method.harmonic = {}\ngraph.complete = {}").unwrap();
    let short = Labels::from_names([Some("a"), Some("b")]);
    let error = description.fit(&points, &short).unwrap_err().to_string();
    says(&error, &["labels", "2 given where 5"], "short");
}
