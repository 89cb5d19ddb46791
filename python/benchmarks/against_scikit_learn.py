"""Side by side with LabelPropagation and LabelSpreading: accuracy, time, memory, overhead.

    python python/benchmarks/against_scikit_learn.py accuracy --out FILE [--usps FOLDER] [--draws N] [--all-pairs N]
    python python/benchmarks/against_scikit_learn.py table --out FILE
    python python/benchmarks/against_scikit_learn.py time [--points N] [--jobs N] [--rounds N]
    python python/benchmarks/against_scikit_learn.py default [--points N] [--jobs N] [--limit SECONDS]
    python python/benchmarks/against_scikit_learn.py imports [--draws N]
    python python/benchmarks/against_scikit_learn.py memory [--points N]
    python python/benchmarks/against_scikit_learn.py overhead [--points N]

Accuracy: the same labels for all, drawn by seeds 0, 1, …; the others are tuned by grid on the very
points that judge them (the best of the grid counts), ours runs at its defaults. Every share of right
rows is a line of FILE as soon as it is known, and what FILE has already is not computed again; `table`
shows what is there. FOLDER holds images.npy and labels.npy of USPS.

The others get a matrix that was computed once for all draws, the same that they would compute; on USPS
only graphs of neighbours, because a fit with all pairs takes up to minutes there. With --all-pairs N
LabelSpreading gets these as well, for the first N draws, as a problem of its own. With --rivals "α=0.99"
a run has only the part of the grid that the best of every row of former runs was in.

How it is judged, said before the run: what is claimed is "at least as accurate as the best of the grid",
for every problem and number of labels by itself. The best is the rival with the largest mean over the
draws, on the rows that judge. What counts is the difference in each draw, of which mean and standard error
are taken:

    better          the mean is two standard errors above 0, or more
    as good         the mean is at least 0
    not told apart  the mean is below 0 by less than two standard errors: the claim is not shown
    worse           the mean is below 0 by two standard errors or more: the claim is wrong
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import gaussfield.semi_supervised
import numpy as np
import sklearn.semi_supervised
from gaussfield import HarmonicClassifier
from sklearn.datasets import load_digits, make_blobs
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import NearestNeighbors
from sklearn.semi_supervised import LabelPropagation, LabelSpreading
from threadpoolctl import threadpool_limits

warnings.filterwarnings("ignore")

PER_CLASS = (1, 2, 5, 10)
RBF = [1.0, 10.0, 30.0, 100.0]  # gamma, on features brought to a mean squared distance of one
KNN = [5, 7, 10, 20]
ALPHA = [0.2, 0.8, 0.99]


def neighbours(scaled):
    for k in KNN:
        near = NearestNeighbors(n_neighbors=k).fit(scaled)
        yield f"{k} neighbours", near.kneighbors_graph(scaled, k, mode="connectivity")


def all_pairs(scaled):
    for gamma in RBF:
        yield f"RBF γ={gamma:g}", rbf_kernel(scaled, gamma=gamma)


def grid(kernels, propagation: bool = True):
    """Every rival with its name, on matrices that are computed once."""
    for kernel, matrix in kernels:
        # They write into what they are given.
        own = {"kernel": lambda X, Y, matrix=matrix: matrix.copy()}
        if propagation:
            yield f"LabelPropagation, {kernel}", LabelPropagation(max_iter=1000, **own)
        for alpha in ALPHA:
            name = f"LabelSpreading, {kernel}, α={alpha}"
            yield name, LabelSpreading(alpha=alpha, max_iter=100, **own)


def labels(truth, per_class, seed):
    draw = np.random.default_rng(seed)
    y = np.full(len(truth), -1)
    for c in np.unique(truth):
        y[draw.choice(np.flatnonzero(truth == c), per_class, replace=False)] = c
    return y


def scaled(X):
    """Brought to a mean squared distance of one."""
    middle = X - X.mean(axis=0)
    return middle / np.sqrt(2.0 * (middle**2).sum(axis=1).mean())


def problems(options):
    """Name, rows, classes, rivals and how many draws."""
    X, truth = load_digits(return_X_y=True)
    own = scaled(X)
    rivals = [*grid(neighbours(own)), *grid(all_pairs(own))]
    yield "digits", X, truth, rivals, options.draws
    if options.usps:
        folder = Path(options.usps)
        X = np.load(folder / "images.npy").reshape(-1, 256).astype(np.float64)
        truth, own = np.load(folder / "labels.npy").astype(int).ravel(), scaled(X)
        yield "USPS", X, truth, grid(neighbours(own)), options.draws
        # One matrix of 1 GB at a time.
        for kernel in all_pairs(own) if options.all_pairs else ():
            yield "USPS, all pairs", X, truth, grid([kernel], False), options.all_pairs


OURS = "HarmonicClassifier()"


def accuracy(options):
    there = set(known(options.out))
    for name, X, truth, rivals, draws in problems(options):
        own = scaled(X)
        models = [(OURS, X, HarmonicClassifier())]
        models += [(rival, own, model) for rival, model in rivals if options.rivals in rival]
        # Draws outermost: a run that is stopped has as many of every model.
        for seed, per_class in itertools.product(range(draws), PER_CLASS):
            y = labels(truth, per_class, seed)
            for model_name, rows, model in models:
                key = (name, per_class, seed, model_name)
                if key not in there:
                    right = model.fit(rows, y).transduction_ == truth
                    there.add(key)
                    with open(options.out, "a", encoding="utf-8") as out:
                        share = round(float(right[y < 0].mean()), 6)
                        print(json.dumps([*key, share], ensure_ascii=False), file=out)
    table(options)


def known(path):
    """What a file has: the share of right rows by data, labels a class, draw and model."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return {tuple(row[:-1]): row[-1] for row in rows}


