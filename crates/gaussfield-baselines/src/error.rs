use gaussfield_graph::GraphError;
use gaussfield_labels::LabelsError;
use gaussfield_points::PointsError;

/// What can go wrong in a baseline.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The points are wrong, or of another dimension than those of the fit.
    #[error(transparent)]
    Points(#[from] PointsError),
    /// The labels are wrong.
    #[error(transparent)]
    Labels(#[from] LabelsError),
    /// A neighbour search failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// Labels for another number of points or nodes.
    #[error("there are {labels} labels for {nodes} {what}: one (or none) for each is needed")]
    Length {
        /// `"points"` or `"nodes"`.
        what: &'static str,
        /// How many of them.
        nodes: usize,
        /// How many labels.
        labels: usize,
    },
    /// A number of neighbours the labelled points cannot give.
    #[error(
        "k = {k} nearest labelled points were asked for, and {labelled} are labelled: k must be \
         at least 1 and at most {labelled}"
    )]
    BadNeighbourCount {
        /// Neighbours asked for.
        k: usize,
        /// Labelled points.
        labelled: usize,
    },
    /// All labels are of one class, so there is nothing to separate.
    #[error(
        "all {labelled} labelled points are of class {class:?}: a perceptron separates classes; \
         label a point of another one"
    )]
    OneClass {
        /// Name of the class.
        class: String,
        /// Labelled points.
        labelled: usize,
    },
    /// A polynomial of degree zero tells no two points apart.
    #[error("the degree of a polynomial kernel is 0: it must be at least 1")]
    BadDegree,
    /// The constant of a polynomial kernel is negative or not finite.
    #[error("the offset of a polynomial kernel is {offset}: it must be finite and not negative")]
    BadOffset {
        /// The offset given.
        offset: f64,
    },
    /// Training without any pass over the labels.
    #[error("the number of epochs is 0: at least one pass over the labelled points is needed")]
    NoEpochs,
    /// A kernel value is past the largest number.
    #[error(
        "the kernel of point {point} with labelled point {labelled} is {value}: divide the \
         features by their largest value, or lower the degree"
    )]
    KernelOverflow {
        /// Row of the point.
        point: usize,
        /// Position among the labelled points.
        labelled: usize,
        /// The value found.
        value: f64,
    },
}
