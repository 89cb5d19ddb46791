//! A fitted description, and the calls that make one.

use crate::arrays::{Data, Input, Known, labels, rows_of};
use crate::errors::raised;
use crate::run::How;
use gaussfield::core::FactValue;
use gaussfield::description::{Description, Fitted};
use gaussfield::harmonic::{Criterion, Field, Query, Reason, Verdict};
use gaussfield::labels::{
    Decision, HoldOut, Inductive as _, Labels, Transductive as _, balance_counts,
};
use gaussfield::laplacian::{LanczosOptions, Laplacian};
use gaussfield::{Error, Plan, Validation};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

/// A description as JSON, and for each automatic choice its part, what was chosen and why.
type Told = (String, Vec<(String, String, String)>);

fn told(plan: Plan) -> Result<Told, Error> {
    let choices = plan.choices.into_iter();
    let choices = choices.map(|choice| (choice.part.into_owned(), choice.chosen, choice.because));
    Ok((plan.description.to_json()?, choices.collect()))
}

/// Points or a graph, of which some have a label: taken and checked once for all that is asked of them.
#[pyclass(frozen, module = "gaussfield._gaussfield")]
pub(crate) struct Problem {
    known: Known,
    labels: Labels,
}

#[pymethods]
impl Problem {
    /// From class numbers, below 0 where there is none.
    #[new]
    fn new(x: Input<'_>, codes: PyReadonlyArray1<'_, i64>, names: Vec<String>) -> PyResult<Self> {
        Ok(Self { known: x.known()?, labels: labels(&codes, names)? })
    }

    /// What is chosen for it if nothing is said.
    #[pyo3(signature = (threads=1))]
    fn plan(&self, py: Python<'_>, threads: usize) -> PyResult<Told> {
        How { threads, heard: None }.run(py, || match &self.known {
            Known::Points(points) => told(Description::automatic(points, &self.labels)?),
            Known::Graph(_) => told(Description::automatic_on_graph(&self.labels)?),
        })
    }

    /// Runs a description on it.
    #[pyo3(signature = (description, threads=1, heard=None))]
    fn fit(
        &self,
        py: Python<'_>,
        description: &str,
        threads: usize,
        heard: Option<Py<PyAny>>,
    ) -> PyResult<Model> {
        let description = Description::from_json(description).map_err(raised)?;
        let fitted = How { threads, heard }.run(py, || {
            Ok(match &self.known {
                Known::Points(points) => description.fit(points, &self.labels)?,
                Known::Graph(graph) => description.fit_graph(graph.clone(), &self.labels)?,
            })
        })?;
        Ok(Model { fitted })
    }
}

/// A description that was run.
#[pyclass(frozen, module = "gaussfield._gaussfield")]
#[derive(Debug)]
pub(crate) struct Model {
    fitted: Fitted,
}

/// Compressed sparse rows: `indptr`, `indices`, `data`.
type CsrOut<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

