"""How far long work is, on a bar of tqdm where it is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Heard = Callable[[str, int, "int | None"], None]


@contextmanager
def progress(verbose: Any) -> Iterator[Heard | None]:
    """A callback for the compiled module, or None where nothing is to be shown."""
    if callable(verbose):
        yield verbose
        return
    if not verbose:
        yield None
        return
    shown = _Bars() if _tqdm() is not None else _Lines()
    try:
        yield shown.hear
    finally:
        shown.close()


def _tqdm() -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm


class _Bars:
    """One bar for each stage."""

    def __init__(self) -> None:
        self.stage: str | None = None
        self.bar: Any = None

    def hear(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self.close()
            self.stage, self.bar = stage, _tqdm()(desc=stage, total=total, leave=False)
        self.bar.update(done - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


class _Lines:
    """One line for each stage."""

    def __init__(self) -> None:
        self.stage: str | None = None

    def hear(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self.stage = stage
            print(f"gaussfield: {stage}", file=sys.stderr)

    def close(self) -> None:
        pass
