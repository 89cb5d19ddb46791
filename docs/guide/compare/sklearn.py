"""The program against scikit-learn's two graph methods, on the same labels.

    python3 -m venv env && env/bin/pip install numpy scipy scikit-learn
    cargo build --release -p gaussfield-cli
    env/bin/python docs/guide/compare/sklearn.py target/release/gaussfield DATA [options]

DATA is the folder of the data catalogue (`usps/images.npy`, `optdigits/optdigits.tra`, ...). For so many
labels of each digit and several draws of them it tells accuracy, log loss and expected calibration error
(ten bins) on the rows without a label. scikit-learn gets pixels in [0, 1]. Its entries are

- the defaults of both methods: an RBF kernel of gamma 20 over all pairs; alpha 0.2 and 30 steps, or 1000;
- neighbours: k of 5, 7, 10, 20, 30; LabelSpreading at alpha 0.2, 0.5, 0.8, 0.9, 0.95, 0.99;
- RBF kernels over all pairs, gamma of 0.1, 0.3, 1, 3; LabelSpreading at alpha 0.2, 0.8, 0.99.

All pairs of many rows are slow, so those entries have fewer draws (--dense-draws), and beside their means
stands what gaussfield has on these draws alone. Of each method and kind three entries are shown, each
chosen *with hindsight*, by the true classes, which no honest search could do better: the most accurate,
the one of least log loss and the one of least calibration error. Rows that it has no answer for (all
zero) count as even.

How the outcome is judged, fixed before any run of this form: gaussfield is the more accurate one if its
mean accuracy is above that of every entry; the better calibrated one if its log loss is below that of
every entry, and its calibration error below that of both defaults and of the entries chosen by accuracy
and by log loss. An entry with a lower calibration error than gaussfield is shown whatever else it has.

Each trial goes to a file (--trials) as it ends, and a trial that is there is not run again.
"""
import argparse, csv, subprocess, tempfile, time, warnings
from pathlib import Path
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

warnings.filterwarnings("ignore")
MEASURES = ("accuracy", "loss", "calibration")
FIELDS = ("set", "entry", "labels", "seed", *MEASURES, "steps", "seconds")
NEIGHBOURS, GAMMAS, USUAL_GAMMA = (5, 7, 10, 20, 30), (0.1, 0.3, 1.0, 3.0), 20.0


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
    out = folder / "out.csv"
    subprocess.run([program, "label", table, "--labels", labels, "-o", out, "--force", "-q"], check=True)
    with open(out) as file:
        rows = list(csv.DictReader(file))
    return np.array([[float(row[f"p_{c}"]) for c in range(10)] for row in rows])


def methods(kind, value, kernel):
    """Names and models on a kernel that is there already; the kernel is the model's to change."""
    given = lambda *_: kernel.copy()
    if kind == "knn":
        alphas = (0.2, 0.5, 0.8, 0.9, 0.95, 0.99)
    else:
        alphas = (0.2,) if value == USUAL_GAMMA else (0.2, 0.8, 0.99)
    for alpha in alphas:
        yield f"LabelSpreading {kind} {value:g} alpha {alpha}", lambda alpha=alpha: LabelSpreading(kernel=given, alpha=alpha)
    yield f"LabelPropagation {kind} {value:g}", lambda: LabelPropagation(kernel=given)


class Trials:
    """What was run, by entry, labels and seed; kept in a file."""

    def __init__(self, path, name):
        self.path, self.name, self.kept = Path(path), name, {}
        if self.path.exists():
            with open(self.path) as file:
                for row in csv.DictReader(file):
                    if row["set"] == name:
                        key = row["entry"], int(row["labels"]), int(row["seed"])
                        self.kept[key] = tuple(float(row[field]) for field in MEASURES)
        else:
            self.path.write_text(",".join(FIELDS) + "\n")

    def run(self, entry, count, seed, truth, scores_of):
        if (entry, count, seed) in self.kept:
            return
        shown, begun = draw(truth, count, seed), time.time()
        scores, steps = scores_of(shown)
        rows, taken = shown < 0, time.time() - begun
        found = judge(np.array(scores)[rows], truth[rows])
        self.kept[entry, count, seed] = found
        line = [self.name, entry, count, seed, *("%.4f" % one for one in found), steps, "%.1f" % taken]
        with open(self.path, "a") as file:
            file.write(",".join(map(str, line)) + "\n")

    def means(self, count, seeds):
        """Entry and its means, of those that have all these draws."""
        names = {entry for entry, at, _ in self.kept if at == count}
        whole = {entry: [self.kept.get((entry, count, seed)) for seed in seeds] for entry in names}
        return {entry: np.mean(found, 0) for entry, found in whole.items() if None not in found}


