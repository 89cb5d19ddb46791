"""The classifiers: each says which method of the compiled half runs."""

from __future__ import annotations

from typing import Any

from . import _describe
from ._base import FieldClassifier
from ._describe import Told
from ._parameters import AUTO, Inferred, OnGraph, OnNeighbors, estimator, first


@estimator
class HarmonicClassifier(OnGraph, FieldClassifier):
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

    method: str = first(default=AUTO)
    alpha: float = 0.99
    epsilon: float = 0.01
    decision: str = AUTO
    class_prior: Any = None
    islands: str = "prior"

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        methods = (AUTO, "harmonic", "consistency", "smoothing", "dynamics")
        _describe.one_of("method", self.method, *methods)
        plan = _describe.graph_of(self, plan, told)
        islands = _describe.islands(self.islands, told, self.class_prior)
        if not _describe.is_auto(self.method):
            method, own = self.method, {}
            if method == "consistency":
                own = {"alpha": _describe.number("alpha", self.alpha)}
            elif method == "smoothing":
                own = {"epsilon": _describe.number("epsilon", self.epsilon)}
                if not (told.codes < 0).any():
                    # Nobody walks where every point has a label; new points ask these labels.
                    method, own = "harmonic", {}
            plan["method"] = {method: {**own, "islands": islands}}
        elif self.islands == "error" or self.class_prior is not None:
            _describe.set_islands(plan["method"], islands)
        plan["decision"] = _describe.decision(
            self.decision, told, self.class_prior, plan.get("decision", "argmax")
        )
        return plan


@estimator
class GraphGPClassifier(Inferred, OnGraph, FieldClassifier):
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

    prior: str = "normalised"
    delta: float = 0.01

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


@estimator
class WarpedGPClassifier(Inferred, OnNeighbors, FieldClassifier):
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

    kernel_width: Any = AUTO
    gamma_a: float = 0.1
    gamma_i: float = 10.0
    power: int = 1

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        plan = _describe.graph_of(self, plan, told)
        width = self.kernel_width
        if _describe.is_auto(width):
            width = 0.5 * _describe.median_distance(
                told.rows, standardised=bool(plan.get("prepare"))
            )
        prior: dict[str, Any] = {
            "kernel": {"rbf": {"width": _describe.positive("kernel_width", width)}},
            "warp": {
                "gamma-a": _describe.number("gamma_a", self.gamma_a),
                "gamma-i": _describe.number("gamma_i", self.gamma_i),
                "power": _describe.count("power", self.power),
            },
        }
        if self.max_memory is not None:
            prior["budget"] = plan["budget"]
        inference = _describe.inference_of(self.inference, self.likelihood, self.noise)
        plan["method"] = {"gaussian-process": {"prior": {"warped": prior}, "inference": inference}}
        plan["decision"] = "argmax"
        return plan


@estimator
class HarmonicMixtureClassifier(OnNeighbors, FieldClassifier):
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

    n_components: Any = first(default=AUTO)
    covariance_type: str = "diagonal"
    alpha: float = 0.0
    max_iter: int = 200
    random_state: Any = None

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        allowed = ("full", "diagonal", "spherical", "tied")
        _describe.one_of("covariance_type", self.covariance_type, *allowed)
        plan = _describe.graph_of(self, plan, told)
        components = self.n_components
        if _describe.is_auto(components):
            components = min(told.n, max(2 * told.classes, round(2 * told.n**0.5)))
        family = {"gaussian": {"covariance": self.covariance_type, "reg": {"share": 1e-3}}}
        em = {
            "components": _describe.count("n_components", components, auto=True),
            "family": family,
            "max-iterations": _describe.count("max_iter", self.max_iter),
            "seed": _describe.seed(self.random_state),
        }
        # Where every point has a label there is nothing to ask of the graph.
        alpha = _describe.number("alpha", self.alpha) if (told.codes < 0).any() else 1.0
        search = {"alpha": alpha, "undetermined": "even"}
        plan["method"] = {"harmonic-mixture": {"em": em, "harmonic": {"search": search}}}
        plan["decision"] = "argmax"
        return plan
