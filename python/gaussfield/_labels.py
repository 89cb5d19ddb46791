"""Labels of any type as class numbers, and which of them are none."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

_AUTO = "auto"


def encode(
    y: Any, unlabeled: Any = _AUTO, use: str = "learn from"
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Class numbers, -1 where there is no label, and the sorted classes."""
    if y is None:
        raise ValueError(
            "This estimator requires y to be passed, but the target y is None: give one label a row, "
            "and -1, None or NaN where there is none"
        )
    labels = column_or_1d(_array(y), warn=True)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: a class is a name or a whole number")
    missing = _missing(labels, unlabeled)
    known = labels[~missing]
    if not known.size:
        raise ValueError(
            f"there is no label to {use}: y has nothing but unlabelled points, or contains NaN, "
            "infinity and -1 only; give at least one point its class"
        )
    if known.dtype.kind == "f" and not np.isfinite(known).all():
        raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
    known = _of_one_type(known)
    check_classification_targets(known)
    classes, numbers = np.unique(known, return_inverse=True)
    codes = np.full(len(labels), -1, dtype=np.int64)
    codes[~missing] = numbers
    return codes, classes


def names_of(classes: NDArray[Any]) -> list[str]:
    """A text for each class, no two the same."""
    names = [str(name) for name in classes.tolist()]
    return names if len(set(names)) == len(names) else [repr(name) for name in classes.tolist()]


def _array(y: Any) -> NDArray[Any]:
    """As an array; types that have a missing value of their own become objects."""
    for plain in ("to_pylist", "to_list"):  # Arrow; pandas and polars
        if hasattr(y, plain) and not isinstance(getattr(y, "dtype", None), np.dtype):
            # Whole numbers beside a missing one stay whole.
            return _objects(getattr(y, plain)())
    labels = np.asarray(y)
    if isinstance(y, (list, tuple)) and labels.dtype.kind in "Uif":
        # NumPy makes one type of a mixture: of NaN or -1 beside texts a text, beside truth values a
        # number, and the mark would be a class.
        objects = _objects(y)
        kinds = {type(label) for label in objects.ravel().tolist()}
        plain = (str,) if labels.dtype.kind == "U" else (int, float, np.number)
        if any(not issubclass(kind, plain) or kind is bool for kind in kinds):
            return objects
    return labels


def _objects(labels: Any) -> NDArray[Any]:
    return np.asarray(labels, dtype=object)


def _of_one_type(known: NDArray[Any]) -> NDArray[Any]:
    """Objects that are numbers or truth values as an array of these; a mixture is refused."""
    if known.dtype.kind != "O":
        return known
    kinds = {type(label) for label in known.tolist()}
    if kinds == {str}:
        return known
    if all(issubclass(kind, (bool, np.bool_)) for kind in kinds):
        return known.astype(bool)
    if not any(issubclass(kind, (str, bool, np.bool_)) for kind in kinds):
        plain = np.asarray(known.tolist())
        return plain if plain.dtype.kind in "iuf" else known
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise ValueError(f"y mixes labels of the types {names}, which have no order: use one type")


def _pandas_na() -> Any:
    import sys

    pandas = sys.modules.get("pandas")
    return pandas.NA if pandas is not None else _AUTO


def _missing(labels: NDArray[Any], unlabeled: Any) -> NDArray[np.bool_]:
    """Which labels are none.

    By the type of y: whole numbers have -1, floating numbers NaN (or -1 where no NaN is), objects
    None, NaN, pandas.NA and the number -1, texts and truth values nothing. ``unlabeled`` names
    another mark for all of them, and ``unlabeled=None`` says that only missing values are.
    """
    kind = labels.dtype.kind
    if kind == "O":
        na = _pandas_na()
        absent = [_is_absent(label, na) for label in labels.tolist()]
        missing = np.fromiter(absent, dtype=bool, count=len(labels))
        if isinstance(unlabeled, str) and unlabeled == _AUTO:
            minus = [_is_minus_one(label) for label in labels.tolist()]
            return missing | np.fromiter(minus, dtype=bool, count=len(labels))
        return missing | _equal(labels, unlabeled)
    missing = np.isnan(labels) if kind == "f" else np.zeros(len(labels), dtype=bool)
    if not (isinstance(unlabeled, str) and unlabeled == _AUTO):
        return missing | _equal(labels, unlabeled)
    if kind == "i" or (kind == "f" and not missing.any()):
        return missing | (labels == -1)
    return missing


def _equal(labels: NDArray[Any], mark: Any) -> NDArray[np.bool_]:
    if mark is None:
        return np.zeros(len(labels), dtype=bool)
    same = [label == mark for label in labels.tolist()]
    return np.fromiter((one is True or one is np.True_ for one in same), bool, len(labels))


def _is_absent(label: Any, na: Any) -> bool:
    if label is None or label is na:
        return True
    # What is not equal to itself: NaN of any type, pandas.NaT.
    unequal = label != label
    return unequal is True or unequal is np.True_


def _is_minus_one(label: Any) -> bool:
    number = isinstance(label, (int, float, np.number)) and not isinstance(label, bool)
    return bool(number and label == -1)