def run_all(options, name, trials):
    points, truth = load(Path(options.data), name)
    seeds = range(options.first, options.first + options.draws)
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        table = place / "rows.csv"
        header = ",".join(f"x{j}" for j in range(points.shape[1]))
        np.savetxt(table, points, delimiter=",", fmt="%g", header=header, comments="")
        for count in options.rates:
            for seed in seeds if options.program != "-" else ():
                trials.run("gaussfield", count, seed, truth, lambda shown: (ours(options.program, place, table, shown), 0))
    unit = points / points.max()

    def both(kind, value, kernel, seeds, method=""):
        for entry, make in methods(kind, value, kernel):
            for count in options.rates:
                for seed in seeds if entry.startswith(method) else ():

                    def fit(shown):
                        model = make().fit(unit, shown)
                        return model.label_distributions_, model.n_iter_

                    trials.run(entry, count, seed, truth, fit)

    for k in NEIGHBOURS:
        both("knn", k, kneighbors_graph(unit, k, mode="connectivity", include_self=True), seeds)
    # LabelPropagation takes up to 1000 steps over all pairs: last, the larger gamma first.
    dense = seeds[: options.dense_draws]
    both("rbf", USUAL_GAMMA, rbf_kernel(unit, gamma=USUAL_GAMMA), dense)
    for gamma in GAMMAS:
        both("rbf", gamma, rbf_kernel(unit, gamma=gamma), dense, "LabelSpreading")
    for gamma in reversed(GAMMAS):
        both("rbf", gamma, rbf_kernel(unit, gamma=gamma), dense, "LabelPropagation")


def tell(name, trials, count, seeds, kinds):
    means = trials.means(count, seeds)
    if "gaussfield" not in means:
        return
    mine = means["gaussfield"]
    print(f"\n{name}, {count} labels a digit, {len(seeds)} draws: accuracy, log loss, calibration error")
    told = lambda row, found: print(f"| {row} | " + " | ".join("%.3f" % one for one in found) + " |")
    told("gaussfield", mine)
    shown = {}
    for entry, found in means.items():
        if entry in ("LabelSpreading rbf 20 alpha 0.2", "LabelPropagation rbf 20"):
            shown[entry] = found
            told(f"{entry}, the default", found)
    for method in ("LabelSpreading", "LabelPropagation"):
        for kind in kinds:
            rows = {entry: found for entry, found in means.items() if entry.startswith(f"{method} {kind}")}
            for measure, words in enumerate(("the most accurate", "of least log loss", "of least calibration error")):
                if rows:
                    best = min(rows, key=lambda entry: (-1 if measure == 0 else 1) * rows[entry][measure])
                    told(f"{best}, {words} of {len(rows)}", rows[best])
                    if measure < 2:
                        shown[best] = rows[best]
    others = [found for entry, found in means.items() if entry != "gaussfield"]
    if others:
        accurate = all(mine[0] > found[0] for found in others)
        calibrated = all(mine[1] < found[1] for found in others) and all(mine[2] < found[2] for found in shown.values())
        lower = [entry for entry, found in means.items() if found[2] < mine[2]]
        print(f"more accurate: {accurate}; better calibrated: {calibrated}; of {len(others)} entries, lower calibration error: {sorted(lower)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="gaussfield beside scikit-learn")
    parser.add_argument("program", help="- to run scikit-learn alone")
    parser.add_argument("data")
    parser.add_argument("--sets", default="digits,usps")
    parser.add_argument("--rates", default="1,2,5,10")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--dense-draws", type=int, default=1)
    parser.add_argument("--first", type=int, default=100, help="the seed of the first draw")
    parser.add_argument("--trials", default="sklearn-trials.csv")
    parser.add_argument("--tables", action="store_true", help="run nothing, show what is there")
    options = parser.parse_args()
    options.rates = [int(rate) for rate in options.rates.split(",")]
    for name in options.sets.split(","):
        trials = Trials(options.trials, name)
        if not options.tables:
            run_all(options, name, trials)
        seeds = range(options.first, options.first + options.draws)
        for count in options.rates:
            tell(name, trials, count, seeds, ("knn",))
            tell(name, trials, count, seeds[: options.dense_draws], ("knn", "rbf"))


if __name__ == "__main__":
    main()
