"""Manners of scikit-learn: its own checks, pipelines, searches, clones, pickles, frames."""

import doctest
import importlib
import pickle
import threading
import time

import gaussfield
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from gaussfield import semi_supervised
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

CLASSIFIERS = [
    gaussfield.HarmonicClassifier(),
    gaussfield.HarmonicClassifier("harmonic"),
    gaussfield.HarmonicClassifier("consistency"),
    gaussfield.GraphGPClassifier(),
    gaussfield.WarpedGPClassifier(),
    gaussfield.HarmonicMixtureClassifier(random_state=0),
]
DROP_IN = [semi_supervised.LabelPropagation(), semi_supervised.LabelSpreading()]
ALL = [*CLASSIFIERS, *DROP_IN, gaussfield.HarmonicRegressor(), gaussfield.LabelAudit()]
# The checks of scikit-learn run on every method and inference as well.
CHECKED = [
    *ALL,
    gaussfield.HarmonicClassifier("smoothing"),
    gaussfield.HarmonicClassifier("dynamics"),
    gaussfield.GraphGPClassifier("laplace"),
    gaussfield.GraphGPClassifier("softmax"),
    gaussfield.GraphGPClassifier(likelihood="flip"),
    gaussfield.WarpedGPClassifier("laplace"),
]


def named(estimator):
    words = ("method", "inference")
    said = ", ".join(f"{k}={v}" for k, v in estimator.get_params().items() if k in words)
    return f"{type(estimator).__name__}({said})"


# What is exempt from the checks of scikit-learn, and why. One check of every classifier, below; of those
# that have the name of one of scikit-learn's it exempts them itself. One check of every estimator is
# skipped by scikit-learn: that of arrays which are not NumPy's (GPU and the like), for which
# SCIPY_ARRAY_API would have to be set before SciPy is loaded; nothing is claimed of such arrays.
MINUS_ONE = (
    "has the classes -1 and 1; -1 is the mark of points without a label, as in LabelPropagation, "
    "which scikit-learn exempts by its name"
)


def exempt(estimator):
    named = (semi_supervised.LabelPropagation, semi_supervised.LabelSpreading)
    if isinstance(estimator, (gaussfield.HarmonicRegressor, gaussfield.LabelAudit, *named)):
        return {}
    return {"check_classifiers_classes": MINUS_ONE}


@parametrize_with_checks(CHECKED, expected_failed_checks=exempt)
def test_what_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=named)
def test_moons_from_one_label_each(classifier, moons):
    X, truth, y = moons
    fitted = clone(classifier).fit(X, y)
    assert (fitted.transduction_ == truth).mean() > 0.9
    assert np.array_equal(fitted.transduction_[y >= 0], y[y >= 0])
    assert fitted.label_distributions_.shape == (300, 2)
    np.testing.assert_allclose(fitted.label_distributions_.sum(axis=1), 1.0)
    assert fitted.score(X, truth) > 0.9
    assert np.array_equal(clone(classifier).fit_predict(X, y), fitted.transduction_)


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=named)
def test_a_pickle_answers_alike(classifier, moons):
    X, _, y = moons
    fitted = clone(classifier).fit(X, y)
    back = pickle.loads(pickle.dumps(fitted))
    new = X[::7] + 0.01
    np.testing.assert_array_equal(back.predict_proba(new), fitted.predict_proba(new))
    np.testing.assert_array_equal(back.transduction_, fitted.transduction_)
    assert back.facts_ == fitted.facts_


@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=named)
def test_threads_do_not_change_the_answer(classifier, moons):
    X, _, y = moons
    one = clone(classifier).fit(X, y).label_distributions_
    two = clone(classifier).set_params(n_jobs=2).fit(X, y).label_distributions_
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("jobs", [1, 2])
def test_threads_run_what_is_asked_too(jobs, digits, monkeypatch):
    X, _, y = digits
    fitted = gaussfield.HarmonicClassifier("harmonic", scale="mean", n_jobs=jobs).fit(X, y)
    told = gaussfield.HarmonicClassifier("harmonic", scale="mean").fit(X, y)
    np.testing.assert_array_equal(fitted.query(3, "variance"), told.query(3, "variance"))
    np.testing.assert_array_equal(fitted.embedding(3), told.embedding(3))
    assert fitted.validate(2) == told.validate(2)
    heard, model = [], fitted._model

    class Listening:
        def __getattr__(self, name):
            return lambda *words: heard.append(words[-1]) or getattr(model, name)(*words)

    monkeypatch.setattr(fitted, "_model", Listening())
    fitted.query(1)
    fitted.validate(1)
    fitted.embedding(2)
    fitted.predict(X[:3])
    assert heard == [jobs] * 4


def test_orders_types_and_frames_give_the_same(moons):
    X, _, y = moons
    wanted = gaussfield.HarmonicClassifier().fit(X, y).label_distributions_
    frame = pd.DataFrame(X, columns=["a", "b"])
    for rows in (np.asfortranarray(X), X.tolist(), frame, pl.DataFrame(frame), pa.table(frame)):
        got = gaussfield.HarmonicClassifier().fit(rows, y)
        np.testing.assert_array_equal(got.label_distributions_, wanted)
    narrow = gaussfield.HarmonicClassifier().fit(X.astype(np.float32), y)
    again = gaussfield.HarmonicClassifier().fit(X.astype(np.float32).astype(np.float64), y)
    np.testing.assert_array_equal(narrow.label_distributions_, again.label_distributions_)


