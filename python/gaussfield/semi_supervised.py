"""In place of ``sklearn.semi_supervised``: the same names and arguments, another engine.

>>> from gaussfield.semi_supervised import LabelPropagation
>>> X, y = [[0.0], [1.0], [9.0], [10.0]], [0, -1, -1, 1]
>>> LabelPropagation(n_neighbors=1).fit(X, y).transduction_
array([0, 0, 1, 1])

What is left out is chosen from the data, where scikit-learn has fixed numbers; what is given keeps its
meaning, on a graph of neighbours instead of all pairs. `HarmonicClassifier` has more to choose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.utils.validation import check_is_fitted, validate_data

from . import _describe
from ._base import FieldClassifier
from ._describe import Told
from ._parameters import AUTO, Run, estimator, first

__all__ = ["LabelPropagation", "LabelSpreading", "SelfTrainingClassifier"]

_PARAMETERS = """kernel : 'auto', 'rbf', 'knn' or a callable
        'auto' and 'knn': a graph of neighbours, with weights that are chosen from the data
        (``choices_`` says why). 'rbf': neighbours weigh exp(-gamma d²), and pairs that are no
        neighbours nothing. A callable gets two arrays of rows and gives the matrix of weights
        between them, dense or sparse; of that among the rows of the fit both directions are averaged
        and the diagonal is left out.
    gamma : float or 'auto'
        The parameter of 'rbf', which it asks for by itself where kernel is 'auto'; the features are
        then taken as they are. 'auto' learns it from labels and graph.
    n_neighbors : int or 'auto'
        Neighbours of each point, itself not counted; at most all others.
    {alpha}max_iter, tol
        Taken so that calls and searches need not change; they do nothing. The system is solved to
        its end, with a residual in ``facts_``.
    n_jobs : int or None
        Threads, by the rules of joblib. The result does not depend on it.
    verbose : bool or callable
        Shows how far it is; a callable hears (stage, done, total).

    Attributes
    ----------
    classes_, transduction_, label_distributions_, n_features_in_, feature_names_in_, n_iter_
        As in scikit-learn; rows are not kept as ``X_``. Besides all that HarmonicClassifier has:
        ``choices_``, ``facts_``, ``islands_``, ``graph_``, ``query`` and more."""


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class _Propagation(Run, FieldClassifier):
    """Arguments of scikit-learn as parts of a description."""

    kernel: Any = first(default=AUTO)
    gamma: Any = AUTO
    n_neighbors: Any = AUTO
    max_iter: int = 1000
    tol: float = 1e-3

    # Not among the arguments there.
    unlabeled = AUTO

    @property
    def graph(self) -> str:  # type: ignore[override]
        """A callable makes the graph itself."""
        return "precomputed" if callable(self.kernel) else "knn"

    def _choose(self, plan: dict[str, Any], told: Told) -> None:
        """Method and decision, where they are not the automatic ones."""

    def fit(self, X: Any, y: Any) -> Self:
        """Fits to all points; y is -1 (or None, NaN, pandas.NA) where there is no label."""
        if not callable(self.kernel):
            return super().fit(X, y)
        rows = self._checked(X, reset=True)
        weights = sp.csr_array(self.kernel(rows, rows), dtype=np.float64)
        if weights.shape[0] != weights.shape[1]:
            raise ValueError(f"kernel gave a matrix of shape {weights.shape} for {len(rows)} rows")
        weights = (weights + weights.T) / 2.0
        weights.setdiag(0.0)
        weights.eliminate_zeros()
        features = self.n_features_in_
        super().fit(weights, y)
        self.n_features_in_, self._rows = features, rows
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class (a column in the order of ``classes_``) at new points."""
        if not callable(self.kernel):
            return super().predict_proba(X)
        check_is_fitted(self)
        new = self._checked(X, reset=False)
        return super().predict_proba(sp.csr_array(self.kernel(new, self._rows)))

    def _checked(self, X: Any, *, reset: bool) -> Any:
        least = 2 if reset else 1
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", ensure_min_samples=least
        )

    def _describe(self, plan: dict[str, Any], told: Told) -> dict[str, Any]:
        kernel = "own" if callable(self.kernel) else self.kernel
        if kernel != "own":
            _describe.one_of("kernel", kernel, AUTO, "rbf", "knn")
        _describe.count("max_iter", self.max_iter)
        _describe.number("tol", self.tol)
        said: dict[str, Any] = {}
        if not _describe.is_auto(self.n_neighbors) and kernel != "own":
            wanted = _describe.count("n_neighbors", self.n_neighbors, auto=True)
            said["n_neighbors"] = min(wanted, told.n - 1)
        if not _describe.is_auto(self.gamma):
            gamma = _describe.positive("gamma", self.gamma)
            # As there, 'rbf' is what a gamma is for, and others do not look at it.
            kernel = "rbf" if _describe.is_auto(kernel) else kernel
            if kernel == "rbf":
                said.update(scale=gamma**-0.5, metric="euclidean", standardize=False)
        if kernel == "rbf":
            said["weights"] = "exponential"
        plan = _describe.parts(plan, told, **said)
        self._choose(plan, told)
        return plan

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags


