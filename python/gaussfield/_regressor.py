"""Regression on a graph."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from . import _data, _describe, _gaussfield
from ._facts import ShowsFacts
from ._parameters import Run, estimator, first
from ._progress import progress


@estimator
class HarmonicRegressor(Run, RegressorMixin, ShowsFacts):
    """The smoothest values on a graph of neighbours between those that are given.

    Every value that is not given is the weighted mean of its neighbours.

    Parameters
    ----------
    n_neighbors : int
        Neighbours of each point; at most all others.
    metric : 'euclidean' or 'cosine'
        Which points are near each other.
    scale : 'mean' or float
        The length at which weights fall to 1/e; 'mean' is the mean length of an edge.
    islands : 'mean' or 'error'
        Points that no given value reaches have the mean of all given values, or are an error.
    graph : 'knn' or 'precomputed'
        'precomputed': X is the matrix of weights or a graph of networkx.
    n_jobs, verbose
        As in HarmonicClassifier.

    Attributes
    ----------
    transduction_ : the value of every row that was fitted
    scale_ : the length scale
    islands_ : rows that no given value reaches
    facts_ : how the answer was computed
    n_iter_ : iterations of the solver

    Examples
    --------
    >>> from gaussfield import HarmonicRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, float("nan"), float("nan"), 3.0]
    >>> HarmonicRegressor(n_neighbors=1).fit(X, y).transduction_.round(6)
    array([0., 1., 2., 3.])
    """

    n_neighbors: int = first(default=10)
    metric: str = "euclidean"
    scale: Any = "mean"
    islands: str = "mean"
    graph: str = "knn"

    def fit(self, X: Any, y: Any) -> Self:
        """Fits to all points; y is NaN where no value is given, and may have several columns."""
        _describe.one_of("islands", self.islands, "mean", "error")
        _describe.one_of("graph", self.graph, "knn", "precomputed")
        _describe.one_of("metric", self.metric, "euclidean", "cosine")
        k = _describe.count("n_neighbors", self.n_neighbors)
        scale = None if self.scale == "mean" else _describe.positive("scale", self.scale)
        own_graph = self.graph == "precomputed"
        rows = _data.graph(X) if own_graph else _data.rows(self, X, reset=True)
        n = rows.nodes if own_graph else _data.shape(rows)[0]
        values, given, one = _targets(y, n)
        fill, threads = self.islands == "mean", _data.threads(self.n_jobs)
        nodes = np.flatnonzero(given).tolist()
        with progress(self.verbose) as heard:
            found = _gaussfield.interpolate(
                rows,
                nodes,
                values[given],
                min(k, n - 1),
                self.metric,
                scale,
                fill,
                threads,
                heard,
            )
        if own_graph:
            self.n_features_in_ = n
        all_values, islands, self.scale_, (solver, self.n_iter_, residual) = found
        self._rows, self._values, self._one = (
            None if own_graph else rows,
            all_values,
            one,
        )
        self._given = len(nodes)
        self.transduction_ = all_values[:, 0] if self._one else all_values
        self.islands_ = np.asarray(islands, dtype=np.intp)
        self.facts_ = {"solver": solver, "iterations": self.n_iter_, "relative residual": residual}
        if len(islands):
            message = (
                f"no given value reaches {len(islands)} points (islands_), the first is row "
                f"{islands[0]}: they have the mean of all; give one a value or take more neighbours"
            )
            warnings.warn(message, UserWarning, stacklevel=2)
        return self

    def fit_predict(self, X: Any, y: Any) -> NDArray[np.float64]:
        """Fits, and gives the value of every row: as given, or as found."""
        return self.fit(X, y).transduction_

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Values at new points: the weighted mean of those of their nearest points.

        A point that lies on one that was fitted has its value. With ``graph="precomputed"`` X holds
        the weights of each new point to every node.
        """
        check_is_fitted(self)
        if self._rows is None:
            weights = np.atleast_2d(
                np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=float)
            )
            if weights.shape[1] != len(self._values):
                raise ValueError(
                    f"X has {weights.shape[1]} columns, but the graph has {len(self._values)} nodes: "
                    "give the weights of each new point to every node"
                )
            found = weights @ self._values / weights.sum(axis=1, keepdims=True)
        else:
            new = _data.rows(self, X, reset=False)
            k = min(self.n_neighbors, len(self._values))
            threads = _data.threads(self.n_jobs)
            found = _gaussfield.at_new_points(
                self._rows, self._values, new, k, self.metric, self.scale_, threads
            )
        return found[:, 0] if self._one else found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² on the rows whose value is given in y; the others are not judged."""
        found = self.predict(X)
        values, given, _ = _targets(y, len(found))
        weights = None if sample_weight is None else np.asarray(sample_weight)[given]
        return float(r2_score(values[given], found[given], sample_weight=weights))

    def _facts_shown(self) -> dict[str, Any]:
        if not hasattr(self, "facts_"):
            return {}
        sizes = {"points": len(self.transduction_), "values given": self._given}
        return {**sizes, "length scale": float(self.scale_), **self.facts_}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.graph == "precomputed"
        tags.target_tags.multi_output = True
        return tags


def _targets(y: Any, n: int) -> tuple[NDArray[np.float64], NDArray[np.bool_], bool]:
    """Columns of values, which rows are given, and whether y is one column without a name."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: give one value a row, "
            "and NaN where there is none"
        )
    y = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: a value is a real number")
    try:
        values = np.array(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y holds something that is no number: {error}") from error
    columns = values.reshape(len(values), -1) if values.ndim else values.reshape(1, 1)
    if len(columns) != n:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: [{n}, {len(columns)}]; give "
            "one value for each row, and NaN where there is none"
        )
    absent = np.isnan(columns)
    if (absent.any(axis=1) & ~absent.all(axis=1)).any():
        row = int(np.flatnonzero(absent.any(axis=1) & ~absent.all(axis=1))[0])
        raise ValueError(
            f"row {row} of y is given in part: give all its columns, or NaN in all of them"
        )
    given = np.asarray(~absent.any(axis=1), dtype=bool)
    if not given.any():
        raise ValueError("Input y contains NaN only: give at least one value")
    if not np.isfinite(columns[given]).all():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    return columns, given, values.ndim < 2