def test_frames_keep_names_and_index(moons):
    X, _, y = moons
    frame = pd.DataFrame(X, columns=["a", "b"], index=[f"row {i}" for i in range(len(X))])
    fitted = gaussfield.HarmonicClassifier().fit(frame, pd.Series(y, index=frame.index))
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    out = fitted.to_frame()
    assert out.index.equals(frame.index)
    assert out.columns.tolist() == ["class", "probability", "p_0", "p_1"]


def test_sparse_rows_are_text(moons):
    draw = np.random.default_rng(1)
    topics = np.repeat([0, 1], 60)
    words = draw.poisson(np.where(np.arange(40) // 20 == topics[:, None], 1.0, 0.05))
    words[:, 0] += 1
    y = np.full(120, -1)
    y[[0, 1, 60, 61]] = [0, 0, 1, 1]
    fitted = gaussfield.HarmonicClassifier().fit(sp.csr_array(words.astype(float)), y)
    assert (fitted.transduction_ == topics).mean() > 0.9
    assert fitted.description_["prepare"] == ["unit-rows"]


def test_pipelines_and_searches(digits):
    X, truth, y = digits
    X, truth, y = X[:600], truth[:600], y[:600]
    line = make_pipeline(StandardScaler(), gaussfield.HarmonicClassifier("harmonic", scale="mean"))
    assert line.fit(X, y).score(X, truth) > 0.7
    search = GridSearchCV(line, {"harmonicclassifier__n_neighbors": [5, 10]}, cv=3)
    assert search.fit(X, truth).best_score_ > 0.85


def test_a_search_holds_out_rows_without_a_label(digits):
    X, truth, y = digits
    X, truth, y = X[:600], truth[:600], y[:600]
    y = np.where(np.arange(600) % 3 == 0, truth, -1)
    own = gaussfield.HarmonicClassifier("harmonic", scale="mean")
    search = GridSearchCV(own, {"n_neighbors": [5, 10]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.85
    # Folds by class cannot sort None beside texts; plain ones need not.
    names = np.where(y >= 0, np.char.add("d", y.astype(str)), None)
    search = GridSearchCV(own, {"n_neighbors": [5, 10]}, cv=KFold(3)).fit(X, names)
    assert search.best_score_ > 0.85
    values = np.where(y >= 0, X[:, 20], np.nan)
    search = GridSearchCV(gaussfield.HarmonicRegressor(), {"n_neighbors": [5, 10]}, cv=3)
    assert 0.2 < search.fit(X, values).best_score_ < 1.0


def test_a_score_is_of_labelled_rows(moons):
    X, truth, y = moons
    fitted = gaussfield.HarmonicClassifier().fit(X, y)
    some = np.where(np.arange(300) < 50, truth, -1)
    assert fitted.score(X, some) == (fitted.predict(X)[:50] == truth[:50]).mean()
    weights = np.zeros(300)
    weights[:25] = 1.0
    assert fitted.score(X, some, weights) == (fitted.predict(X)[:25] == truth[:25]).mean()


def test_scoring_by_name(digits):
    X, truth, _ = digits
    X, truth = X[:600], truth[:600]
    own = gaussfield.HarmonicClassifier("harmonic", scale="mean")
    for scoring in ("accuracy", "balanced_accuracy", "f1_macro", "neg_log_loss", "roc_auc_ovr"):
        found = cross_val_score(own, X, truth, cv=3, scoring=scoring)
        # Better than to say nothing of ten classes.
        least = -np.log(10.0) if "neg" in scoring else 0.8
        assert np.isfinite(found).all() and found.min() > least
    # Those that count marks as a class see them; `score` does not.
    some = np.where(np.arange(600) % 2 == 0, truth, -1)
    told = cross_val_score(own, X, some, cv=KFold(3), scoring="accuracy")
    assert told.max() < 0.6 < cross_val_score(own, X, some, cv=KFold(3)).min()


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_steps_before_it_may_give_frames(kind, moons):
    X, _, y = moons
    line = make_pipeline(StandardScaler(), gaussfield.HarmonicClassifier())
    line.set_output(transform=kind).fit(pd.DataFrame(X, columns=["a", "b"]), y)
    assert line[-1].feature_names_in_.tolist() == ["a", "b"]
    plain = gaussfield.HarmonicClassifier().fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(line[-1].transduction_, plain.transduction_)


def test_names_of_polars_and_arrow(moons):
    X, _, y = moons
    frame = pd.DataFrame(X, columns=["a", "b"])
    for rows in (pl.DataFrame(frame), pa.table(frame)):
        fitted = gaussfield.HarmonicClassifier().fit(rows, y)
        assert fitted.feature_names_in_.tolist() == ["a", "b"]


def test_other_threads_run_meanwhile(digits):
    X, _, y = digits
    big, told = np.vstack([X + 0.01 * i for i in range(8)]), np.tile(y, 8)
    ended, seen = [], 0

    def fit():
        gaussfield.HarmonicClassifier("harmonic", scale="mean").fit(big, told)
        ended.append(True)

    worker = threading.Thread(target=fit)
    worker.start()
    while not ended:
        time.sleep(0.001)
        seen += 1
    worker.join()
    # With the lock held there would be hardly one turn.
    assert seen > 20


@pytest.mark.parametrize("part", ["", "._classifiers", "._audit", "._regressor", ".semi_supervised"])
def test_examples_of_the_documentation(part):
    found = doctest.testmod(importlib.import_module(f"gaussfield{part}"))
    assert found.attempted > 0 and found.failed == 0


def test_params_are_what_was_given():
    for estimator in ALL:
        assert clone(estimator).get_params() == estimator.get_params()
        with pytest.raises(ValueError, match="Invalid parameter"):
            estimator.set_params(colour="red")
