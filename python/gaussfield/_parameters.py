"""Parameters that several estimators share, each said once.

scikit-learn reads the parameters of an estimator from the signature of its ``__init__``, which must
name every one and keep it as it is given. That is what a dataclass writes: an estimator lists its own
parameters as fields and takes the shared ones from the classes below.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar, dataclass_transform

AUTO = "auto"

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
    {own}max_memory : int or None
        Bytes that the graph may take; past it MemoryError, before any is taken. None is 4 GiB.
    unlabeled : 'auto' or a label
        The mark of points without a label. 'auto': -1 among whole numbers, NaN among floats (-1
        where there is no NaN), None, NaN, pandas.NA and -1 among objects.
    n_jobs : int or None
        Threads, by the rules of joblib. The result does not depend on it.
    verbose : bool or callable
        Shows how far it is; a callable hears (stage, done, total)."""

_OWN = """graph : 'knn' or 'precomputed'
        'precomputed': X is the matrix of weights (dense, SciPy sparse) or a graph of networkx.
    """

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

_Estimator = TypeVar("_Estimator", bound=type)


def first(*, default: Any, kw_only: Literal[False] = False) -> Any:
    """A parameter that may be given without its name. (Type checkers read the signature.)"""
    return field(default=default, kw_only=kw_only)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(first,))
def estimator(cls: _Estimator) -> _Estimator:
    """Writes ``__init__`` from the fields, and what is shared into the documentation."""
    graph = _GRAPH.replace("{own}", _OWN if issubclass(cls, OnGraph) else "")
    cls.__doc__ = (cls.__doc__ or "").replace("{graph}", graph).replace("{fitted}", _FITTED)
    # Equality, hash and representation are those of scikit-learn.
    return dataclass(eq=False, repr=False, match_args=False, kw_only=True)(cls)


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class Run:
    """How a fit is run."""

    n_jobs: int | None = None
    verbose: Any = False


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class OnNeighbors(Run):
    """A graph of neighbours, and which labels are none."""

    n_neighbors: Any = AUTO
    metric: str = AUTO
    weights: str = AUTO
    scale: Any = AUTO
    standardize: Any = AUTO
    max_memory: int | None = None
    unlabeled: Any = AUTO


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class OnGraph(OnNeighbors):
    """The same, or a graph of the user's."""

    graph: str = "knn"


@dataclass(eq=False, repr=False, match_args=False, kw_only=True)
class Inferred:
    """How a Gaussian process finds its posterior."""

    inference: str = first(default="ep")
    likelihood: str = "probit"
    noise: float = 0.1
