"""Which labels are wrong."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _data, _describe
from ._classifiers import HarmonicClassifier
from ._facts import ShowsFacts
from ._parameters import OnGraph, estimator, first


@estimator
class LabelAudit(OnGraph, ShowsFacts):
    """What the other labels say of every label.

    Each label is taken away in turn, in closed form; from what the others then give its point follows
    what is believed of its true class. A label whose class no other has is told nothing.

    Parameters
    ----------
    noise : float
        The share of labels expected to be wrong, between 0 and 1. From a handful of labels it
        cannot be learned, so it is stated.
    n_neighbors, metric, weights, scale, standardize, graph, max_memory, unlabeled, n_jobs, verbose
        As in HarmonicClassifier.

    Attributes
    ----------
    suspects_ : rows whose label is more likely wrong than right, the likeliest first
    wrong_ : for every row the probability that its label is wrong; NaN where it has none
    likely_ : for every labelled row the class that the others find likeliest, else its prediction
    verdicts_ : for every row 'agrees', 'suspect', 'untold' (the others cannot tell) or ''
    classifier_ : the HarmonicClassifier that was asked

    Examples
    --------
    >>> from gaussfield import LabelAudit
    >>> X = [[i / 10] for i in range(6)] + [[5 + i / 10] for i in range(6)]
    >>> y = ["a", "a", "b", "a", "a", "a", "b", "b", "b", "b", "b", "b"]
    >>> LabelAudit(n_neighbors=3).fit(X, y).suspects_.tolist()
    [2]
    """

    noise: float = first(default=0.05)

    def fit(self, X: Any, y: Any) -> Self:
        """Asks of every label what the others say."""
        noise = _describe.number("noise", self.noise)
        said = {name: value for name, value in self.get_params().items() if name != "noise"}
        self.classifier_ = HarmonicClassifier(method="harmonic", **said).fit(X, y)
        self.classes_ = self.classifier_.classes_
        self.n_features_in_ = self.classifier_.n_features_in_
        if hasattr(self.classifier_, "feature_names_in_"):
            self.feature_names_in_ = self.classifier_.feature_names_in_
        n = len(self.classifier_.transduction_)
        self.wrong_ = np.full(n, np.nan)
        self.likely_ = self.classifier_.transduction_.copy()
        self.verdicts_ = np.full(n, "", dtype=object)
        suspects = []
        threads = _data.threads(self.n_jobs)
        for node, _, likely, _, wrong, verdict in self.classifier_._model.audit(noise, threads):
            self.wrong_[node], self.verdicts_[node] = wrong, verdict
            self.likely_[node] = self.classes_[likely]
            if verdict == "suspect":
                suspects.append(node)
        self.suspects_ = np.asarray(suspects, dtype=np.intp)
        return self

    def fit_predict(self, X: Any, y: Any) -> NDArray[np.intp]:
        """-1 for rows whose label is suspect, 1 for all others, as detectors of outliers say it."""
        self.fit(X, y)
        inside = np.ones(len(self.wrong_), dtype=np.intp)
        inside[self.suspects_] = -1
        return inside

    def to_frame(self) -> Any:
        """All labelled rows, the likeliest mistakes first, as a pandas DataFrame."""
        import pandas

        check_is_fitted(self)
        labelled = np.flatnonzero(~np.isnan(self.wrong_))
        order = labelled[np.argsort(-self.wrong_[labelled], kind="stable")]
        index = self.classifier_._index
        data = {
            "label": self.classifier_.transduction_[order],
            "likely": self.likely_[order],
            "wrong": self.wrong_[order],
            "verdict": self.verdicts_[order],
        }
        return pandas.DataFrame(data, index=order if index is None else index[order])

    def _facts_shown(self) -> dict[str, Any]:
        if not hasattr(self, "suspects_"):
            return {}
        own = {"suspects": len(self.suspects_), "labels expected to be wrong": float(self.noise)}
        return {**own, **self.classifier_._facts_shown()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
