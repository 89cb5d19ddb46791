"""Memory: what is lent is not copied, and what would not fit is refused."""

import gc
import subprocess
import sys
import textwrap

import gaussfield
import numpy as np
import pytest
from gaussfield import _gaussfield

# Peak of a process of its own beyond what it had before, in bytes.
PEAK = """
import sys
import numpy as np
from gaussfield import _gaussfield

def high():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

draw = np.random.default_rng(0)
X = np.empty((200_000, 32), order=sys.argv[1], dtype=sys.argv[2])
for column in range(32):
    X[:, column] = draw.random(len(X))
codes = np.full(len(X), -1)
codes[:100] = np.arange(100) % 10
names = [str(i) for i in range(10)]
# Everything that is loaded at first use.
_gaussfield.Problem(np.ascontiguousarray(X[:500]), codes[:500], names).plan()
before = high()
problem = _gaussfield.Problem(X, codes, names)
problem.plan()
print(high() - before)
"""


def peak(order, kind):
    run = [sys.executable, "-c", textwrap.dedent(PEAK), order, kind]
    return int(subprocess.run(run, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_float64_row_by_row_is_not_copied():
    whole = 200_000 * 32 * 8
    lent = peak("C", "float64")
    assert lent < whole / 4, lent
    # And that the measure sees a copy where there is one.
    for order, kind in (("F", "float64"), ("C", "float32")):
        copied = peak(order, kind)
        assert whole * 0.9 < copied < whole * 1.5, (order, kind, copied)


def test_an_array_that_is_lent_lives_as_long_as_the_model():
    X = np.random.default_rng(0).normal(size=(300, 3))
    codes = np.full(300, -1)
    codes[:4] = [0, 1, 0, 1]
    before = sys.getrefcount(X)
    problem = _gaussfield.Problem(X, codes, ["a", "b"])
    assert sys.getrefcount(X) == before + 1
    del problem
    gc.collect()
    assert sys.getrefcount(X) == before
    narrow = X.astype(np.float32)
    before = sys.getrefcount(narrow)
    problem = _gaussfield.Problem(narrow, codes, ["a", "b"])
    assert sys.getrefcount(narrow) == before


@pytest.mark.parametrize(
    "estimator",
    [
        gaussfield.HarmonicClassifier(),
        gaussfield.HarmonicClassifier("consistency"),
        gaussfield.GraphGPClassifier(),
        gaussfield.GraphGPClassifier("softmax"),
        gaussfield.WarpedGPClassifier(),
        gaussfield.HarmonicMixtureClassifier(),
        gaussfield.LabelAudit(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_what_does_not_fit_is_refused(estimator, moons):
    X, _, y = moons
    with pytest.raises(MemoryError, match="memory budget"):
        estimator.set_params(max_memory=100).fit(X, y)


def test_a_warped_kernel_is_within_its_memory(moons):
    X, _, y = moons
    # Enough for the graph, not for a matrix of 300 × 300.
    with pytest.raises(MemoryError, match="memory budget"):
        gaussfield.WarpedGPClassifier(max_memory=200_000).fit(X, y)
