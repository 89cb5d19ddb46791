//! What a search remembers from one step to the next.

use gaussfield_core::Budget;
use gaussfield_gp::Memory;
use gaussfield_laplacian::Work;

/// The memory of a search on one pattern.
///
/// An objective is evaluated on it again and again while weights change. What the pattern decides is
/// made once: where each weight goes, the fill-reducing order, the symbolic factor. What the weights
/// decide is brought up to date: the numeric factor, or a preconditioner that is made anew only when
/// it has become poor. What was found last is the next start: the sites of expectation propagation,
/// the mode of the Laplace approximation. Nothing is hidden; a fresh workbench gives the same numbers,
/// later.
///
/// ```
/// use gaussfield_core::Budget;
/// use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
/// use gaussfield_labels::Labels;
/// use gaussfield_points::Points;
/// use gaussfield_tune::{Entropy, Objective, Workbench};
/// use ndarray::array;
///
/// let points = Points::dense(array![[0.0], [0.4], [0.9], [3.0], [3.5], [3.9]])?;
/// let labels = Labels::from_names([Some("a"), None, None, None, None, Some("b")]);
/// let pattern = Pattern::knn(&points, Metric::Euclidean, 3, Symmetry::Either)?;
/// let entropy = Entropy::new(labels).smoothed(0.05)?;
/// let mut workbench = Workbench::default();
/// for sigma in [3.0, 2.0, 1.0] {
///     let graph = Exponential { sigma }.graph(&pattern, Budget::default())?;
///     entropy.evaluate_on(&mut workbench, &graph)?;
/// }
/// assert_eq!((workbench.work().preparations, workbench.work().structures), (3, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Workbench {
    /// The memory that weights may take; that of systems is in the options of the solver.
    pub budget: Budget,
    /// The system solved last, and where inference ended.
    pub memory: Memory,
}

impl Workbench {
    /// An empty workbench within a budget.
    pub fn within(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }

    /// What was made so far, and how often.
    pub fn work(&self) -> Work {
        self.memory.system.work()
    }
}
