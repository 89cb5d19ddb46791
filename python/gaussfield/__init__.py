"""Learn from a few labels and many unlabelled points.

Points become a weighted graph, the graph a Laplacian, the labels a boundary condition on it. The
estimators follow scikit-learn; an unlabelled point has the label ``-1``, ``None``, ``NaN`` or
``pandas.NA``, by the type of ``y``.

>>> from gaussfield import HarmonicClassifier
>>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
>>> y = ["low", None, None, None, None, "high"]
>>> HarmonicClassifier().fit(X, y).transduction_.tolist()
['low', 'low', 'low', 'high', 'high', 'high']
"""

from . import plot
from ._audit import LabelAudit
from ._classifiers import (
    GraphGPClassifier,
    HarmonicClassifier,
    HarmonicMixtureClassifier,
    WarpedGPClassifier,
)
from ._gaussfield import __version__
from ._regressor import HarmonicRegressor

__all__ = [
    "GraphGPClassifier",
    "HarmonicClassifier",
    "HarmonicMixtureClassifier",
    "HarmonicRegressor",
    "LabelAudit",
    "WarpedGPClassifier",
    "__version__",
    "plot",
]
