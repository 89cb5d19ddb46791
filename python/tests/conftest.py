"""Data that several tests share."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons


@pytest.fixture(scope="session")
def moons():
    """Two moons, with their true classes and one label each (-1 for the rest)."""
    X, truth = make_moons(300, noise=0.05, random_state=0)
    y = np.full(300, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[0]] = c
    return X, truth, y


@pytest.fixture(scope="session")
def digits():
    """Digits, with their true classes and ten labels a class (-1 for the rest)."""
    X, truth = load_digits(return_X_y=True)
    draw = np.random.default_rng(0)
    y = np.full(len(truth), -1)
    for c in range(10):
        rows = draw.choice(np.flatnonzero(truth == c), 10, replace=False)
        y[rows] = c
    return X, truth, y
