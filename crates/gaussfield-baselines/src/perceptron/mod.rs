//! The voted perceptron.

mod votes;

use crate::BaselineError;
use crate::expansion::positives;
use crate::training::{Training, more_than_one_class};
use gaussfield_core::{Budget, Parameters as _, check};
use gaussfield_kernel::{Kernel, KernelError};
use gaussfield_labels::{Inductive, Labels, Named, Scores};
use gaussfield_points::Points;
use ndarray::{Array2, Axis, s};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use votes::Voters;

/// Queries whose kernel rows are in memory at a time.
const BLOCK: usize = 512;

/// The voted perceptron (Freund and Schapire, Machine Learning 37, 1999), with kernels.
///
/// Rosenblatt's perceptron goes through the labelled points, and at each mistake (y⟨v, x⟩ ≤ 0) adds
/// y·x to its vector v. The voted perceptron keeps every vector v_k it ever had, with the number
/// c_k of points it survived, and lets them all vote:
///
/// ```math
/// \hat y(x) = \mathrm{sign} \sum_k c_k\, \mathrm{sign} \langle v_k, x \rangle .
/// ```
///
/// Each v_k is a sum of labelled points, so ⟨v_k, x⟩ is a running sum of kernel values over the
/// mistakes: neither the vectors nor the space of the kernel are ever formed.
///
/// Two classes: class 1 is the positive side. More classes: one against all others, the largest
/// vote wins. The order of the points is drawn anew for each epoch from the seed, the same for
/// every class. A vector that is orthogonal to x does not vote.
///
/// ```
/// use gaussfield_baselines::{Kernel, VotedPerceptron};
/// use gaussfield_labels::{Inductive, Labels};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// // Exclusive or: no line separates the classes, a polynomial of second order does.
/// let points = Points::dense(array![[1., 1.], [-1., -1.], [1., -1.], [-1., 1.], [0.5, 0.4]])?;
/// let labels = Labels::from_names([Some("same"), Some("same"), Some("other"), Some("other"), None]);
/// let kernel = Kernel::Polynomial { degree: 2, scale: 1.0, offset: 1.0 };
/// let perceptron = VotedPerceptron { seed: 7, ..VotedPerceptron::new(kernel) };
/// let model = perceptron.fit(&points, &labels)?;
/// assert_eq!(model.predict(&points)?.argmax(), [0, 0, 1, 1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct VotedPerceptron {
    /// The kernel.
    pub kernel: Kernel,
    /// How often to go through the labelled points, at least once. Default 10.
    #[serde(default = "epochs")]
    pub epochs: usize,
    /// The seed of the order in which points are shown. Default 0.
    #[serde(default)]
    pub seed: u64,
}

fn epochs() -> usize {
    10
}

impl VotedPerceptron {
    /// A voted perceptron of 10 epochs, as in Zhu et al. 2003, and seed 0.
    pub fn new(kernel: Kernel) -> Self {
        Self { kernel, epochs: epochs(), seed: 0 }
    }

    /// Trains on the labelled points. O(l²d) for the Gram matrix, then O(T·l + mistakes·l) for
    /// each class.
    ///
    /// # Errors
    /// No epoch, a kernel out of range, labels for another number of points, no label, labels of
    /// one class only, or a kernel value past the largest number.
    pub fn fit(
        &self,
        points: &Points,
        labels: &Labels,
    ) -> Result<VotedPerceptronModel, BaselineError> {
        check::at_least("the number of epochs", self.epochs, 1)?;
        self.kernel.check_parameters().map_err(KernelError::from)?;
        let training = Training::new(points, labels)?;
        more_than_one_class(labels)?;
        let gram = self.kernel.gram(&training.points, Budget::default())?;
        let order = self.order(training.len());
        let voters = positives(labels)
            .into_par_iter()
            .map(|positive| {
                // A class without a label gets no vote.
                training.classes.contains(&positive).then(|| {
                    let is_positive: Vec<bool> =
                        training.classes.iter().map(|&class| class == positive).collect();
                    Voters::train(gram.view(), &is_positive, &order)
                })
            })
            .collect();
        Ok(VotedPerceptronModel { kernel: self.kernel, training, voters })
    }

    /// The labelled points in the order of all epochs, one after the other.
    fn order(&self, labelled: usize) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        let mut all = Vec::with_capacity(labelled * self.epochs);
        for _ in 0..self.epochs {
            let mut epoch: Vec<usize> = (0..labelled).collect();
            epoch.shuffle(&mut rng);
            all.append(&mut epoch);
        }
        all
    }
}

/// A trained [`VotedPerceptron`]: the labelled points, and for each class its mistakes.
#[derive(Debug, Clone)]
pub struct VotedPerceptronModel {
    kernel: Kernel,
    training: Training,
    /// One for two classes (class 1), else one a class; `None` for a class without labels.
    voters: Vec<Option<Voters>>,
}

impl VotedPerceptronModel {
    /// How many mistakes training made, all classes together: the size of the model.
    pub fn mistakes(&self) -> usize {
        self.voters.iter().flatten().map(Voters::mistakes).sum()
    }

    /// The votes Σ_k c_k sign⟨v_k, x⟩ / Σ_k c_k of each query, between −1 and 1. Two classes have
    /// one column, for class 1; otherwise each class has one, −1 for a class without labels.
    /// O(queries·(l·d + mistakes)).
    ///
    /// # Errors
    /// Queries of another dimension, or a kernel value past the largest number.
    pub fn votes(&self, queries: &Points) -> Result<Array2<f64>, BaselineError> {
        self.training.check_dimension(queries)?;
        let mut votes = Array2::from_elem((queries.len(), self.voters.len()), -1.0);
        // Blocks one after the other: the product of each may use the threads of the BLAS, then
        // its rows those of rayon, but never both at once.
        for start in (0..queries.len()).step_by(BLOCK) {
            let range = start..(start + BLOCK).min(queries.len());
            let kernel = self.kernel.cross_rows(
                queries,
                range.clone(),
                &self.training.points,
                Budget::default(),
            )?;
            let mut block = votes.slice_mut(s![range, ..]);
            block.axis_iter_mut(Axis(0)).into_par_iter().zip(kernel.axis_iter(Axis(0))).for_each(
                |(mut row, kernel)| {
                    for (vote, voters) in row.iter_mut().zip(&self.voters) {
                        if let Some(voters) = voters {
                            *vote = voters.vote(kernel);
                        }
                    }
                },
            );
        }
        Ok(votes)
    }
}

impl Named for VotedPerceptronModel {
    fn class_names(&self) -> &[String] {
        &self.training.names
    }
}

impl Inductive<Points> for VotedPerceptronModel {
    type Error = BaselineError;

    /// (1 + vote)/2, for more than two classes divided by their sum (uniform where all vote against
    /// every class).
    fn predict(&self, queries: &Points) -> Result<Scores, BaselineError> {
        let mut shares = self.votes(queries)?.mapv_into(|vote| 0.5 * (1.0 + vote));
        if shares.ncols() == 1 {
            return Ok(Scores::binary(shares.column(0))?);
        }
        for mut row in shares.outer_iter_mut().filter(|row| row.iter().all(|&p| p <= 0.0)) {
            row.fill(1.0);
        }
        Ok(Scores::normalised(shares)?)
    }
}
