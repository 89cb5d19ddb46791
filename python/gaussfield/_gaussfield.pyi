"""The compiled half of the package."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__version__: str

_Whole = NDArray[np.int32] | NDArray[np.int64]
_Csr = tuple[_Whole, _Whole, NDArray[np.float64], int]
_Rows = NDArray[np.float64] | NDArray[np.float32] | _Csr
_Heard = Callable[[str, int, int | None], None] | None
_Choices = list[tuple[str, str, str]]
_Found = tuple[NDArray[np.float64], list[int], float, tuple[str, int, float]]

def interpolate(
    x: _Rows | _Graph,
    nodes: Sequence[int],
    values: NDArray[np.float64],
    k: int,
    metric: str,
    scale: float | None,
    fill: bool,
    threads: int = 1,
    heard: _Heard = None,
) -> _Found: ...
def at_new_points(
    x: _Rows,
    values: NDArray[np.float64],
    new: _Rows,
    k: int,
    metric: str,
    scale: float,
    threads: int = 1,
) -> NDArray[np.float64]: ...

class _Graph(Protocol):
    @property
    def weights(self) -> _Csr: ...

class Problem:
    """Points or a graph, of which some have a label."""

    def __init__(self, x: _Rows | _Graph, codes: NDArray[np.int64], names: list[str]) -> None: ...
    def plan(self, threads: int = 1) -> tuple[str, _Choices]: ...
    def fit(self, description: str, threads: int = 1, heard: _Heard = None) -> Model: ...

class Model:
    """A description that was run."""

    def description(self) -> str: ...
    def facts(self) -> list[tuple[str, Any]]: ...
    def scores(self) -> NDArray[np.float64]: ...
    def probabilities(self) -> NDArray[np.float64]: ...
    def decided(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
    def islands(self) -> list[int]: ...
    def multipliers(self) -> list[float] | None: ...
    def predict(self, x: _Rows, threads: int = 1) -> NDArray[np.float64]: ...
    def audit(
        self, noise: float, threads: int = 1
    ) -> list[tuple[int, int, int, float, float, str]]: ...
    def query(
        self, criterion: str, batch: int, candidates: int, threads: int = 1
    ) -> list[tuple[int, float | None, int | None]]: ...
    def validate(
        self, repeats: int, share: float, seed: int, threads: int = 1
    ) -> list[tuple[str, float, float | None]]: ...
    def graph(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def embedding(self, dimensions: int, threads: int = 1) -> NDArray[np.float64]: ...
