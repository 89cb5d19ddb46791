"""What a fitted estimator can be asked: own graphs, suspects, what next, facts, figures."""

import sys
import warnings

import matplotlib

matplotlib.use("Agg")

import gaussfield
import networkx
import numpy as np
import pytest
import scipy.sparse as sp
import tqdm.auto
from gaussfield import plot
from gaussfield._progress import progress
from sklearn.exceptions import ConvergenceWarning


def test_a_graph_of_ones_own():
    path = sp.csr_array(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1))
    y = ["left", None, None, "right"]
    for graph in (path, path.toarray(), networkx.path_graph(4)):
        own = gaussfield.HarmonicClassifier("harmonic", graph="precomputed", decision="argmax")
        fitted = own.fit(graph, y)
        np.testing.assert_allclose(fitted.label_distributions_[1], [2 / 3, 1 / 3], atol=1e-12)
        new = fitted.predict_proba(np.array([[0.0, 1.0, 1.0, 0.0]]))
        np.testing.assert_allclose(new, [[0.5, 0.5]], atol=1e-12)
    line = gaussfield.HarmonicRegressor(graph="precomputed").fit(path, [0.0, np.nan, np.nan, 3.0])
    np.testing.assert_allclose(line.transduction_, [0, 1, 2, 3], atol=1e-12)


def test_the_graph_can_be_taken_and_given_back(moons):
    X, _, y = moons
    fitted = gaussfield.HarmonicClassifier("harmonic", scale="mean", decision="argmax").fit(X, y)
    again = gaussfield.HarmonicClassifier("harmonic", graph="precomputed", decision="argmax")
    again.fit(fitted.graph_, y)
    np.testing.assert_allclose(again.label_distributions_, fitted.label_distributions_, atol=1e-9)


def test_regression_between_given_values():
    x = np.linspace(0, 3, 200).reshape(-1, 1)
    y = np.full((200, 2), np.nan)
    y[::20] = np.column_stack([np.sin(x[::20, 0]), x[::20, 0]])
    y[-1] = [np.sin(3.0), 3.0]
    fitted = gaussfield.HarmonicRegressor(n_neighbors=4).fit(x, y)
    assert np.abs(fitted.transduction_[:, 0] - np.sin(x[:, 0])).max() < 0.1
    np.testing.assert_array_equal(fitted.transduction_[::20], y[::20])
    np.testing.assert_allclose(fitted.predict(x), fitted.transduction_)
    assert np.abs(fitted.predict(x + 0.001)[:, 1] - x[:, 0]).max() < 0.2


def test_islands_are_told():
    X = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    with pytest.warns(UserWarning, match="no label reaches 3 points"):
        fitted = gaussfield.HarmonicClassifier("harmonic", n_neighbors=2).fit(
            X, [0, -1, 1, -1, -1, -1]
        )
    assert fitted.islands_.tolist() == [3, 4, 5]
    with pytest.raises(ValueError, match="reach"):
        own = gaussfield.HarmonicClassifier("harmonic", n_neighbors=2, islands="error")
        own.fit(X, [0, -1, 1, -1, -1, -1])


def test_wrong_labels_are_found(digits):
    X, truth, y = digits
    y = y.copy()
    wrong = np.flatnonzero(y >= 0)[::10]
    y[wrong] = (y[wrong] + 1) % 10
    audit = gaussfield.LabelAudit(noise=0.1).fit(X, y)
    found = set(audit.suspects_.tolist())
    assert len(found & set(wrong.tolist())) >= 7, (sorted(found), wrong)
    # Half of those that are called suspect may be right, by what the word means.
    assert len(found - set(wrong.tolist())) <= len(found) / 2
    likeliest = audit.to_frame().index[:10]
    assert len(set(likeliest) & set(wrong.tolist())) >= 8
    assert (audit.likely_[wrong] == truth[wrong]).mean() > 0.7
    assert set(audit.to_frame().columns) == {"label", "likely", "wrong", "verdict"}
    assert (audit.fit_predict(X, y) == -1).sum() == len(found)


def test_a_label_without_company_is_not_doubted(digits):
    X, truth, _ = digits
    y = np.full(len(X), -1)
    for c in range(10):
        y[np.flatnonzero(truth == c)[0]] = c
    audit = gaussfield.LabelAudit(n_neighbors=10).fit(X, y)
    assert not len(audit.suspects_)
    assert set(audit.verdicts_[y >= 0]) == {"untold"}
    np.testing.assert_allclose(audit.wrong_[y >= 0], 0.05)


