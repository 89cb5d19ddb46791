//! Every method once, for all suites that run over them.

use gaussfield::description::Description;
use std::fmt;

/// A method as the table `method` of a description, and what is true of it.
#[derive(Debug)]
pub(crate) struct Named {
    pub(crate) text: &'static str,
    /// Whether it answers for new points.
    pub(crate) for_new_points: bool,
    /// Whether its answer depends on the order of the points: it draws some of them, or visits them
    /// one after the other.
    pub(crate) draws: bool,
    /// Whether its answer on a graph is the same in any unit of the weights: it compares them with
    /// nothing but each other.
    pub(crate) scales: bool,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

/// On the nodes of its graph only.
const fn on_nodes(text: &'static str) -> Named {
    Named { text, for_new_points: false, draws: false, scales: true }
}

/// For new points too.
const fn anywhere(text: &'static str) -> Named {
    Named { text, for_new_points: true, draws: false, scales: false }
}

/// With draws, or an order.
const fn drawn(method: Named) -> Named {
    Named { draws: true, ..method }
}

/// With a number that weights are compared with.
const fn in_units(method: Named) -> Named {
    Named { scales: false, ..method }
}

/// The description that is this method and nothing else.
pub(crate) fn read(method: &str) -> Description {
    Description::from_toml(&format!("[method]\n{method}")).unwrap()
}

pub(crate) const METHODS: &[Named] = &[
    on_nodes("harmonic = {}"),
    on_nodes("harmonic = { solver = { solver = { conjugate-gradient = \"jacobi\" } } }"),
    on_nodes("dongles = { dongles = { doubt = 0.9 } }"),
    in_units(on_nodes("dongles = { dongles = { doubt = 0.9, self-loop = 1.0 } }")),
    on_nodes("smoothing = { epsilon = 0.01, islands = { prior = [0.25, 0.75] } }"),
    on_nodes("dynamics = {}"),
    on_nodes("tempered = {}"),
    on_nodes("poisson = {}"),
    on_nodes("poisson-reweighted = {}"),
    on_nodes("properly-weighted = { radius = 0.3 }"),
    on_nodes("consistency = { alpha = 0.9 }"),
    on_nodes("nearest-growth = {}"),
    on_nodes("minimum-cut = {}"),
    on_nodes("normalised-cut = {}"),
    // Staying has a weight of its own.
    in_units(on_nodes("markov-walk = { steps = 20 }")),
    on_nodes("eigenvectors = { count = 3 }"),
    drawn(anywhere(
        "harmonic-mixture = { em = { components = 12, family = { gaussian = { \
         covariance = \"full\", reg = { share = 1e-6 } } } }, harmonic = { keep = { largest = 3 } } }",
    )),
    drawn(anywhere(
        "chosen-mixture = { candidates = [4, 8], criterion = { backbone = { slack = 0.02 } }, sample = \
         40, em = { components = 1, family = { gaussian = { covariance = \"full\", reg = { share = 1e-4 \
         } } } } }",
    )),
    drawn(anywhere(
        "prototype-mixture = { kmeans = { clusters = 15, seed = 3 }, assignment = { soft = { \
         width = 0.3 } } }",
    )),
    drawn(anywhere(
        "prototype-mixture = { kmeans = { clusters = 8, seed = 3 }, assignment = { soft = { width = 0.3 \
         } }, harmonic = { search = { sigmoid = true, alpha = 0.5 } } }",
    )),
    drawn(anywhere(
        "logistic-mixture = { kmeans = { clusters = 8, seed = 3 }, regression = { penalty = 0.01 } }",
    )),
    in_units(on_nodes(
        "gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = 0.1 } } } }, \
         inference = { ep = { likelihood = { flip = { epsilon = 0.1 } } } } }",
    )),
    on_nodes(
        "gaussian-process = { prior = { graph = { regularisation = { normalised = { delta = 0.1 } } } }, \
         inference = { laplace = { likelihood = { sigmoid = { gamma = 1.0 } } } } }",
    ),
    on_nodes(
        "gaussian-process = { prior = { spectral = { pairs = 20, scale = 5.0, laplacian = \
         \"symmetric\", transform = { diffusion = { sigma = 2.0 } } } }, inference = { laplace = { \
         likelihood = { sigmoid = { gamma = 1.0 } }, mean = { constant = 0.1 } } } }",
    ),
    anywhere(
        "gaussian-process = { prior = { warped = { kernel = { rbf = { width = 0.5 } }, warp = { \
         gamma-a = 1.0, gamma-i = 10.0, power = 1 } } }, inference = { softmax = { laplace = { \
         max-iterations = 50 } } } }",
    ),
    anywhere(
        "gaussian-process = { prior = { warped = { kernel = { rbf = { width = 0.5 } }, warp = { \
         gamma-a = 1.0, gamma-i = 10.0, power = 2 } } }, inference = { ep = { likelihood = { \
         probit = { noise = 0.5 } }, search = { max-sweeps = 99, schedule = \"sequential\" } } } }",
    ),
    in_units(on_nodes(
        "gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = 0.1 } } } }, \
         inference = { ep = { likelihood = { flip = { epsilon = 0.1 } } } }, probabilities = \
         \"averaged\" }",
    )),
    anywhere(
        "gaussian-process = { prior = { warped = { kernel = { rbf = { width = 0.5 } }, warp = { \
         gamma-a = 1.0, gamma-i = 10.0, power = 1 }, terms = [{ power = 2, beta = 0.5 }] } }, inference \
         = { laplace = { likelihood = { probit = { noise = 0.5 } } } } }",
    ),
    drawn(anywhere(
        "gaussian-process = { prior = { landmarks = { count = 20, kernel = { rbf = { width = 0.5 } }, \
         warp = { gamma-a = 1.0, gamma-i = 10.0, power = 1 } } }, inference = { laplace = { likelihood \
         = { probit = { noise = 0.5 } } } } }",
    )),
    anywhere(
        "laplacian-svm = { machine = { ambient = 0.01 }, prior = { kernel = { rbf = { width = 0.5 } }, \
         warp = { gamma-a = 1.0, gamma-i = 10.0, power = 1 } } }",
    ),
    anywhere(
        "laplacian-least-squares = { regression = { ambient = 0.01 }, prior = { kernel = { rbf = { \
         width = 0.5 } }, warp = { gamma-a = 1.0, gamma-i = 10.0, power = 1 } } }",
    ),
    on_nodes("rbf = { islands = { prior = [0.5, 0.5] } }"),
    drawn(on_nodes("sample = { nodes = 30, harmonic = { islands = { prior = [0.5, 0.5] } } }")),
    anywhere("nearest-neighbours = { k = 1 }"),
    drawn(anywhere(
        "voted-perceptron = { kernel = { polynomial = { degree = 3, scale = 1.0, offset = 1.0 } } }",
    )),
    anywhere(
        "support-vector-machine = { kernel = { rbf = { width = 0.5 } }, machine = { price = 10 } }",
    ),
    anywhere("regularised-least-squares = { kernel = \"linear\", regression = { ridge = 0.1 } }"),
    drawn(anywhere(
        "mixture = { components = 4, family = { gaussian = { covariance = \"tied\", reg = { variance = 0.01 } } } }",
    )),
    anywhere("supervised-gp = { kernels = [{ rbf = { width = 0.5 } }] }"),
    anywhere("bayes-point-machine = { kernel = { rbf = { width = 0.5 } }, epsilon = 0.05 }"),
];

/// A method that a description can name and this table does not have would be held to no contract.
#[test]
fn every_method_that_can_be_named_is_in_the_table() {
    let options = |of: &str, table: &str| -> Vec<String> {
        let error = Description::from_toml(&format!("{of} = {{}}\n")).unwrap_err().to_string();
        let (_, expected) =
            error.split_once("expected one of").unwrap_or_else(|| panic!("{error}"));
        let names: Vec<_> = expected.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert!(names.len() > 2, "{table}: {error}");
        names
    };
    for name in options("method.none", "methods") {
        let start = format!("{name} = ");
        assert!(METHODS.iter().any(|method| method.text.starts_with(&start)), "no line of {name}");
    }
    for of in ["method.gaussian-process.prior.none", "method.gaussian-process.inference.none"] {
        for name in options(of, "processes") {
            let named = |method: &&Named| method.text.contains(&format!("= {{ {name} = "));
            assert!(METHODS.iter().any(|method| named(&method)), "no line of the process {name}");
        }
    }
}