@estimator
class LabelPropagation(_Propagation):
    """HarmonicClassifier in place of scikit-learn's LabelPropagation.

    Labels stay as they are given. With nothing said it is ``HarmonicClassifier()``, and what is said
    changes its graph. The iteration there tends to the harmonic function, which is
    ``HarmonicClassifier("harmonic")``; here the method is chosen too.

    Parameters
    ----------
    {arguments}

    Examples
    --------
    >>> from gaussfield.semi_supervised import LabelPropagation
    >>> X, y = [[0.0], [1.0], [9.0], [10.0]], [0, -1, -1, 1]
    >>> LabelPropagation("rbf", gamma=0.1, n_neighbors=2).fit(X, y).predict([[2.0], [8.0]])
    array([0, 1])
    """


@estimator
class LabelSpreading(_Propagation):
    """Local and global consistency in place of scikit-learn's LabelSpreading.

    A label counts as one voice among those of its neighbours, and ``transduction_`` may differ from
    it. `LabelAudit` says which labels are doubtful.

    Parameters
    ----------
    {arguments}

    Examples
    --------
    >>> from gaussfield.semi_supervised import LabelSpreading
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2]]
    >>> y = ["a", "a", "b", "a", "b", None, "b"]
    >>> LabelSpreading(n_neighbors=3).fit(X, y).transduction_.tolist()
    ['a', 'a', 'a', 'a', 'b', 'b', 'b']
    """

    alpha: Any = AUTO
    max_iter: int = 30

    def _choose(self, plan: dict[str, Any], told: Told) -> None:
        alpha = 0.95 if _describe.is_auto(self.alpha) else _describe.number("alpha", self.alpha)
        islands = _describe.islands("prior", told, None)
        plan["method"] = {"consistency": {"alpha": alpha, "islands": islands}}
        plan["decision"] = "argmax"

    def _take(self, codes: NDArray[np.int64], choices: list[tuple[str, str, str]]) -> None:
        super()._take(codes, choices)
        found = self.classes_[self.label_distributions_.argmax(axis=1)]
        self.transduction_ = np.where(codes >= 0, found, self.transduction_)


_ALPHA = """alpha : float or 'auto'
        How far labels spread, between 0 and 1: what a point takes from its neighbours. 'auto' is
        0.95.
    """

for _cls, _alpha in ((LabelPropagation, ""), (LabelSpreading, _ALPHA)):
    _arguments = _PARAMETERS.replace("{alpha}", _alpha)
    _cls.__doc__ = (_cls.__doc__ or "").replace("{arguments}", _arguments)
