"""Rows and graphs of Python as the compiled module takes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from sklearn.utils.validation import validate_data

Csr = tuple[Any, Any, Any, int]


@dataclass(frozen=True)
class Graph:
    """A graph as the compiled module takes it, told from sparse rows by its type."""

    weights: Csr

    @property
    def nodes(self) -> int:
        return len(self.weights[0]) - 1


def rows(estimator: Any, X: Any, *, reset: bool) -> Any:
    """Checked points: an array of float64 or float32 as it lies in memory, or sparse rows."""
    if _is_networkx(X):
        raise ValueError("X is a graph of networkx: say graph='precomputed', or give the rows")
    X = validate_data(
        estimator,
        X,
        reset=reset,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=2 if reset else 1,
    )
    return as_rows(X)


def as_rows(X: Any) -> Any:
    """What the compiled module reads of an array or a sparse matrix."""
    return _csr(X) if sp.issparse(X) else X


def graph(X: Any) -> Graph:
    """The weights of a graph: a square matrix, dense or sparse, or a graph of networkx."""
    if _is_networkx(X):
        import networkx

        if X.is_directed():
            raise ValueError(
                "the graph is directed: give an undirected one, such as graph.to_undirected()"
            )
        X = networkx.to_scipy_sparse_array(X, weight="weight", dtype=np.float64)
    if not sp.issparse(X):
        X = sp.csr_array(np.atleast_2d(np.asarray(X, dtype=np.float64)))
    rows, columns = X.shape
    if rows != columns:
        raise ValueError(
            f"a graph has a square matrix of weights, and this one is {rows} × {columns}: give one "
            "row and one column for each node"
        )
    return Graph(_csr(X.tocsr()))


def shape(rows: Any) -> tuple[int, int]:
    """How many rows and columns."""
    return (len(rows[0]) - 1, rows[3]) if isinstance(rows, tuple) else rows.shape


def _is_networkx(X: Any) -> bool:
    return hasattr(X, "adj") and hasattr(X, "is_directed")


def _csr(X: Any) -> Csr:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X.indptr, X.indices, np.ascontiguousarray(X.data, dtype=np.float64), int(X.shape[1])


def threads(n_jobs: int | None) -> int:
    """Threads by the rules of joblib: None is one, unless a context says otherwise; -1 is all."""
    return int(effective_n_jobs(n_jobs))
