"""Runs every notebook beside it, or those named, from top to bottom; keeps nothing."""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    paths = [HERE / name for name in names] or sorted(HERE.glob("*.ipynb"))
    for path in paths:
        started = time.perf_counter()
        NotebookClient(
            nbformat.read(path, as_version=4), timeout=300, kernel_name="python3"
        ).execute()
        print(f"{path.name}: {time.perf_counter() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
