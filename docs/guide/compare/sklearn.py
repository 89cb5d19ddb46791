"""The program against scikit-learn's two graph methods, on the same labels.

    python3 -m venv env && env/bin/pip install numpy scipy scikit-learn
    cargo build --release -p gaussfield-cli
    env/bin/python docs/guide/compare/sklearn.py target/release/gaussfield DATA [SETS [DRAWS [METHOD]]]

DATA is the folder of the data catalogue (`usps/images.npy`, `optdigits/optdigits.tra`, ...). For 1, 2,
5 and 10 labels of each digit and several draws it tells accuracy, log loss and expected calibration
error (ten bins) on the rows without a label. scikit-learn gets pixels in [0, 1], its defaults, and a grid
of which the entry with the least log loss is taken *with hindsight*, by the true classes: no honest search could do better.
Rows that it has no answer for (all zero) count as even. With METHOD, such as "LabelPropagation rbf 20",
only candidates of scikit-learn whose names begin so are run, and each draw is told.
"""
import csv, subprocess, sys, tempfile, time, warnings
from pathlib import Path
import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

warnings.filterwarnings("ignore")
RATES = (1, 2, 5, 10)


def load(folder, name):
    if name == "usps":
        images = np.load(folder / "usps/images.npy")
        return images.reshape(len(images), -1).astype(float), np.load(folder / "usps/labels.npy").astype(int).ravel()
    rows = np.vstack([np.loadtxt(folder / f"optdigits/optdigits.{end}", delimiter=",") for end in ("tra", "tes")])
    return rows[:, :-1], rows[:, -1].astype(int)


def draw(truth, count, seed):
    random, shown = np.random.default_rng(seed), -np.ones(len(truth), int)
    for digit in np.unique(truth):
        nodes = random.permutation(np.flatnonzero(truth == digit))[:count]
        shown[nodes] = digit
    return shown


def judge(scores, truth):
    scores = np.nan_to_num(scores)
    empty = scores.sum(1) <= 0
    scores[empty] = 1.0
    scores = scores / scores.sum(1, keepdims=True)
    best, sure = scores.argmax(1), scores.max(1)
    right = best == truth
    loss = -np.log(np.maximum(scores[np.arange(len(truth)), truth], 1e-12)).mean()
    bins = np.minimum((sure * 10).astype(int), 9)
    gaps = [abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).sum() for b in range(10) if (bins == b).any()]
    return right.mean(), loss, sum(gaps) / len(truth)


def ours(program, folder, table, shown):
    labels = folder / "labels.csv"
    with open(labels, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label"])
        writer.writerows([i + 1, digit] for i, digit in enumerate(shown) if digit >= 0)
    out, begun = folder / "out.csv", time.time()
    subprocess.run([program, "label", table, "--labels", labels, "-o", out, "--force", "-q"], check=True)
    taken = time.time() - begun
    with open(out) as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row[f"p_{c}"]) for c in range(10)] for row in rows]), taken


def candidates(points, dense):
    """Name, method and a kernel that is there already."""
    unit = points / points.max()
    fixed = {}
    for k in (5, 7, 10, 20):
        fixed["knn", k] = kneighbors_graph(unit, k, mode="connectivity", include_self=True)
    for gamma in dense:
        fixed["rbf", gamma] = rbf_kernel(unit, gamma=gamma)
    for (kind, value), kernel in fixed.items():
        default = (kind, value) == ("rbf", 20)
        given = lambda *_, kernel=kernel: kernel.copy()
        if kind == "knn" or default:
            most = 1000
            yield f"LabelPropagation {kind} {value}", default, lambda given=given: LabelPropagation(kernel=given, max_iter=most)
        for alpha in (0.2, 0.5, 0.8, 0.95, 0.99) if kind == "knn" else (0.2,):
            own = default and alpha == 0.2
            yield f"LabelSpreading {kind} {value} alpha {alpha}", own, lambda given=given, alpha=alpha: LabelSpreading(kernel=given, alpha=alpha, max_iter=30)


def one(folder, names, draws, method):
    """Candidates of a name, draw by draw."""
    for name in names:
        points, truth = load(Path(folder), name)
        for label, _, make in candidates(points, (20,)):
            if not label.startswith(method):
                continue
            for count in RATES:
                all_draws = []
                for seed in range(100, 100 + draws):
                    shown, begun = draw(truth, count, seed), time.time()
                    model = make().fit(points, shown)
                    rows = shown < 0
                    all_draws.append(judge(np.array(model.label_distributions_)[rows], truth[rows]))
                    told = "%.3f %.3f %.3f" % tuple(all_draws[-1])
                    print(f"{name} {label}, {count} labels, draw {seed}: {told}, {model.n_iter_} steps, {time.time() - begun:.0f} s", flush=True)
                print(f"{name} {label}, {count} labels, mean of {draws}: %.3f %.3f %.3f" % tuple(np.mean(all_draws, 0)), flush=True)


def main(program, folder, names, draws):
    for name in names:
        points, truth = load(Path(folder), name)
        found, seconds = {}, []
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            table = place / "rows.csv"
            header = ",".join(f"x{j}" for j in range(points.shape[1]))
            np.savetxt(table, points, delimiter=",", fmt="%g", header=header, comments="")
            for count in RATES:
                for seed in range(100, 100 + draws):
                    shown = draw(truth, count, seed)
                    scores, taken = ours(program, place, table, shown)
                    seconds.append(taken)
                    open_rows = shown < 0
                    found.setdefault(("gaussfield", count), []).append(judge(scores[open_rows], truth[open_rows]))
        print(name, f"gaussfield: {np.mean(seconds):.2f} s a run with reading, at most {max(seconds):.2f}", flush=True)
        defaults = set()
        for label, default, make in candidates(points, (20,) if len(points) > 10_000 else (20, 1, 0.1)):
            for count in RATES:
                for seed in range(100, 100 + draws):
                    shown = draw(truth, count, seed)
                    open_rows = shown < 0
                    scores = make().fit(points, shown).label_distributions_
                    found.setdefault((label, count), []).append(judge(np.array(scores)[open_rows], truth[open_rows]))
            if default:
                defaults.add(label)
            print(f"{name} {label}", " | ".join("%.3f %.3f %.3f" % tuple(np.mean(found[label, c], 0)) for c in RATES), flush=True)
        rows = ["gaussfield"] + sorted(defaults)
        for method in ("LabelPropagation", "LabelSpreading"):
            rows.append((f"{method}, best of the grid", method))
        print(f"\n{name}: accuracy, log loss, calibration error at 1 | 2 | 5 | 10 labels a digit, {draws} draws")
        for row in rows:
            cells = []
            for count in RATES:
                if isinstance(row, str):
                    cells.append(np.mean(found[row, count], 0))
                else:
                    mine = [np.mean(v, 0) for (label, c), v in found.items() if c == count and label.startswith(row[1])]
                    cells.append(min(mine, key=lambda m: m[1]))
            print(f"| {row if isinstance(row, str) else row[0]} | " + " | ".join("%.3f %.3f %.3f" % tuple(cell) for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    names = sys.argv[3].split(",") if len(sys.argv) > 3 else ["digits", "usps"]
    draws = int(sys.argv[4]) if len(sys.argv) > 4 else 5
    if len(sys.argv) > 5:
        one(sys.argv[2], names, draws, sys.argv[5])
    else:
        main(sys.argv[1], sys.argv[2], names, draws)
