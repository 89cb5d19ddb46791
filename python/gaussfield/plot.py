"""Figures of a fitted classifier, on matplotlib where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted


def embedding(classifier: Any, ax: Any = None, coordinates: Any = None) -> Any:
    """All points where the graph puts them, by class; labelled ones are marked.

    coordinates: two columns to draw instead, such as the features themselves.
    """
    check_is_fitted(classifier)
    ax = _axes(ax)
    places = classifier.embedding(2) if coordinates is None else np.asarray(coordinates)
    if places.shape[1] < 2:
        places = np.column_stack([places, np.zeros(len(places))])
    known = _labelled(classifier)
    for name in classifier.classes_:
        own = classifier.transduction_ == name
        drawn = ax.scatter(places[own, 0], places[own, 1], s=8, alpha=0.6, label=str(name))
        color = drawn.get_facecolor()[:1]
        here = own & known
        ax.scatter(
            places[here, 0], places[here, 1], s=60, color=color, edgecolors="black", marker="D"
        )
    ax.set(title="points by class, labelled ones marked", xticks=[], yticks=[])
    ax.legend(markerscale=2, fontsize="small")
    return ax


def confidence(classifier: Any, ax: Any = None, bins: int = 20) -> Any:
    """How sure the unlabelled points are of their class."""
    check_is_fitted(classifier)
    ax = _axes(ax)
    sure = classifier.label_distributions_[~_labelled(classifier)].max(axis=1)
    ax.hist(sure, bins=bins, range=(0.0, 1.0))
    ax.set(xlabel="probability of the chosen class", ylabel="points", title="confidence")
    return ax


def calibration(classifier: Any, y_true: Any, ax: Any = None, bins: int = 10) -> Any:
    """Whether probabilities mean what they say: the share that is right, by probability.

    y_true: the true class of every row that was fitted.
    """
    check_is_fitted(classifier)
    ax = _axes(ax)
    unknown = ~_labelled(classifier)
    truth = np.asarray(y_true)
    if len(truth) != len(unknown):
        raise ValueError(f"y_true has {len(truth)} rows where {len(unknown)} are needed")
    rows = classifier.label_distributions_[unknown]
    sure, right = rows.max(axis=1), classifier.classes_[rows.argmax(axis=1)] == truth[unknown]
    place = np.minimum((sure * bins).astype(int), bins - 1)
    count = np.bincount(place, minlength=bins)
    used = count > 0
    said = np.bincount(place, weights=sure, minlength=bins)[used] / count[used]
    found = np.bincount(place, weights=right, minlength=bins)[used] / count[used]
    ax.plot([0, 1], [0, 1], color="grey", linewidth=1)
    ax.plot(said, found, marker="o")
    error = float((count[used] * np.abs(said - found)).sum() / count.sum())
    ax.set(xlabel="probability", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1))
    ax.set_title(f"calibration, expected error {error:.3f}")
    return ax


def to_label_next(classifier: Any, n: int = 10, ax: Any = None, coordinates: Any = None) -> Any:
    """The points to label next, numbered by value, among all others."""
    check_is_fitted(classifier)
    ax = embedding(classifier, ax=ax, coordinates=coordinates)
    places = classifier.embedding(2) if coordinates is None else np.asarray(coordinates)
    for rank, row in enumerate(classifier.query(n), start=1):
        ax.annotate(str(rank), places[row, :2], fontweight="bold", color="black")
    ax.set_title("what to label next")
    return ax


def _labelled(classifier: Any) -> Any:
    known = np.ones(len(classifier.transduction_), dtype=bool)
    known[classifier._model.decided()[0]] = False
    return known


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise ImportError("figures need matplotlib: pip install gaussfield[plot]") from error
    return pyplot.subplots()[1]
