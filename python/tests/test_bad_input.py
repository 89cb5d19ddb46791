"""Input that cannot be right: the exception that users of scikit-learn expect, with our remedy."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time

import gaussfield
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from gaussfield import HarmonicClassifier as Harmonic
from sklearn.exceptions import NotFittedError

X = np.random.default_rng(0).normal(size=(20, 3))
Y = [0, 1] + [-1] * 18
OWN = {"graph": "precomputed"}


def weights(change):
    dense = np.ones((20, 20)) - np.eye(20)
    change(dense)
    return dense


def at(row, column, value):
    def change(dense):
        dense[row, column] = value

    return weights(change)


TABLE = [
    ("NaN", {}, np.where(np.arange(60).reshape(20, 3) == 7, np.nan, X), Y, ValueError, "NaN"),
    (
        "infinity",
        {},
        np.where(np.arange(60).reshape(20, 3) == 7, np.inf, X),
        Y,
        ValueError,
        "infinity",
    ),
    ("objects", {}, np.full((20, 3), "a", dtype=object), Y, ValueError, "could not convert"),
    ("texts", {}, pd.DataFrame({"a": ["x"] * 20}), Y, ValueError, "could not convert"),
    ("complex", {}, X + 1j, Y, ValueError, "Complex data"),
    ("one dimension", {}, X[:, 0], Y, ValueError, "Reshape"),
    ("three dimensions", {}, X[:, :, None], Y, ValueError, "dim 3|<= 2"),
    ("no column", {}, X[:, :0], Y, ValueError, r"0 feature\(s\)"),
    ("one row", {}, X[:1], Y[:1], ValueError, "minimum of 2"),
    ("lengths", {}, X, Y[:-1], ValueError, r"inconsistent numbers of samples: \[20, 19\]"),
    ("no labels", {}, X, [-1] * 20, ValueError, "no label to learn from"),
    ("no y", {}, X, None, ValueError, "requires y"),
    ("method", {"method": "magic"}, X, Y, ValueError, "it must be one of 'auto', 'harmonic'"),
    ("k of zero", {"n_neighbors": 0}, X, Y, ValueError, "at least 1"),
    ("k of n", {"n_neighbors": 20}, X, Y, ValueError, "20"),
    ("k of text", {"n_neighbors": "many"}, X, Y, ValueError, "whole number"),
    ("metric", {"metric": "minkowski"}, X, Y, ValueError, "'euclidean', 'cosine'"),
    ("scale", {"scale": -1.0}, X, Y, ValueError, "positive"),
    ("scale in words", {"scale": "big"}, X, Y, ValueError, "'entropy', 'mean'"),
    ("alpha", {"method": "consistency", "alpha": 1.5}, X, Y, ValueError, "α is 1.5"),
    (
        "prior",
        {"decision": "class_mass", "class_prior": [0.5]},
        X,
        Y,
        ValueError,
        "one share for each",
    ),
    ("prior sum", {"decision": "class_mass", "class_prior": [0.5, 0.9]}, X, Y, ValueError, "sum"),
    ("graph", {"graph": "ball"}, X, Y, ValueError, "'knn' or 'precomputed'"),
    ("memory", {"max_memory": 10}, X, Y, MemoryError, "memory budget"),
    ("alpha in words", {"method": "consistency", "alpha": "x"}, X, Y, ValueError, "a number"),
    ("epsilon of none", {"method": "smoothing", "epsilon": None}, X, Y, ValueError, "a number"),
    ("negative sparse", OWN, sp.csr_array(at(3, 4, -1.0)), Y, ValueError, "-1"),
    ("directed", OWN, networkx.path_graph(20, networkx.DiGraph), Y, ValueError, "undirected"),
    ("a graph as rows", {}, networkx.path_graph(20), Y, ValueError, "say graph='precomputed'"),
    ("sparse NaN", {}, sp.csr_array(np.where(X > 1, np.nan, X)), Y, ValueError, "NaN"),
    ("no threads", {"n_jobs": 0}, X, Y, ValueError, "n_jobs == 0"),
    ("negative weight", OWN, at(3, 4, -1.0), Y, ValueError, "-1"),
    ("asymmetric", OWN, at(3, 4, 2.0), Y, ValueError, "3.*4|asymmetric|symmetric"),
    ("NaN weight", OWN, at(3, 4, np.nan), Y, ValueError, "NaN"),
    ("self-loop", OWN, at(3, 3, 1.0), Y, ValueError, "node 3|itself|loop"),
    ("not square", OWN, sp.csr_array(np.ones((20, 19))), Y, ValueError, "square"),
    ("graph and k", {**OWN, "n_neighbors": 3}, at(0, 1, 1.0), Y, ValueError, "leave it 'auto'"),
]


@pytest.mark.parametrize(
    ("params", "x", "y", "kind", "says"), [r[1:] for r in TABLE], ids=[r[0] for r in TABLE]
)
def test_bad_input(params, x, y, kind, says):
    with pytest.raises(kind, match=says):
        Harmonic(**params).fit(x, y)


def test_before_a_fit():
    for estimator in (Harmonic(), gaussfield.HarmonicRegressor()):
        with pytest.raises(NotFittedError):
            estimator.predict(X)
    with pytest.raises(NotFittedError):
        Harmonic().query()


def test_numbers_of_other_estimators():
    for estimator, says in [
        (gaussfield.WarpedGPClassifier(power=-1), "power is -1"),
        (gaussfield.WarpedGPClassifier(gamma_a="x"), "gamma_a is 'x'"),
        (gaussfield.HarmonicMixtureClassifier(alpha="x"), "alpha is 'x'"),
        (gaussfield.HarmonicMixtureClassifier(random_state="x"), "seed"),
        (gaussfield.LabelAudit("x"), "noise is 'x'"),
        (gaussfield.LabelAudit(2.0), "2"),
    ]:
        with pytest.raises(ValueError, match=says):
            estimator.fit(X, Y)


def test_an_unknown_parameter():
    with pytest.raises(TypeError, match="colour"):
        Harmonic(colour="red")
    with pytest.raises(TypeError, match="positional"):
        Harmonic("harmonic", 5)


def test_questions_that_make_no_sense():
    fitted = Harmonic().fit(X, Y)
    with pytest.raises(ValueError, match="n is -1"):
        fitted.query(-1)
    with pytest.raises(ValueError, match="no label to judge by"):
        fitted.score(X, [-1] * 20)
    saved = pickle.loads(pickle.dumps(fitted))
    assert not hasattr(saved, "graph_")
    for question in (saved.query, saved.validate, saved.embedding):
        with pytest.raises(ValueError, match="fit"):
            question()


def test_new_points_of_another_size():
    fitted = Harmonic().fit(X, Y)
    with pytest.raises(ValueError, match="expecting 3 features"):
        fitted.predict(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        fitted.predict(np.full((1, 3), np.nan))


def test_a_second_fit_forgets_the_first():
    twice = Harmonic().fit(X, Y).fit(X[:, :2], [1, 0] + [-1] * 18)
    once = Harmonic().fit(X[:, :2], [1, 0] + [-1] * 18)
    np.testing.assert_array_equal(twice.label_distributions_, once.label_distributions_)
    assert twice.n_features_in_ == 2


def test_numbers_that_are_no_targets():
    for y, says in [
        (["a"] * 20, "no number"),
        ([np.nan] * 20, "NaN only"),
        ([np.inf] + [np.nan] * 19, "infinity"),
        (None, "requires y"),
        ([[1.0, np.nan]] + [[np.nan, np.nan]] * 19, "in part"),
    ]:
        with pytest.raises(ValueError, match=says):
            gaussfield.HarmonicRegressor().fit(X, y)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_stops():
    program = textwrap.dedent(
        """
        import numpy as np, gaussfield
        X = np.random.default_rng(0).normal(size=(60000, 40))
        y = np.full(60000, -1); y[:20] = np.arange(20) % 2
        print("started", flush=True)
        gaussfield.HarmonicClassifier("harmonic", scale="mean").fit(X, y)
        print("ended", flush=True)
        """
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "started\n"
    time.sleep(1.0)
    os.kill(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert "ended" not in out and "KeyboardInterrupt" in err