/// What an audit says of one label: node, class given, class likely, support, probability that it is
/// wrong, verdict.
type AuditRow = (usize, usize, usize, f64, f64, &'static str);

/// A node to label next: node, gain, size of the part that no label reaches.
type QueryRow = (usize, Option<f64>, Option<usize>);

#[pymethods]
impl Model {
    /// The description with every choice made, as JSON.
    fn description(&self) -> PyResult<String> {
        self.fitted.description().to_json().map_err(raised)
    }

    /// How the answer was computed: names and values, in order.
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let facts = PyList::empty(py);
        for fact in self.fitted.facts().iter() {
            let name = &*fact.name;
            match &fact.value {
                FactValue::Count(count) => facts.append((name, count))?,
                FactValue::Number(number) => facts.append((name, number))?,
                FactValue::Text(text) => facts.append((name, text))?,
            }
        }
        Ok(facts)
    }

    /// The scores of the method itself, a row for each point.
    fn scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        self.fitted.scores().values().to_owned().into_pyarray(py)
    }

    /// The probabilities as the decision sees them, a row for each point.
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let scores = self.fitted.probabilities().map_err(raised)?;
        Ok(scores.into_values().into_pyarray(py))
    }

    /// The unlabelled points and their classes.
    fn decided<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>) {
        let told = self.fitted.predictions();
        let array = |all: &[usize]| {
            let all: Vec<i64> = all.iter().map(|&one| one as i64).collect();
            all.into_pyarray(py)
        };
        (array(told.rows()), array(told.classes()))
    }

    /// The points that no label reaches.
    fn islands(&self) -> Vec<usize> {
        self.fitted.islands().to_vec()
    }

    /// The number that each class's score is multiplied with, where masses or counts decide: a point
    /// that comes later is then decided alone, by what was found on those that were there.
    fn multipliers(&self) -> PyResult<Option<Vec<f64>>> {
        let decision = &self.fitted.description().decision;
        // A copy of all scores, which most decisions do not need.
        if !matches!(decision, Decision::ClassMass(_) | Decision::Counts(_)) {
            return Ok(None);
        }
        let scores = self.fitted.interior_scores().map_err(raised)?;
        if scores.nodes() == 0 {
            return Ok(None);
        }
        Ok(match decision {
            Decision::ClassMass(prior) => {
                let masses = (0..scores.classes()).map(|class| scores.class(class).sum());
                let shares = masses.zip(prior.as_slice());
                Some(
                    shares
                        .map(|(mass, share)| if mass > 0.0 { share / mass } else { 0.0 })
                        .collect(),
                )
            }
            Decision::Counts(prior) => {
                let found = balance_counts(&scores, prior).map_err(raised)?;
                Some(found.log_multipliers.iter().map(|ln| ln.exp()).collect())
            }
            _ => None,
        })
    }

    /// The scores of new points.
    #[pyo3(signature = (x, threads=1))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        x: Data<'_>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let points = x.points()?;
        let how = How { threads, heard: None };
        let scores = how.run(py, || Ok(self.fitted.predict(&points)?))?;
        Ok(scores.into_values().into_pyarray(py))
    }

    /// What the other labels say of every label, the likeliest mistakes first.
    #[pyo3(signature = (noise, threads=1))]
    fn audit(&self, py: Python<'_>, noise: f64, threads: usize) -> PyResult<Vec<AuditRow>> {
        let field = self.field()?;
        let found = How { threads, heard: None }.run(py, || Ok(field.audit(noise)?))?;
        let row = |audited: gaussfield::harmonic::Audited| {
            let verdict = match audited.verdict {
                Verdict::Agrees => "agrees",
                Verdict::Suspect => "suspect",
                _ => "untold",
            };
            (audited.node, audited.given, audited.likely, audited.support, audited.wrong, verdict)
        };
        Ok(found.into_iter().map(row).collect())
    }

    /// Which points to label next, the most valuable first.
    #[pyo3(signature = (criterion, batch, candidates, threads=1))]
    fn query(
        &self,
        py: Python<'_>,
        criterion: &str,
        batch: usize,
        candidates: usize,
        threads: usize,
    ) -> PyResult<Vec<QueryRow>> {
        let quoted = format!("{criterion:?}");
        let criterion: Criterion = serde_json::from_str(&quoted)
            .map_err(|error| PyValueError::new_err(format!("criterion: {error}")))?;
        let (field, graph) = (self.field()?, self.graph_of()?);
        let query = Query { criterion, batch, candidates };
        let found = How { threads, heard: None }.run(py, || Ok(query.next(field, graph)?))?;
        let row = |question: gaussfield::harmonic::Question| match question.reason {
            Reason::Gain(gain) => (question.node, Some(gain), None),
            Reason::Unreached { nodes } => (question.node, None, Some(nodes)),
            _ => (question.node, None, None),
        };
        Ok(found.into_iter().map(row).collect())
    }

    /// Accuracy, log loss and calibration error by held-out labels, each with its standard error.
    #[pyo3(signature = (repeats, share, seed, threads=1))]
    fn validate(
        &self,
        py: Python<'_>,
        repeats: usize,
        share: f64,
        seed: u64,
        threads: usize,
    ) -> PyResult<Vec<(&'static str, f64, Option<f64>)>> {
        if self.fitted.description().method.needs_graph() {
            self.graph_of()?;
        }
        let hold_out = HoldOut { repeats, share, seed };
        let validation = Validation { hold_out, ..Validation::default() };
        let how = How { threads, heard: None };
        let found = how.run(py, || validation.run(&self.fitted, self.fitted.labels()))?;
        let row =
            |name, of: &gaussfield::labels::metrics::MeanStd| (name, of.mean, of.standard_error());
        Ok(vec![
            row("accuracy", &found.accuracy),
            row("log_loss", &found.log_loss),
            row("calibration_error", &found.calibration_error),
        ])
    }

    /// The bytes of a saved model.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.fitted.to_bytes().map_err(raised)?))
    }

    /// Reads what `to_bytes` wrote.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let how = How { threads: 1, heard: None };
        Ok(Self { fitted: how.run(py, || Fitted::from_bytes(bytes))? })
    }

    /// How a pickle makes it again.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let make = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((make, (self.to_bytes(py)?,)))
    }

    /// The graph as compressed sparse rows, if the method has one.
    fn graph<'py>(&self, py: Python<'py>) -> Option<CsrOut<'py>> {
        let (indptr, indices, data) = rows_of(self.fitted.graph()?);
        Some((indptr.into_pyarray(py), indices.into_pyarray(py), data.into_pyarray(py)))
    }

    /// Coordinates by which linked points are near each other: eigenvectors of the normalised
    /// Laplacian, without those of the eigenvalue 0.
    #[pyo3(signature = (dimensions, threads=1))]
    fn embedding<'py>(
        &self,
        py: Python<'py>,
        dimensions: usize,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let graph = self.graph_of()?;
        let parts = gaussfield::laplacian::components(graph).count;
        let all = dimensions.saturating_add(parts);
        let found = How { threads, heard: None }.run(py, || {
            let options = LanczosOptions::default();
            Ok(Laplacian::Symmetric.smallest(graph, all.min(graph.nodes()), &options)?)
        })?;
        let vectors = found.vectors.slice(ndarray::s![.., parts.min(found.vectors.ncols())..]);
        Ok(vectors.to_owned().into_pyarray(py))
    }
}

impl Model {
    fn field(&self) -> PyResult<&Field> {
        let method = self.fitted.description().method.name();
        self.fitted.field().ok_or_else(|| {
            PyValueError::new_err(format!(
                "this model of {method} keeps no field to ask (one that was saved never does): fit \
                 HarmonicClassifier to the points again"
            ))
        })
    }

    fn graph_of(&self) -> PyResult<&gaussfield::graph::Graph> {
        self.fitted.graph().ok_or_else(|| {
            PyValueError::new_err(
                "this model keeps no graph (one that was saved does not): fit it to the points again",
            )
        })
    }
}