def table(options):
    """Draws of which every model is known."""
    shares = {}
    for (name, per_class, seed, model), share in known(options.out).items():
        shares.setdefault((name, per_class), {}).setdefault(model, {})[seed] = share
    print("| data | labels a class | draws | HarmonicClassifier() | best of the grid | which | ", end="")
    print("difference, draw by draw | ahead | verdict |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (name, per_class), models in shares.items():
        draws = sorted(set.intersection(*(set(found) for found in models.values())))
        means = {model: np.mean([found[d] for d in draws]) for model, found in models.items()}
        best = max((model for model in models if model != OURS), key=lambda model: means[model])
        ours, theirs = (np.array([models[model][d] for d in draws]) for model in (OURS, best))
        row = [name, per_class, len(draws), shown(ours), shown(theirs), best]
        row += [shown(ours - theirs), int((ours > theirs).sum()), verdict(ours - theirs)]
        print("|", " | ".join(map(str, row)), "|", flush=True)


def standard_error(shares):
    return np.std(shares, ddof=1) / np.sqrt(len(shares)) if len(shares) > 1 else float("nan")


def shown(shares):
    return f"{100 * np.mean(shares):.2f} ± {100 * standard_error(shares):.2f} %"


def verdict(differences):
    """By the rule above; one draw alone has no standard error."""
    mean, error = np.mean(differences), standard_error(differences)
    if mean >= 0.0:
        return "better" if mean > 0.0 and mean >= 2.0 * error else "as good"
    return "worse" if mean <= -2.0 * error else "not told apart"


def blobs(n, d=16, seed=0):
    X, truth = make_blobs(n, n_features=d, centers=10, cluster_std=3.0, random_state=seed)
    return X, truth, labels(truth, 10, seed)


def timing(options):
    """All in turn, round by round, so that what else the machine does falls on all alike."""
    X, truth, y = blobs(options.points)
    jobs = options.jobs
    print(f"{options.points} points × {X.shape[1]}, ten classes, ten labels each, {jobs} threads")
    models = {
        OURS: HarmonicClassifier(n_jobs=jobs),
        'HarmonicClassifier("harmonic")': HarmonicClassifier("harmonic", n_jobs=jobs),
        "LabelPropagation(knn)": LabelPropagation(kernel="knn", max_iter=1000, n_jobs=jobs),
        "LabelSpreading(knn)": LabelSpreading(kernel="knn", n_jobs=jobs),
    }
    took = {name: [] for name in models}
    with threadpool_limits(jobs):
        for _ in range(options.rounds):
            for name, model in models.items():
                took[name].append(seconds(model, X, y))
    for name, model in models.items():
        rounds = ", ".join(f"{one:.2f}" for one in took[name])
        ratio = np.median(took[name]) / np.median(took[OURS])
        share = (model.transduction_ == truth)[y < 0].mean()
        print(f"{name}: {rounds} s, median {ratio:.1f} × ours, {100 * share:.2f} % right")


def seconds(model, X, y):
    started = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - started


DEFAULT = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
Path("/proc/self/oom_score_adj").write_text("1000")
from against_scikit_learn import near_one, threadpool_limits, seconds
X, truth, y = near_one(int(sys.argv[2]))
if sys.argv[4] == "gaussfield":
    from gaussfield.semi_supervised import LabelPropagation
else:
    from sklearn.semi_supervised import LabelPropagation
with threadpool_limits(int(sys.argv[3])):
    model = LabelPropagation()
    took = seconds(model, X, y)
share = (model.transduction_ == truth)[y < 0].mean()
print(f"{took:.2f} s, {100 * share:.2f} % right, {model.n_iter_} iterations")
"""


def near_one(n):
    """The blobs on a scale where γ = 20 tells neighbours from others: it is 1 / (the mean squared
    distance to the seventh neighbour)."""
    X, truth, y = blobs(n)
    some = X[:2000]
    far = NearestNeighbors(n_neighbors=8).fit(X).kneighbors(some)[0][:, 7]
    return X / np.sqrt(20.0 * (far**2).mean()), truth, y


def default(options):
    """LabelPropagation() of both, by its import, on features that suit its default gamma. The matrix of
    all pairs takes 8 n² bytes: 12 GiB for 40,000 points, 19 for 50,000."""
    print(f"LabelPropagation(), {options.points} points, {options.jobs} threads")
    for whose in ("gaussfield", "sklearn"):
        here = str(Path(__file__).parent)
        words = [here, str(options.points), str(options.jobs), whose]
        try:
            told = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", DEFAULT, *words],
                timeout=options.limit,
                capture_output=True,
                text=True,
            )
            failed = f"ended with {told.returncode} {told.stderr[-500:]}"
            print(f"{whose}: {told.stdout.strip() or failed}", flush=True)
        except subprocess.TimeoutExpired:
            print(f"{whose}: not finished after {options.limit:.0f} s", flush=True)


PROGRAMS = [
    ("LabelPropagation", {}),
    ("LabelPropagation", {"kernel": "knn"}),
    ("LabelPropagation", {"kernel": "rbf", "gamma": 5.0}),
    ("LabelSpreading", {}),
    ("LabelSpreading", {"kernel": "knn", "alpha": 0.8}),
]


def imports(options):
    """The same calls with scikit-learn's import and with ours: digits between 0 and 1."""
    X, truth = load_digits(return_X_y=True)
    X = X / 16.0
    print("| call | labels a class | right | scikit-learn | fit | scikit-learn |")
    print("|---|---|---|---|---|---|")
    for (name, given), per_class in itertools.product(PROGRAMS, (2, 10)):
        found = {module: [] for module in (gaussfield.semi_supervised, sklearn.semi_supervised)}
        with threadpool_limits(options.jobs):
            for seed, module in itertools.product(range(options.draws), found):
                y, model = labels(truth, per_class, seed), getattr(module, name)(**given)
                took = seconds(model, X, y)
                found[module].append(((model.transduction_ == truth)[y < 0].mean(), took))
        ours, theirs = (np.array(rows).T for rows in found.values())
        call = f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"
        times = [f"{1000 * np.median(one[1]):.0f} ms" for one in (ours, theirs)]
        row = [call, per_class, shown(ours[0]), shown(theirs[0]), *times]
        print("|", " | ".join(map(str, row)), "|", flush=True)


PEAK = """
import sys, numpy as np
def high():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
from gaussfield import HarmonicClassifier, _gaussfield
n, what = int(sys.argv[1]), sys.argv[2]
X = np.random.default_rng(0).normal(size=(n, 32))
y = np.full(n, -1); y[:100] = np.arange(100) % 10
before = high()
if what == "array":
    X = X.copy(); X.sum()
elif what == "plan":
    _gaussfield.Problem(X, y, [str(i) for i in range(10)]).plan()
else:
    HarmonicClassifier("harmonic", scale="mean").fit(X, y)
print(f"{what}: {before:.0f} MiB before, {high() - before:.0f} MiB more at the peak")
"""


def memory(options):
    print(f"{options.points} × 32 float64: {options.points * 32 * 8 / 2**20:.0f} MiB")
    for what in ("array", "plan", "fit"):
        subprocess.run([sys.executable, "-c", PEAK, str(options.points), what], check=True)


def overhead(options):
    """The share of a fit that is spent outside of the compiled calls."""
    import gaussfield._base as base

    spent = []

    class Watch:
        """Stands for the compiled module, its model and all else it gives."""

        def __init__(self, inner):
            self.inner = inner

        def __getattr__(self, name):
            inner = getattr(self.inner, name)
            if not callable(inner):
                return inner

            def timed(*arguments):
                started = time.perf_counter()
                out = inner(*arguments)
                spent.append(time.perf_counter() - started)
                return Watch(out) if type(out).__module__.startswith("gaussfield") else out

            return timed

    X, _, y = blobs(options.points)
    HarmonicClassifier().fit(X[:500], y[:500].clip(0, 1))  # what is imported at first use
    for _ in range(options.rounds):
        compiled, base._gaussfield = base._gaussfield, Watch(base._gaussfield)
        spent.clear()
        whole = seconds(HarmonicClassifier(), X, y)
        base._gaussfield = compiled
        outside = whole - sum(spent)
        print(
            f"{options.points} points, fit of {whole:.3f} s: {1000 * outside:.2f} ms outside of "
            f"compiled calls, {100 * outside / whole:.2f} %"
        )


RUN = {
    "accuracy": accuracy,
    "table": table,
    "time": timing,
    "default": default,
    "imports": imports,
    "memory": memory,
    "overhead": overhead,
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(RUN))
    parser.add_argument("--out", default="accuracy.jsonl")
    parser.add_argument("--usps", default=os.environ.get("USPS"))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--all-pairs", type=int, default=0)
    parser.add_argument("--points", type=int, default=None)
    parser.add_argument("--rivals", default="", help="only those of the grid with this in their name")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=280.0)
    options = parser.parse_args()
    usual = {"time": 50_000, "default": 40_000, "memory": 200_000, "overhead": 40_000}
    options.points = options.points or usual.get(options.what)
    RUN[options.what](options)


if __name__ == "__main__":
    main()
