"""The classifiers: each says which method of the compiled half runs."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state

from . import _describe
from ._base import FieldClassifier
from ._describe import AUTO, Told

_SEEDS = 2**31 - 1

_GRAPH = """n_neighbors : int or 'auto'
        Neighbours of each point.
    metric : 'auto', 'euclidean' or 'cosine'
        Which points are near each other.
    weights : 'auto', 'exponential', 'self-tuning' or 'unweighted'
        What an edge weighs by its length.
    scale : 'auto', 'entropy', 'mean' or float
        The length at which exponential weights fall to 1/e: learned by label entropy, the mean
        length of an edge, or given. For self-tuning weights a factor on the local scales.
    standardize : bool or 'auto'
        Whether every feature is brought to mean 0 and variance 1 first.
    graph : 'knn' or 'precomputed'
        'precomputed': X is the matrix of weights (dense, SciPy sparse) or a graph of networkx.
    max_memory : int or None
        Bytes that the graph may take; past it MemoryError, before any is taken. None is 4 GiB.
    unlabeled : 'auto' or a label
        The mark of points without a label. 'auto': -1 among whole numbers, NaN among floats (-1
        where there is no NaN), None, NaN, pandas.NA and -1 among objects.
    n_jobs : int or None
        Threads, by the rules of joblib. The result does not depend on it.
    verbose : bool or callable
        Shows how far it is; a callable hears (stage, done, total)."""

_FITTED = """classes_ : the classes, sorted
    transduction_ : the class of every row that was fitted
    label_distributions_ : the probability of each class for every row that was fitted
    choices_ : what was chosen automatically, and why
    description_ : the whole model as a value, with every choice made
    facts_ : how the answer was computed: solver, iterations, residual, …
    islands_ : rows that no label reaches
    n_iter_ : iterations of the solver or of inference
    fit_seconds_ : how long the fit took
    graph_ : the weights of the graph, as a SciPy sparse array"""


def _documented(cls: type) -> type:
    cls.__doc__ = (cls.__doc__ or "").replace("{graph}", _GRAPH).replace("{fitted}", _FITTED)
    return cls


@_documented
class HarmonicClassifier(FieldClassifier):
    """The harmonic function on a graph of neighbours, and its relatives.

    Labels are the boundary; between them every value is the weighted mean of its neighbours (Zhu,
    Ghahramani, Lafferty 2003). With nothing said, graph, weights, method and decision are chosen
    from the data, and ``choices_`` says why.

    Parameters
    ----------
    method : 'auto', 'harmonic', 'consistency', 'smoothing' or 'dynamics'
        The harmonic function; local and global consistency (Zhou et al. 2003, as LabelSpreading);
        a walk with jumps; threshold dynamics.
    alpha : float
        How far labels spread in 'consistency', between 0 and 1.
    epsilon : float
        The share of jumps in 'smoothing', between 0 and 1.
    decision : 'auto', 'argmax', 'class_mass', 'counts' or 'proportions'
        How scores become classes: the largest, after class mass normalisation, by multipliers that
        meet the counts, or by exactly the given shares.
    class_prior : None, 'uniform' or one share for each class
        The proportions for decision and islands; None is those of the labels, each counted once
        more.
    islands : 'prior' or 'error'
        What happens to points that no label reaches.
    {graph}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from gaussfield import HarmonicClassifier
    >>> X, y = [[0.0], [1.0], [9.0], [10.0]], [0, -1, -1, 1]
    >>> HarmonicClassifier(n_neighbors=1).fit(X, y).transduction_
    array([0, 0, 1, 1])
    """

    def __init__(
        self,
        method: str = AUTO,
        *,
        n_neighbors: Any = AUTO,
        metric: str = AUTO,
        weights: str = AUTO,
        scale: Any = AUTO,
        standardize: Any = AUTO,
        alpha: float = 0.99,
        epsilon: float = 0.01,
        decision: str = AUTO,
        class_prior: Any = None,
        islands: str = "prior",
        graph: str = "knn",
        max_memory: int | None = None,
        unlabeled: Any = AUTO,
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        self.method = method
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.scale = scale
        self.standardize = standardize
        self.alpha = alpha
        self.epsilon = epsilon
        self.decision = decision
        self.class_prior = class_prior
        self.islands = islands
        self.graph = graph
        self.max_memory = max_memory
        self.unlabeled = unlabeled
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        methods = (AUTO, "harmonic", "consistency", "smoothing", "dynamics")
        _describe.one_of("method", self.method, *methods)
        plan = _describe.graph_of(self, plan, told)
        islands = _describe.islands(self.islands, told, self.class_prior)
        if not _describe.is_auto(self.method):
            own = {"alpha": self.alpha} if self.method == "consistency" else {}
            own = {"epsilon": self.epsilon} if self.method == "smoothing" else own
            plan["method"] = {self.method: {**own, "islands": islands}}
        elif self.islands == "error" or self.class_prior is not None:
            _describe.set_islands(plan["method"], islands)
        plan["decision"] = _describe.decision(
            self.decision, told, self.class_prior, plan.get("decision", "argmax")
        )
        return plan


@_documented
class GraphGPClassifier(FieldClassifier):
    """A Gaussian process whose covariance is the inverse of a graph Laplacian.

    Parameters
    ----------
    inference : 'ep', 'laplace' or 'softmax'
        How the posterior is found: expectation propagation or Laplace's approximation for two
        classes (more are taken one against the rest), or one softmax for all of them.
    likelihood : 'probit', 'sigmoid' or 'flip'
        How a label comes about; 'flip' doubts labels ('ep' only). Softmax has its own.
    noise : float
        The standard deviation of 'probit', the steepness of 'sigmoid', the share of wrong labels
        of 'flip'.
    prior : 'normalised', 'shifted' or 'regularised'
        Which Laplacian is the precision.
    delta : float
        What keeps it positive: added to the diagonal (for 'regularised' 1/σ²).
    {graph}

    Attributes
    ----------
    {fitted}
    """

    def __init__(
        self,
        inference: str = "ep",
        *,
        likelihood: str = "probit",
        noise: float = 0.1,
        prior: str = "normalised",
        delta: float = 0.01,
        n_neighbors: Any = AUTO,
        metric: str = AUTO,
        weights: str = AUTO,
        scale: Any = AUTO,
        standardize: Any = AUTO,
        graph: str = "knn",
        max_memory: int | None = None,
        unlabeled: Any = AUTO,
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        self.inference = inference
        self.likelihood = likelihood
        self.noise = noise
        self.prior = prior
        self.delta = delta
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.scale = scale
        self.standardize = standardize
        self.graph = graph
        self.max_memory = max_memory
        self.unlabeled = unlabeled
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        _describe.one_of("prior", self.prior, "normalised", "shifted", "regularised")
        delta = _describe.positive("delta", self.delta)
        kind: dict[str, Any] = {self.prior: {"delta": delta}}
        if self.prior == "regularised":
            kind = {"regularised": {"beta": 1.0, "sigma": delta**-0.5}}
        plan = _describe.graph_of(self, plan, told)
        prior = {"graph": {"regularisation": kind}}
        inference = _describe.inference_of(self.inference, self.likelihood, self.noise)
        plan["method"] = {"gaussian-process": {"prior": prior, "inference": inference}}
        plan["decision"] = "argmax"
        return plan


@_documented
class WarpedGPClassifier(FieldClassifier):
    """A Gaussian process on all of space whose kernel is bent by a graph of the data.

    It answers for new points as exactly as for those it was fitted to (Sindhwani, Chu, Keerthi
    2007). Takes matrices of n × n: for up to some thousand points.

    Parameters
    ----------
    kernel_width : float or 'auto'
        The width of the Gaussian kernel; 'auto' is half the median distance.
    gamma_a, gamma_i : float
        What the norm of the kernel and smoothness on the graph count.
    power : int
        The power of the Laplacian.
    inference, likelihood, noise
        As in GraphGPClassifier.
    {graph}

    Attributes
    ----------
    {fitted}
    """

    def __init__(
        self,
        inference: str = "ep",
        *,
        likelihood: str = "probit",
        noise: float = 0.1,
        kernel_width: Any = AUTO,
        gamma_a: float = 0.1,
        gamma_i: float = 10.0,
        power: int = 1,
        n_neighbors: Any = AUTO,
        metric: str = AUTO,
        weights: str = AUTO,
        scale: Any = AUTO,
        standardize: Any = AUTO,
        max_memory: int | None = None,
        unlabeled: Any = AUTO,
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        self.inference = inference
        self.likelihood = likelihood
        self.noise = noise
        self.kernel_width = kernel_width
        self.gamma_a = gamma_a
        self.gamma_i = gamma_i
        self.power = power
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.scale = scale
        self.standardize = standardize
        self.max_memory = max_memory
        self.unlabeled = unlabeled
        self.n_jobs = n_jobs
        self.verbose = verbose

    graph = "knn"

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        plan = _describe.graph_of(self, plan, told)
        width = self.kernel_width
        if _describe.is_auto(width):
            width = 0.5 * _describe.median_distance(told.rows, standardised=bool(plan.get("prepare")))
        prior: dict[str, Any] = {
            "kernel": {"rbf": {"width": _describe.positive("kernel_width", width)}},
            "warp": {"gamma-a": self.gamma_a, "gamma-i": self.gamma_i, "power": self.power},
        }
        if self.max_memory is not None:
            prior["budget"] = plan["budget"]
        inference = _describe.inference_of(self.inference, self.likelihood, self.noise)
        plan["method"] = {"gaussian-process": {"prior": {"warped": prior}, "inference": inference}}
        plan["decision"] = "argmax"
        return plan


@_documented
class HarmonicMixtureClassifier(FieldClassifier):
    """A mixture of Gaussians whose components have harmonic classes.

    The graph is collapsed to its components (Zhu and Lafferty 2005): small models that answer for
    new points at once.

    Parameters
    ----------
    n_components : int or 'auto'
        Components of the mixture; 'auto' is 2√n, at least two for each class.
    covariance_type : 'full', 'diagonal', 'spherical' or 'tied'
        Their shape.
    alpha : float
        What the likelihood counts against the graph, between 0 and 1; 1 where every point has a
        label.
    max_iter : int
        Most steps of EM.
    random_state : int, RandomState or None
        Draws the start of EM.
    {graph}

    Attributes
    ----------
    {fitted}
    """

    def __init__(
        self,
        n_components: Any = AUTO,
        *,
        covariance_type: str = "diagonal",
        alpha: float = 0.0,
        max_iter: int = 200,
        random_state: Any = None,
        n_neighbors: Any = AUTO,
        metric: str = AUTO,
        weights: str = AUTO,
        scale: Any = AUTO,
        standardize: Any = AUTO,
        max_memory: int | None = None,
        unlabeled: Any = AUTO,
        n_jobs: int | None = None,
        verbose: Any = False,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.weights = weights
        self.scale = scale
        self.standardize = standardize
        self.max_memory = max_memory
        self.unlabeled = unlabeled
        self.n_jobs = n_jobs
        self.verbose = verbose

    graph = "knn"

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        allowed = ("full", "diagonal", "spherical", "tied")
        _describe.one_of("covariance_type", self.covariance_type, *allowed)
        plan = _describe.graph_of(self, plan, told)
        components = self.n_components
        if _describe.is_auto(components):
            components = min(told.n, max(2 * told.classes, round(2 * told.n**0.5)))
        family = {"gaussian": {"covariance": self.covariance_type, "reg": {"share": 1e-3}}}
        em = {
            "components": _describe.count("n_components", components),
            "family": family,
            "max-iterations": _describe.count("max_iter", self.max_iter),
            "seed": int(check_random_state(self.random_state).randint(_SEEDS)),
        }
        # Where every point has a label there is nothing to ask of the graph.
        alpha = float(self.alpha) if (told.codes < 0).any() else 1.0
        search = {"alpha": alpha, "undetermined": "even"}
        plan["method"] = {"harmonic-mixture": {"em": em, "harmonic": {"search": search}}}
        plan["decision"] = "argmax"
        return plan
