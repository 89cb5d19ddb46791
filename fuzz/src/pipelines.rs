//! Random pipelines: generator → graph → method → decision → description and model saved, loaded,
//! asked again.

use anyhow::{Context as _, ensure};
use gaussfield::data::Dataset;
use gaussfield::data::generate::TwoMoons;
use gaussfield::description::{Description, Fitted};
use gaussfield::labels::{Labels, Named as _, Transductive as _};
use gaussfield::points::Points;
use ndarray::Axis;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const METHODS: &[&str] = &[
    "harmonic = {}",
    "harmonic = { islands = { prior = [0.5, 0.5] } }",
    "smoothing = { epsilon = EPS }",
    "consistency = { alpha = SHARE }",
    "tempered = {}",
    "poisson = {}",
    "poisson-reweighted = {}",
    "properly-weighted = { radius = WIDTH }",
    "nearest-growth = {}",
    "minimum-cut = {}",
    "normalised-cut = {}",
    "markov-walk = { steps = COUNT }",
    "eigenvectors = { count = COUNT }",
    "gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = EPS } } } }, \
     inference = { ep = { likelihood = { flip = { epsilon = 0.1 } } } } }",
    "gaussian-process = { prior = { graph = { regularisation = { shifted = { delta = EPS } } } }, \
     inference = { laplace = { likelihood = { sigmoid = { gamma = 1.0 } } } } }",
    "dongles = { dongles = { doubt = SHARE, self-loop = 1.0 } }",
    "dynamics = {}",
    "rbf = { islands = { prior = [0.5, 0.5] } }",
    "sample = { nodes = COUNT, harmonic = { islands = { prior = [0.5, 0.5] } } }",
    "gaussian-process = { prior = { spectral = { pairs = COUNT, scale = 5.0, laplacian = \"symmetric\", \
     transform = { diffusion = { sigma = WIDTH } } } }, inference = { laplace = { likelihood = { \
     sigmoid = { gamma = 1.0 } }, mean = { constant = 0.1 } } } }",
    "gaussian-process = { prior = { warped = { kernel = { rbf = { width = WIDTH } }, warp = { \
     gamma-a = 1.0, gamma-i = 10.0, power = 1 } } }, inference = { softmax = {} } }",
    "prototype-mixture = { kmeans = { clusters = COUNT }, assignment = { soft = { width = WIDTH } } }",
    "harmonic-mixture = { em = { components = COUNT, family = { gaussian = { covariance = \
     \"diagonal\", reg = { share = 1e-4 } } } } }",
    "laplacian-svm = { machine = { ambient = EPS }, prior = { kernel = { rbf = { width = WIDTH } }, \
     warp = { gamma-a = 1.0, gamma-i = 1.0, power = 1 } } }",
    "laplacian-least-squares = { regression = { ambient = EPS }, prior = { kernel = { rbf = { width = \
     WIDTH } }, warp = { gamma-a = 1.0, gamma-i = 1.0, power = 2 } } }",
    "chosen-mixture = { candidates = [2, COUNT], criterion = { backbone = { slack = 0.02 } }, sample = \
     20, em = { components = 1, family = { gaussian = { covariance = \"full\", reg = { share = 1e-4 } } \
     } } }",
    "mixture = { components = COUNT, family = { gaussian = { covariance = \"tied\", reg = { variance = \
     EPS } } } }",
    "nearest-neighbours = { k = COUNT }",
    "voted-perceptron = { kernel = { polynomial = { degree = 3, scale = 1.0, offset = 1.0 } } }",
    "regularised-least-squares = { kernel = \"linear\", regression = { ridge = EPS } }",
    "support-vector-machine = { kernel = { rbf = { width = WIDTH } }, machine = { price = 10 } }",
    "supervised-gp = { kernels = [{ rbf = { width = WIDTH } }] }",
    "bayes-point-machine = { kernel = { rbf = { width = WIDTH } }, epsilon = 0.05 }",
    "logistic-mixture = { kmeans = { clusters = COUNT }, regression = { penalty = EPS } }",
    "prototype-mixture = { kmeans = { clusters = COUNT }, assignment = { soft = { width = WIDTH } }, \
     harmonic = { search = { sigmoid = true, alpha = SHARE } } }",
    "gaussian-process = { prior = { landmarks = { count = COUNT, kernel = { rbf = { width = WIDTH } }, \
     warp = { gamma-a = 1.0, gamma-i = 10.0, power = 1 } } }, inference = { ep = { likelihood = { flip = \
     { epsilon = 0.1 } } } }, probabilities = \"averaged\" }",
    "gaussian-process = { prior = { warped = { kernel = { rbf = { width = WIDTH } }, warp = { gamma-a = \
     1.0, gamma-i = 10.0, power = 1 }, terms = [{ power = 2, beta = EPS }] } }, inference = { softmax = \
     {} }, probabilities = \"averaged\" }",
];

const DECISIONS: [&str; 3] = ["\"argmax\"", "{ class-mass = [0.5, 0.5] }", "\"median\""];

