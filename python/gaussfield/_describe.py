"""Parameters of estimators as parts of a description, the value that the compiled half runs."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from ._parameters import AUTO


@dataclass
class Told:
    """What a description is made for."""

    n: int
    codes: NDArray[np.int64]
    classes: int
    own_graph: bool
    rows: Any


def is_auto(value: Any) -> bool:
    return isinstance(value, str) and value == AUTO


def one_of(name: str, value: Any, *allowed: str) -> None:
    """Refuses a word that is not among those allowed."""
    if not (isinstance(value, str) and value in allowed):
        words = ", ".join(repr(word) for word in allowed)
        raise ValueError(f"{name} is {value!r}: it must be one of {words}")


def positive(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 < float(value) < np.inf:
        raise ValueError(f"{name} is {value!r}: it must be a positive number")
    return float(value)


def number(name: str, value: Any) -> float:
    """Whether it is in range, the compiled half says."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} is {value!r}: it must be a number")
    return float(value)


def count(name: str, value: Any, *, least: int = 1, auto: bool = False) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        other = ", or 'auto'" if auto else ""
        raise ValueError(
            f"{name} is {value!r}: it must be a whole number of at least {least}{other}"
        )
    return int(value)


def seed(random_state: Any) -> int:
    """A whole number as it is; else one drawn by the rules of scikit-learn."""
    if isinstance(random_state, Integral) and random_state >= 0:
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def parts(
    plan: dict[str, Any],
    told: Told,
    *,
    n_neighbors: Any = AUTO,
    metric: Any = AUTO,
    weights: Any = AUTO,
    scale: Any = AUTO,
    standardize: Any = AUTO,
    max_memory: Any = None,
) -> dict[str, Any]:
    """The plan with graph, weights and preparation as they are said."""
    if told.own_graph:
        _only_auto(n_neighbors=n_neighbors, metric=metric, weights=weights, scale=scale)
        return _within(plan, max_memory)
    if not is_auto(standardize):
        if not isinstance(standardize, (bool, np.bool_)):
            raise ValueError(f"standardize is {standardize!r}: it must be True, False or 'auto'")
        kept = [own for own in plan.get("prepare", []) if own != "standardise"]
        plan["prepare"] = ["standardise"] if standardize else kept
    lists = next(iter(plan["graph"].values()))
    if not is_auto(n_neighbors):
        lists["k"] = count("n_neighbors", n_neighbors, auto=True)
        tuned = plan.get("weights")
        if isinstance(tuned, dict) and "self-tuning" in tuned:
            tuned["self-tuning"]["neighbour"] = lists["k"]
    if not is_auto(metric):
        one_of("metric", metric, AUTO, "euclidean", "cosine")
        # Rows of length one would make an angle of every distance.
        plan["prepare"] = [own for own in plan.get("prepare", []) if own != "unit-rows"]
        lists["metric"] = metric
    _weigh(plan, lists, weights, scale)
    return _within(plan, max_memory)


def _weigh(plan: dict[str, Any], lists: dict[str, Any], weights: Any, scale: Any) -> None:
    metric = lists.get("metric", "euclidean")
    one_of("weights", weights, AUTO, "exponential", "self-tuning", "unweighted")
    entropy: dict[str, Any] = {"objective": {"entropy": {}}}
    if weights == "unweighted":
        if not is_auto(scale):
            raise ValueError(f"scale is {scale!r}, but unweighted edges have none: leave it out")
        plan["weights"] = "unweighted"
        plan.pop("tuning", None)
    elif weights == "self-tuning":
        if scale == "mean":
            raise ValueError(
                "self-tuning weights have local scales: scale is a factor, 'entropy' or 'auto'"
            )
        factor = 1.0 if isinstance(scale, str) else positive("scale", scale)
        plan["weights"] = {"self-tuning": {"factor": factor, "neighbour": lists["k"]}}
        plan.pop("tuning", None)
        if scale == "entropy":
            plan["tuning"] = entropy
    elif weights == "exponential" or not is_auto(scale):
        plan.pop("weights", None)
        plan.pop("tuning", None)
        if isinstance(scale, str):
            one_of("scale", scale, AUTO, "entropy", "mean")
            if scale != "mean":
                plan["tuning"] = entropy
        else:
            length = positive("scale", scale)
            exponential = {"exponential": {"sigma": length}}
            plan["weights"] = (
                {"cosine-exponential": {"scale": length}} if metric == "cosine" else exponential
            )


