"""The blocks of Python in the documentation, run from top to bottom."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "python/README.md", "crates/gaussfield/src/guide/python.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.M | re.S)
    assert blocks
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(truth)) < 100, truth, -1)
    given = {"X": X[:900], "y": y[:900], "X_new": X[900:]}
    for block in blocks:
        exec(block, given)
