//! A Gaussian process on labelled points.

use crate::BaselineError;
use crate::expansion::{positives, signs};
use crate::training::{Training, more_than_one_class};
use gaussfield_core::Budget;
use gaussfield_gp::{
    EpFit, GaussianProcess, GpError, KernelPrior, Marginals, Observed, Posterior, Probit,
    TiltedLikelihood,
};
use gaussfield_kernel::Kernel;
use gaussfield_labels::{Inductive, Labels, LabelsError, Named, Scores};
use gaussfield_points::Points;
use ndarray::Array2;
use serde::{Deserialize, Serialize};

/// A Gaussian process that sees labelled points only: a base kernel, probit noise, expectation
/// propagation.
///
/// ```math
/// f \sim \mathcal N(0, k), \qquad P(y \mid f(x)) = \Phi(y f(x)/\nu) .
/// ```
///
/// It is what Sindhwani, Chu and Keerthi (IJCAI 2007) call the standard GP: their semi-supervised
/// process with γ_I = 0. Its kernel is given, or chosen from a list by the evidence
/// $`p(y_L \mid k)`$. Two classes have one process, positive for class 1; more classes have one
/// each (one against the rest) and share a kernel, that with the largest sum of log evidences.
///
/// ```
/// use gaussfield_baselines::{Kernel, SupervisedGp};
/// use gaussfield_labels::{Inductive, Labels};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let points = Points::dense(array![[0.0], [0.6], [3.0], [3.5], [2.8]])?;
/// let labels =
///     Labels::from_names([Some("low"), Some("low"), Some("high"), Some("high"), None]);
/// let widths = [0.01, 1.0, 100.0].map(|width| Kernel::Rbf { width });
/// let model = SupervisedGp::choosing(widths).fit(&points, &labels)?;
/// assert_eq!(model.kernel(), Kernel::Rbf { width: 1.0 });
/// assert_eq!(model.predict(&points)?.argmax(), [0, 0, 1, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SupervisedGp {
    /// At least one; that of the largest evidence is taken, the first of equals.
    pub kernels: Vec<Kernel>,
    /// The standard deviation ν of the probit noise, positive. Default 0.01, the ν² = 10⁻⁴ of that
    /// paper.
    #[serde(default = "noise")]
    pub noise: f64,
}

fn noise() -> f64 {
    0.01
}

impl SupervisedGp {
    /// With one kernel.
    pub fn new(kernel: Kernel) -> Self {
        Self::choosing([kernel])
    }

    /// With the kernel of the largest evidence.
    pub fn choosing(kernels: impl IntoIterator<Item = Kernel>) -> Self {
        Self { kernels: kernels.into_iter().collect(), noise: noise() }
    }

    /// Fits to the labelled points. O(l²d), and O(l³) for each sweep of the propagation, for each
    /// kernel and class.
    ///
    /// # Errors
    /// No kernel, or one out of range; a noise out of range; labels for another number of points,
    /// none, or of one class only; a propagation that does not converge.
    pub fn fit(
        &self,
        points: &Points,
        labels: &Labels,
    ) -> Result<SupervisedGpModel, BaselineError> {
        let labelled = Training::new(points, labels)?.points;
        more_than_one_class(labels)?;
        let mut best: Option<SupervisedGpModel> = None;
        for &kernel in &self.kernels {
            let model = self.fit_kernel(kernel, &labelled, labels)?;
            if best.as_ref().is_none_or(|best| model.log_evidence > best.log_evidence) {
                best = Some(model);
            }
        }
        best.ok_or(LabelsError::EmptyGrid.into())
    }

    fn fit_kernel(
        &self,
        kernel: Kernel,
        labelled: &Points,
        labels: &Labels,
    ) -> Result<SupervisedGpModel, BaselineError> {
        SupervisedGpModel::new(Probit { noise: self.noise }, kernel, labelled, labels)
    }
}

/// A fitted [`SupervisedGp`], or a [`BayesPointMachine`](crate::BayesPointMachine), whose labels
/// come about by a step.
#[derive(Debug)]
pub struct SupervisedGpModel<L = Probit> {
    kernel: Kernel,
    log_evidence: f64,
    /// One for two classes, else one a class; none for a class without labels.
    processes: Vec<Option<Posterior<KernelPrior, L, EpFit>>>,
    names: Vec<String>,
}

impl<L: TiltedLikelihood + Clone> SupervisedGpModel<L> {
    /// One process for two classes, else one a class.
    pub(crate) fn new(
        likelihood: L,
        kernel: Kernel,
        labelled: &Points,
        labels: &Labels,
    ) -> Result<Self, BaselineError> {
        // Each process keeps the matrix of the labelled block, its factor and a covariance.
        let (size, processes) = (labelled.len(), positives(labels).len());
        let of_each = size.saturating_mul(4).saturating_mul(processes);
        let rest = Budget::default().matrix("the processes of all classes", size, of_each)?;
        let base = KernelPrior::new(labelled, kernel, rest)?;
        let process = GaussianProcess::ep(likelihood);
        let nodes: Vec<usize> = (0..labelled.len()).collect();
        let processes = positives(labels)
            .map(|class| {
                let fit =
                    |signs: Vec<f64>| process.fit(base.clone(), &Observed::new(&nodes, &signs)?);
                signs(labels, class).map(fit).transpose()
            })
            .collect::<Result<Vec<_>, GpError>>()?;
        let log_evidence = processes.iter().flatten().map(Posterior::log_evidence).sum();
        let names = labels.names().to_vec();
        Ok(Self { kernel, log_evidence, processes, names })
    }

    /// The kernel, given or chosen.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Its log evidence, summed over the processes.
    pub fn log_evidence(&self) -> f64 {
        self.log_evidence
    }

    /// Mean, variance, probability and entropy of each process: one of class 1 for two classes,
    /// else one a class, none for a class without labels. O(queries·l²), in batches: the memory
    /// beyond the answers does not grow with the number of queries.
    ///
    /// # Errors
    /// Queries of another dimension, or a kernel value that cannot be computed.
    pub fn marginals(&self, queries: &Points) -> Result<Vec<Option<Marginals>>, BaselineError> {
        let one = |process: &Option<Posterior<KernelPrior, L, EpFit>>| {
            process.as_ref().map(|process| process.marginals(queries)).transpose()
        };
        Ok(self.processes.iter().map(one).collect::<Result<_, _>>()?)
    }
}

impl<L> Named for SupervisedGpModel<L> {
    fn class_names(&self) -> &[String] {
        &self.names
    }
}

impl<L: TiltedLikelihood + Clone> Inductive<Points> for SupervisedGpModel<L> {
    type Error = BaselineError;

    /// For two classes the probabilities; for more those of the processes, divided by their sum.
    fn predict(&self, queries: &Points) -> Result<Scores, BaselineError> {
        // No probability of a class with labels is so small that a row sums to zero.
        let mut shares = Array2::from_elem((queries.len(), self.names.len()), 0.0);
        let processes = self.marginals(queries)?;
        let several = processes.len() > 1;
        for (class, found) in processes.into_iter().enumerate() {
            let Some(found) = found else { continue };
            let probability = found.probability.mapv(|p| p.max(f64::MIN_POSITIVE));
            if several {
                shares.column_mut(class).assign(&probability);
            } else {
                shares.column_mut(0).assign(&probability.mapv(|p| 1.0 - p));
                shares.column_mut(1).assign(&probability);
            }
        }
        Ok(Scores::normalised(shares)?)
    }
}