def _only_auto(**said: Any) -> None:
    for name, value in said.items():
        if not is_auto(value):
            raise ValueError(f"{name} is {value!r}, but the graph itself is given: leave it 'auto'")


def _within(plan: dict[str, Any], max_memory: Any) -> dict[str, Any]:
    if max_memory is not None:
        plan["budget"] = {"bytes": int(positive("max_memory", max_memory))}
    return plan


def prior(class_prior: Any, told: Told) -> list[float]:
    """Class proportions: given, even, or those of the labels with each counted once more."""
    if class_prior is None:
        counts = np.bincount(told.codes[told.codes >= 0], minlength=told.classes) + 1.0
        return (counts / counts.sum()).tolist()
    if isinstance(class_prior, str):
        one_of("class_prior", class_prior, "uniform")
        return [1.0 / told.classes] * told.classes
    shares = np.asarray([number("a share of class_prior", share) for share in class_prior])
    if shares.shape != (told.classes,):
        raise ValueError(
            f"class_prior has the shape {shares.shape}: give one share for each of the "
            f"{told.classes} classes, in the order of classes_"
        )
    return shares.tolist()


def islands(said: Any, told: Told, class_prior: Any) -> Any:
    one_of("islands", said, "prior", "error")
    return "error" if said == "error" else {"prior": prior(class_prior, told)}


def decision(said: Any, told: Told, class_prior: Any, automatic: Any) -> Any:
    """How scores become classes."""
    one_of("decision", said, AUTO, "argmax", "class_mass", "counts", "proportions")
    if said == "argmax":
        return "argmax"
    if is_auto(said):
        keyed = isinstance(automatic, dict) and class_prior is not None
        return {name: prior(class_prior, told) for name in automatic} if keyed else automatic
    return {said.replace("_", "-"): prior(class_prior, told)}


def graph_of(estimator: Any, plan: dict[str, Any], told: Told) -> dict[str, Any]:
    names = ("n_neighbors", "metric", "weights", "scale", "standardize", "max_memory")
    said = {name: getattr(estimator, name) for name in names}
    return parts(plan, told, **said)


def set_islands(method: dict[str, Any], islands: Any) -> None:
    for options in method.values():
        if isinstance(options, dict):
            if "islands" in options:
                options["islands"] = islands
            set_islands(options, islands)


def inference_of(inference: str, likelihood: str, noise: float) -> dict[str, Any]:
    one_of("inference", inference, "ep", "laplace", "softmax")
    one_of("likelihood", likelihood, "probit", "sigmoid", "flip")
    if inference == "softmax":
        return {"softmax": {}}
    parameter = {"probit": "noise", "sigmoid": "gamma", "flip": "epsilon"}[likelihood]
    return {inference: {"likelihood": {likelihood: {parameter: positive("noise", noise)}}}}


def median_distance(rows: Any, standardised: bool, most: int = 500) -> float:
    """The median distance between some of the points, evenly drawn from all of them."""
    if isinstance(rows, tuple):
        indptr, indices, data, columns = rows
        X: Any = sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, columns))
    else:
        X = rows
    some = X[np.linspace(0, X.shape[0] - 1, min(most, X.shape[0])).astype(int)]
    some = some.toarray() if sp.issparse(some) else np.asarray(some, dtype=np.float64)
    if standardised:
        spread = some.std(axis=0)
        some = (some - some.mean(axis=0)) / np.where(spread > 0.0, spread, 1.0)
    squares = (some**2).sum(axis=1)
    squared = squares[:, None] + squares[None, :] - 2.0 * some @ some.T
    distances = np.sqrt(np.maximum(squared[np.triu_indices(len(some), 1)], 0.0))
    median = float(np.median(distances)) if len(distances) else 1.0
    return median if median > 0.0 else 1.0
