"""What all classifiers share: fit, predict, and what a fitted one can be asked."""

from __future__ import annotations

import json
import time
import warnings
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from . import _data, _describe, _gaussfield
from ._facts import ShowsFacts
from ._labels import encode, names_of
from ._progress import progress

# Why a search ended, where that is no success.
_TROUBLE = ("ran out", "ran off", "flat all around", "could not go on")


class FieldClassifier(ClassifierMixin, ShowsFacts):
    """A classifier that sees labelled and unlabelled points together.

    A class of its own says in ``_describe`` which method runs.
    """

    # Parameters of every class; one without a graph of the user's has only neighbours.
    graph: str = "knn"
    unlabeled: Any
    n_jobs: int | None
    verbose: Any

    def _describe(self, plan: dict[str, Any], told: _describe.Told) -> dict[str, Any]:
        """The description to run, from the automatic one."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any) -> Self:
        """Fits to all points, of which some have a label.

        X: rows (NumPy, SciPy sparse, pandas, polars, Arrow), or with ``graph="precomputed"`` the
        square matrix of weights of a graph, or a graph of networkx.
        y: a label for each row; -1, None, NaN or pandas.NA where there is none.
        """
        if self.graph not in ("knn", "precomputed"):
            raise ValueError(f"graph is {self.graph!r}: it must be 'knn' or 'precomputed'")
        own_graph = self.graph == "precomputed"
        rows: Any = _data.graph(X) if own_graph else _data.rows(self, X, reset=True)
        if own_graph:
            n = self.n_features_in_ = rows.nodes
        else:
            n = _data.shape(rows)[0]
        codes, self.classes_ = encode(y, self.unlabeled)
        if len(codes) != n:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: [{n}, {len(codes)}]; "
                "give one label for each row, and -1, None or NaN where there is none"
            )
        names = names_of(self.classes_)
        started = time.perf_counter()
        threads = _data.threads(self.n_jobs)
        problem = _gaussfield.Problem(rows, codes, names)
        plan, choices = problem.plan(threads)
        told = _describe.Told(n, codes, len(names), own_graph, rows)
        description = json.dumps(self._describe(json.loads(plan), told))
        with progress(self.verbose) as heard:
            self._model = problem.fit(description, threads, heard)
        self._take(codes, choices)
        self.fit_seconds_ = time.perf_counter() - started
        self._index = getattr(X, "index", None) if not own_graph else None
        return self

    def _take(self, codes: NDArray[np.int64], choices: list[tuple[str, str, str]]) -> None:
        """What is known after a fit, as attributes."""
        model = self._model
        self.label_distributions_ = model.probabilities()
        rows, numbers = model.decided()
        decided = codes.copy()
        decided[rows] = numbers
        self.transduction_ = self.classes_[decided]
        self.islands_ = np.asarray(model.islands(), dtype=np.intp)
        self.description_ = json.loads(model.description())
        self.facts_ = _gathered(model.facts())
        self.choices_ = {part: (chosen, because) for part, chosen, because in choices}
        self.n_iter_ = _iterations(self.facts_)
        multipliers = model.multipliers()
        self._multipliers = None if multipliers is None else np.asarray(multipliers)
        self._warn()

    def _warn(self) -> None:
        ended = str(self.facts_.get("the search ended because", ""))
        if any(words in ended for words in _TROUBLE):
            message = f"the search for the length scale ended because {ended}; give scale a number"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        if "all the steps" in str(self.facts_.get("EM ended because", "")):
            message = f"EM had not settled after {self.facts_['EM steps']} steps: raise max_iter"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        if self.facts_.get("settled") == "no":
            message = "threshold dynamics had not settled after their last round"
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        if len(self.islands_):
            message = (
                f"no label reaches {len(self.islands_)} points (islands_), the first is row "
                f"{self.islands_[0]}: they have the class prior; label one of them or take more "
                "neighbours"
            )
            warnings.warn(message, UserWarning, stacklevel=4)

    def fit_predict(self, X: Any, y: Any) -> NDArray[Any]:
        """Fits, and gives the class of every row: its label, or what was found."""
        return self.fit(X, y).transduction_

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class (a column in the order of ``classes_``) at new points.

        A point is decided alone, by what was learned from those that were there at the fit. With
        ``graph="precomputed"`` X holds the weights of each new point to every node.
        """
        check_is_fitted(self)
        if self.graph == "precomputed":
            scores = self._by_weights(X)
        else:
            rows = _data.rows(self, X, reset=False)
            scores = self._model.predict(rows, _data.threads(self.n_jobs))
        if self._multipliers is None:
            return scores
        scaled = scores * self._multipliers
        sums = scaled.sum(axis=1, keepdims=True)
        return np.where(sums > 0.0, scaled / np.where(sums > 0.0, sums, 1.0), scores)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of new points: the one of the largest probability."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of right answers among the rows that have a label in y.

        Rows without one are not judged, so that a search over parameters may hold them out as well;
        one that is told to score by 'accuracy' counts them as wrong.
        """
        check_is_fitted(self)
        codes, classes = encode(y, self.unlabeled, use="judge by")
        known = codes >= 0
        found = self.predict(X)
        if len(found) != len(codes):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: [{len(found)}, "
                f"{len(codes)}]; give one label for each row, and -1, None or NaN where there is none"
            )
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(accuracy_score(classes[codes[known]], found[known], sample_weight=weights))

    def _by_weights(self, X: Any) -> NDArray[np.float64]:
        weights = sp.csr_array(X) if sp.issparse(X) else sp.csr_array(np.atleast_2d(X))
        nodes = len(self.label_distributions_)
        if weights.shape[1] != nodes:
            raise ValueError(
                f"X has {weights.shape[1]} columns, but the graph has {nodes} nodes: give the weights "
                "of each new point to every node of the graph that was fitted"
            )
        if weights.nnz and not (np.isfinite(weights.data).all() and weights.data.min() >= 0.0):
            raise ValueError("a weight is negative or not finite: weights must be at least 0")
        sums = weights.sum(axis=1)
        if not (np.asarray(sums) > 0.0).all():
            row = int(np.argmin(sums))
            raise ValueError(
                f"row {row} has no weight to any node: nothing is known of such a point"
            )
        scores = self._model.scores()
        return (weights @ scores) / np.asarray(sums).reshape(-1, 1)

    def query(
        self, n: int = 1, criterion: str = "expected-errors", candidates: int = 128
    ) -> NDArray[np.intp]:
        """Which rows to label next, the most valuable first; nothing is fitted again.

        criterion: 'expected-errors', 'variance', 'survey' or 'uncertainty'.
        """
        check_is_fitted(self)
        n, candidates = _describe.count("n", n), _describe.count("candidates", candidates)
        found = self._model.query(criterion, n, candidates, _data.threads(self.n_jobs))
        return np.asarray([node for node, _, _ in found], dtype=np.intp)

    def validate(
        self, repeats: int = 10, share: float = 0.5, random_state: Any = 0
    ) -> dict[str, tuple[float, float | None]]:
        """Accuracy, log loss and calibration error on labels that are hidden in turn.

        Each with its standard error, or None where there is one repeat.
        """
        check_is_fitted(self)
        threads = _data.threads(self.n_jobs)
        seed = _describe.seed(random_state)
        found = self._model.validate(repeats, share, seed, threads)
        return {name: (mean, error) for name, mean, error in found}

    @property
    def graph_(self) -> sp.csr_array | None:
        """The weights of the graph that was fitted, or None for a method without one.

        A model that comes out of a pickle has none.
        """
        check_is_fitted(self)
        found = self._model.graph()
        if found is None:
            if "graph" in self.description_ or self.graph == "precomputed":
                raise AttributeError("a pickled model keeps no graph: fit it to the points again")
            return None
        indptr, indices, data = found
        n = len(indptr) - 1
        return sp.csr_array((data, indices, indptr), shape=(n, n))

    def embedding(self, dimensions: int = 2) -> NDArray[np.float64]:
        """Coordinates in which points that are linked lie near each other."""
        check_is_fitted(self)
        return self._model.embedding(dimensions, _data.threads(self.n_jobs))

    def to_frame(self) -> Any:
        """Class, its probability and that of every class for all rows, as a pandas DataFrame.

        The index is that of the frame that was fitted.
        """
        import pandas

        check_is_fitted(self)
        columns = {
            f"p_{name}": p for name, p in zip(names_of(self.classes_), self.label_distributions_.T)
        }
        place = np.searchsorted(self.classes_, self.transduction_)
        sure = self.label_distributions_[np.arange(len(place)), place]
        data = {"class": self.transduction_, "probability": sure, **columns}
        return pandas.DataFrame(data, index=self._index)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.graph == "precomputed"
        return tags

    def _facts_shown(self) -> dict[str, Any]:
        if not self.__sklearn_is_fitted__():
            return {}
        known = int(len(self.transduction_) - len(self._model.decided()[0]))
        return {"points": len(self.transduction_), "labels": known, **self.facts_}


def _gathered(facts: list[tuple[str, Any]]) -> dict[str, Any]:
    """Facts by name; one that is there for every class becomes a list."""
    found: dict[str, list[Any]] = {}
    for name, value in facts:
        found.setdefault(name, []).append(value)
    return {name: all[0] if len(all) == 1 else all for name, all in found.items()}


def _iterations(facts: dict[str, Any]) -> int:
    for name in ("EM steps", "iterations", "sweeps", "Newton steps", "steps for the memberships"):
        value = facts.get(name)
        if value is not None:
            return max(1, int(max(value) if isinstance(value, list) else value))
    return 1
