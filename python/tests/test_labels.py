"""What counts as no label, by the type of y."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from gaussfield import HarmonicClassifier
from gaussfield._labels import encode

ROWS = [
    ("whole numbers", np.array([3, -1, 7]), [3, 7]),
    ("list of numbers", [3, -1, 7], [3, 7]),
    ("floats with NaN", np.array([3.0, np.nan, 7.0]), [3.0, 7.0]),
    ("floats without NaN", np.array([3.0, -1.0, 7.0]), [3.0, 7.0]),
    ("texts and None", ["cat", None, "dog"], ["cat", "dog"]),
    ("list of texts and NaN", ["cat", float("nan"), "dog"], ["cat", "dog"]),
    ("list of texts and -1", ["cat", -1, "dog"], ["cat", "dog"]),
    ("list of texts and -1.0", ["cat", -1.0, "dog"], ["cat", "dog"]),
    ("tuple of texts and NaN", ("cat", np.nan, "dog"), ["cat", "dog"]),
    ("list of texts and a narrow NaN", ["cat", np.float32("nan"), "dog"], ["cat", "dog"]),
    ("list of texts and pandas.NA", ["cat", pd.NA, "dog"], ["cat", "dog"]),
    ("list of texts and pandas.NaT", ["cat", pd.NaT, "dog"], ["cat", "dog"]),
    ("list of numbers as texts and -1", ["3", -1, "7"], ["3", "7"]),
    ("list of numbers and pandas.NaT", [3, pd.NaT, 7], [3, 7]),
    ("list of numbers and NaN", [3, float("nan"), 7], [3.0, 7.0]),
    ("list of truth values and NaN", [True, float("nan"), False], [False, True]),
    ("list of truth values and -1", [True, -1, False], [False, True]),
    ("texts and NaN", np.array(["cat", np.nan, "dog"], dtype=object), ["cat", "dog"]),
    ("texts and -1", np.array(["cat", -1, "dog"], dtype=object), ["cat", "dog"]),
    ("pandas objects", pd.Series(["cat", None, "dog"], dtype=object), ["cat", "dog"]),
    ("pandas strings", pd.Series(["cat", pd.NA, "dog"], dtype="string"), ["cat", "dog"]),
    ("pandas whole numbers", pd.Series([3, pd.NA, 7], dtype="Int64"), [3, 7]),
    ("pandas categories", pd.Series(["cat", None, "dog"], dtype="category"), ["cat", "dog"]),
    ("pandas truth values", pd.Series([True, pd.NA, False], dtype="boolean"), [False, True]),
    ("polars texts", pl.Series(["cat", None, "dog"]), ["cat", "dog"]),
    ("polars numbers", pl.Series([3, None, 7]), [3, 7]),
    ("arrow texts", pa.array(["cat", None, "dog"]), ["cat", "dog"]),
]


@pytest.mark.parametrize(("y", "classes"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_one_label_of_three_is_missing(y, classes):
    codes, found = encode(y)
    assert list(found) == classes
    assert (codes >= 0).tolist() == [True, False, True]
    X = [[0.0], [0.1], [5.0]]
    told = HarmonicClassifier(n_neighbors=2).fit(X, y)
    assert list(told.classes_) == classes
    assert all(label in classes for label in told.transduction_)


def test_whole_numbers_stay_whole_beside_a_missing_one():
    for y in (
        pl.Series([3, None, 7]),
        pa.array([3, None, 7]),
        pd.Series([3, pd.NA, 7], dtype="Int64"),
    ):
        assert encode(y)[1].dtype.kind == "i"


def test_a_class_may_be_minus_one_if_another_mark_is_named():
    codes, classes = encode(np.array([-1, 1, 0]), unlabeled=0)
    assert classes.tolist() == [-1, 1] and codes.tolist() == [0, 1, -1]
    codes, classes = encode(np.array([-1, 1, 1]), unlabeled=None)
    assert classes.tolist() == [-1, 1] and codes.tolist() == [0, 1, 1]


def test_truth_values_and_texts_have_no_mark():
    assert encode(np.array([True, False]))[0].tolist() == [1, 0]
    assert encode(np.array(["-1", "a"]))[0].tolist() == [0, 1]
    assert encode(np.array(["?", "a"]), unlabeled="?")[0].tolist() == [-1, 0]


@pytest.mark.parametrize(
    ("y", "says"),
    [
        (None, "requires y"),
        ([-1, -1, -1], "no label to learn from"),
        ([0.5, 1.7, 2.9], "Unknown label type"),
        (np.array(["a", 3, "b"], dtype=object), "use one type"),
        (np.array([1j, 2j, 3j]), "Complex data"),
        (np.array([1.0, np.inf, 2.0]), "infinity"),
    ],
)
def test_what_is_no_label(y, says):
    with pytest.raises(ValueError, match=says):
        encode(y)