def test_what_to_label_next(moons):
    X, _, y = moons
    fitted = gaussfield.HarmonicClassifier("harmonic").fit(X, y)
    for criterion in ("expected-errors", "variance", "survey", "uncertainty"):
        rows = fitted.query(3, criterion)
        assert len(set(rows.tolist())) == 3 and (y[rows] == -1).all()
    with pytest.raises(ValueError, match="criterion"):
        fitted.query(1, "luck")


def test_hidden_labels_judge(digits):
    X, _, y = digits
    found = gaussfield.HarmonicClassifier("harmonic", scale="mean").fit(X, y).validate(repeats=3)
    assert 0.7 < found["accuracy"][0] <= 1.0 and found["accuracy"][1] < 0.1
    assert set(found) == {"accuracy", "log_loss", "calibration_error"}


def test_facts_and_choices(moons):
    X, _, y = moons
    fitted = gaussfield.HarmonicClassifier().fit(X, y)
    assert fitted.choices_ and all(because for _, because in fitted.choices_.values())
    assert "method" in fitted.facts_ and fitted.fit_seconds_ > 0
    assert fitted.n_iter_ >= 1
    assert "How it was computed" in fitted._repr_mimebundle_()["text/html"]
    assert "relative residual" in str(fitted.facts_)


def test_facts_are_shown_beside_every_estimator(moons):
    X, _, y = moons
    values = np.where(y >= 0, X[:, 0], np.nan)
    for estimator, target, words in [
        (gaussfield.HarmonicClassifier(), y, ("points", "labels", "method")),
        (gaussfield.HarmonicRegressor(), values, ("values given", "length scale", "solver")),
        (gaussfield.LabelAudit(), y, ("suspects", "expected to be wrong", "method")),
    ]:
        before = estimator._repr_html_(), estimator._repr_mimebundle_()["text/html"]
        assert not any("How it was computed" in shown for shown in before)
        estimator.fit(X, target)
        for shown in (estimator._repr_html_(), estimator._repr_mimebundle_()["text/html"]):
            assert shown.count("How it was computed") == 1
            assert all(word in shown.split("How it was computed")[1] for word in words)


def test_em_that_has_not_settled_warns(digits):
    X, _, y = digits
    one = gaussfield.HarmonicMixtureClassifier(20, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="EM had not settled after 1 steps: raise max_iter"):
        one.fit(X, y)
    assert one.n_iter_ == one.facts_["EM steps"] == 1
    many = gaussfield.HarmonicMixtureClassifier(20, max_iter=500, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        many.fit(X, y)
    assert 1 < many.n_iter_ < 500 and "hardly changes" in many.facts_["EM ended because"]


def test_progress_is_heard_and_a_callback_may_stop(digits):
    X, _, y = digits
    big = np.vstack([X + 0.01 * i for i in range(12)])
    told = np.full(len(big), -1)
    told[: len(y)] = y
    heard = []
    own = gaussfield.HarmonicClassifier("harmonic", scale="entropy")
    own.set_params(verbose=lambda *report: heard.append(report)).fit(big, told)
    assert heard and all(isinstance(stage, str) and done >= 0 for stage, done, _ in heard)

    def stop(*report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        own.set_params(verbose=stop).fit(big, told)
    assert own.set_params(verbose=True).fit(X, y).classes_.tolist() == list(range(10))


def test_a_bar_of_tqdm_and_lines_without_it(monkeypatch, capsys):
    bars = []

    class Bar:
        def __init__(self, desc, total, leave):
            self.desc, self.total, self.n, self.closed = desc, total, 0, False
            bars.append(self)

        def update(self, more):
            self.n += more

        def close(self):
            self.closed = True

    def two_stages():
        with progress(True) as heard:
            for stage, total in (("EM", 3), ("solve", None)):
                for done in (1, 2, 3):
                    heard(stage, done, total)

    monkeypatch.setattr(tqdm.auto, "tqdm", Bar)
    two_stages()
    assert [(bar.desc, bar.total, bar.n) for bar in bars] == [("EM", 3, 3), ("solve", None, 3)]
    assert all(bar.closed for bar in bars) and not capsys.readouterr().err

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # as if it were not installed
    two_stages()
    assert capsys.readouterr().err.splitlines() == ["gaussfield: EM", "gaussfield: solve"]
    assert len(bars) == 2


def test_the_real_bar_is_drawn(capsys):
    with progress(True) as heard:
        heard("neighbours", 1, 4)
        heard("neighbours", 4, 4)
    assert "neighbours" in capsys.readouterr().err


@pytest.mark.parametrize("figure", ["embedding", "confidence", "calibration", "to_label_next"])
def test_figures(figure, moons, tmp_path):
    X, truth, y = moons
    fitted = gaussfield.HarmonicClassifier("harmonic").fit(X, y)
    arguments = [truth] if figure == "calibration" else []
    ax = getattr(plot, figure)(fitted, *arguments)
    ax.figure.savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 1000