/// One pipeline. Whether it was answered; a refusal with a reason is no finding.
///
/// # Errors
/// What was found: an invariant that does not hold.
pub fn run(seed: u64) -> anyhow::Result<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let data = data(&mut rng)?;
    let n = data.len();
    let shown: Vec<usize> = (0..n).filter(|_| rng.random_bool(0.15)).collect();
    let labels = data.labels.keep(&shown)?;
    let text = text(&mut rng);
    let description = Description::from_toml(&text).with_context(|| text.clone())?;
    let fitted = match description.fit(&data.points, &labels) {
        Ok(fitted) => fitted,
        Err(error) => {
            let told = error.to_string();
            ensure!(!told.is_empty() && told.len() < 2000, "{told}");
            return Ok(false);
        }
    };
    sound(&fitted, &labels).with_context(|| text.clone())?;
    let written = fitted.description().to_json()?;
    let again = Description::from_json(&written)?.fit(&data.points, &labels);
    let again = again.with_context(|| written)?;
    ensure!(again.scores() == fitted.scores(), "{text}: another answer the second time");
    let order: Vec<usize> = (0..n).rev().collect();
    let new = data.points.select(&order)?;
    if let Ok(told) = fitted.predict_new(&new) {
        ensure!(told.len() == n, "{text}: {} answers for {n} points", told.len());
    }
    if rng.random_bool(0.3) {
        kept(&mut rng, &fitted, &new).with_context(|| text.clone())?;
    }
    Ok(true)
}

fn data(rng: &mut ChaCha8Rng) -> anyhow::Result<Dataset> {
    let (n, seed) = (rng.random_range(12..150), rng.random());
    let noise = 10_f64.powf(rng.random_range(-3.0..0.0));
    Ok(TwoMoons { n, noise }.generate(seed)?)
}

fn text(rng: &mut ChaCha8Rng) -> String {
    let method = METHODS[rng.random_range(0..METHODS.len())];
    let eps = 10_f64.powf(rng.random_range(-6.0..0.0)).min(0.9);
    let method = method
        .replace("EPS", &format!("{eps:?}"))
        .replace("SHARE", &format!("{:?}", rng.random_range(0.01..0.999)))
        .replace("WIDTH", &format!("{:?}", 10_f64.powf(rng.random_range(-2.0..1.5))))
        .replace("COUNT", &rng.random_range(1..20).to_string());
    let decision = DECISIONS[rng.random_range(0..DECISIONS.len())];
    let graph = match rng.random_range(0..4) {
        0 => "graph = { complete = {} }\n".to_owned(),
        1 => format!("graph = {{ ball = {{ eps = {:?} }} }}\n", rng.random_range(0.05..2.0)),
        _ => format!("graph = {{ knn = {{ k = {} }} }}\n", rng.random_range(1..14)),
    };
    let plain =
        ["nearest-neighbours", "support", "supervised", "mixture", "voted", "regularised", "bayes"];
    let plain = plain.iter().any(|name| method.starts_with(name));
    let graph = if plain { String::new() } else { graph };
    format!("decision = {decision}\n{graph}[method]\n{method}\n")
}

fn sound(fitted: &Fitted, labels: &Labels) -> anyhow::Result<()> {
    let scores = fitted.scores().values();
    ensure!(scores.nrows() == labels.len() && scores.ncols() == labels.classes(), "the shape");
    ensure!(scores.iter().all(|p| (-1e-9..=1.0 + 1e-9).contains(p)), "a score is no probability");
    let sums = scores.sum_axis(Axis(1));
    ensure!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-8), "a row does not sum to one");
    ensure!(fitted.class_names() == labels.names(), "the names");
    ensure!(fitted.predictions().rows() == labels.unlabelled(), "the rows");
    Ok(())
}

/// The model of any method through its bytes, whole and with one bit changed.
fn kept(rng: &mut ChaCha8Rng, fitted: &Fitted, new: &Points) -> anyhow::Result<()> {
    let mut bytes = fitted.to_bytes().context("it cannot be saved")?;
    let back = Fitted::from_bytes(&bytes).context("what was saved cannot be loaded")?;
    ensure!(back.scores() == fitted.scores(), "another model came back");
    ensure!(back.predictions() == fitted.predictions(), "other predictions came back");
    ensure!(
        back.predict_new(new).ok() == fitted.predict_new(new).ok(),
        "the model that came back tells new points something else"
    );
    changed(rng, &mut bytes, |bytes| Fitted::from_bytes(bytes).is_ok())
}

/// One bit is changed, and the file may not be taken.
fn changed(
    rng: &mut ChaCha8Rng,
    bytes: &mut [u8],
    taken: impl Fn(&[u8]) -> bool,
) -> anyhow::Result<()> {
    let bit = rng.random_range(0..8 * bytes.len());
    bytes[bit / 8] ^= 1 << (bit % 8);
    ensure!(!taken(bytes), "bit {bit} was changed and not noticed");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_that_can_be_named_is_drawn() {
        let error = Description::from_toml("method.none = {}\n").unwrap_err().to_string();
        let (_, names) = error.split_once("expected one of").unwrap();
        let names: Vec<&str> = names.split('`').skip(1).step_by(2).collect();
        assert!(names.len() > 20, "{error}");
        for name in names {
            let start = format!("{name} = ");
            assert!(METHODS.iter().any(|method| method.starts_with(&start)), "no line of {name}");
        }
    }
}
