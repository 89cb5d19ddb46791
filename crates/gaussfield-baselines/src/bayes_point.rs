//! The Bayes point machine.

use crate::training::{Training, more_than_one_class};
use crate::{BaselineError, SupervisedGpModel};
use gaussfield_gp::Flip;
use gaussfield_kernel::Kernel;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use serde::{Deserialize, Serialize};

/// The Bayes point machine (Minka 2001; Herbrich, Graepel and Campbell 2001), by expectation
/// propagation: of all classifiers that agree with the labels the mean one.
///
/// A Gaussian prior over classifiers f and a step, P(y | f(x)) = ε + (1 − 2ε)·\[y f(x) > 0\], give a
/// posterior that is the prior cut to the classifiers without error, where ε is 0. Where a support
/// vector machine takes the centre of the largest ball in there, this takes the centre of mass. It is
/// what the process of Kapoor, Qi, Ahn and Picard (NIPS 2005) becomes with a kernel on points in the
/// place of a graph.
///
/// ```
/// use gaussfield_baselines::{BayesPointMachine, Kernel};
/// use gaussfield_labels::{Inductive, Labels};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let points = Points::dense(array![[1.0, 0.2], [2.0, -0.4], [-1.0, 0.1], [-1.5, -0.2]])?;
/// let labels = Labels::from_names([Some("right"), None, Some("left"), None]);
/// let model = BayesPointMachine::new(Kernel::Linear).fit(&points, &labels)?;
/// assert_eq!(model.predict(&points)?.argmax(), [0, 0, 1, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BayesPointMachine {
    /// The kernel of the classifiers: linear for planes through the origin.
    pub kernel: Kernel,
    /// ε, the rate at which labels are flipped, at least 0 and below ½. Default 0; with a kernel
    /// under which no classifier agrees with all labels it has to be above 0.
    #[serde(default)]
    pub epsilon: f64,
}

impl BayesPointMachine {
    /// With labels that are all right.
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel, epsilon: 0.0 }
    }

    /// Fits to the labelled points: one machine for two classes, else one a class against the rest.
    /// O(l²d), and O(l³) for each sweep of the propagation and class.
    ///
    /// # Errors
    /// A kernel or ε out of range; labels for another number of points, none, or of one class only; a
    /// propagation that does not converge, as where no classifier agrees with the labels.
    pub fn fit(
        &self,
        points: &Points,
        labels: &Labels,
    ) -> Result<SupervisedGpModel<Flip>, BaselineError> {
        let labelled = Training::new(points, labels)?.points;
        more_than_one_class(labels)?;
        SupervisedGpModel::new(Flip { epsilon: self.epsilon }, self.kernel, &labelled, labels)
    }
}
