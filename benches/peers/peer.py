"""One run of one peer in a process of its own, told as one line of JSON.

    peer.py neighbours PEER FOLDER SET
    peer.py solve PEER FOLDER SET
    peer.py labels PEER FOLDER SET SECONDS FIRST    the splits from FIRST on that begin within so many seconds

After each split a line is printed with all figures so far; the last line counts. `seconds` and `cpu` are those of the work alone, without loading and imports; `peak_mib` is the most memory
held during it, interpreter and data included.
"""
import json
import sys
import time
import warnings

import numpy as np

K = 10
RATES = (1, 2, 5, 10)
CHECKED = 2000


class Work:
    """Wall and processor seconds, and the most memory held."""

    def __enter__(self):
        try:
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
        except OSError:
            pass  # the peak then is that of the whole process
        self.wall, self.cpu = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_):
        self.wall, self.cpu = time.perf_counter() - self.wall, time.process_time() - self.cpu

    def told(self, **more):
        return {"seconds": self.wall, "cpu": self.cpu, "peak_mib": peak_mib(), **more}


def peak_mib():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


class Set:
    def __init__(self, folder, name):
        self.at = f"{folder}/{name}"
        self.truth = np.load(f"{self.at}-truth.npy")
        self.classes = int(self.truth.max()) + 1

    def points(self):
        return np.load(f"{self.at}-points.npy")

    def graph(self):
        import scipy.sparse as sp

        i, j, w = np.load(f"{self.at}-edges.npy").T
        half = sp.coo_matrix((w, (i.astype(np.int32), j.astype(np.int32))), shape=(len(self.truth),) * 2)
        return (half + half.T).tocsr()

    def labelled(self, rate, split):
        return np.load(f"{self.at}-labelled-{rate}.npy")[split]

    def splits(self):
        return len(np.load(f"{self.at}-labelled-{RATES[0]}.npy"))

    def accuracy(self, predicted, labelled):
        hidden = np.ones(len(self.truth), bool)
        hidden[labelled] = False
        return float((predicted[hidden] == self.truth[hidden]).mean())


# Neighbours: lists of K others for every point.

def without_self(found):
    keep = found != np.arange(len(found))[:, None]
    keep[keep.all(1), -1] = False
    return found[keep].reshape(len(found), -1)


def faiss_flat(data):
    import faiss

    points = data.points()
    with Work() as work:
        index = faiss.IndexFlatL2(points.shape[1])
        index.add(points)
        found = index.search(points, K + 1)[1]
    return work, without_self(found)


def sklearn_brute(data):
    from sklearn.neighbors import NearestNeighbors

    points = data.points()
    with Work() as work:
        search = NearestNeighbors(n_neighbors=K, algorithm="brute", n_jobs=-1).fit(points)
        found = search.kneighbors(return_distance=True)[1]
    return work, found


def pynndescent(warm):
    def run(data):
        points = data.points()
        if warm:
            from pynndescent import NNDescent
            NNDescent(points[:2000], n_neighbors=K + 1, random_state=0).neighbor_graph
        with Work() as work:
            from pynndescent import NNDescent
            found = NNDescent(points, n_neighbors=K + 1, random_state=0).neighbor_graph[0]
        return work, without_self(found)
    return run


def neighbours(run, data):
    work, found = run(data)
    told = work.told()
    exact = np.load(f"{data.at}-neighbours.npy")
    rows = np.linspace(0, len(exact) - 1, min(CHECKED, len(exact))).astype(int)
    shared = [len(np.intersect1d(found[row], exact[row])) for row in rows]
    return {**told, "recall": float(np.mean(shared) / K)}


# The harmonic function of ten classes, ten labels each.

def system(graph, labelled, truth):
    import scipy.sparse as sp

    shown = np.zeros(graph.shape[0], bool)
    shown[labelled] = True
    hidden = np.flatnonzero(~shown)
    labels = np.eye(int(truth.max()) + 1)[truth[labelled]]
    laplacian = (sp.diags(np.asarray(graph.sum(1)).ravel()) - graph).tocsr()
    right = np.ascontiguousarray(graph[hidden][:, labelled] @ labels)
    return hidden, laplacian[hidden][:, hidden].tocsr(), right


def conjugate_gradients(preconditioner):
    def run(graph, labelled, truth):
        import scipy.sparse as sp
        import scipy.sparse.linalg as solvers
        if preconditioner == "multigrid":
            import pyamg
        with Work() as work:
            hidden, matrix, right = system(graph, labelled, truth)
            if preconditioner == "multigrid":
                inverse = pyamg.smoothed_aggregation_solver(matrix).aspreconditioner(cycle="V")
            else:
                inverse = sp.diags(1 / matrix.diagonal())
            field = np.zeros_like(right)
            for c in range(right.shape[1]):
                field[:, c] = solvers.cg(matrix, right[:, c], rtol=1e-6, atol=0, maxiter=20000, M=inverse)[0]
        return work, hidden, field
    return run


def graphlearning_laplace(graph, labelled, truth):
    import graphlearning

    with Work() as work:
        model = graphlearning.ssl.laplace(graph)
        model.fit(labelled, truth[labelled])
    hidden = np.setdiff1d(np.arange(len(truth)), labelled)
    return work, hidden, model.prob[hidden]


def solve(run, data):
    graph, labelled = data.graph(), data.labelled(10, 0)
    work, hidden, field = run(graph, labelled, data.truth)
    told = work.told()
    same, matrix, right = system(graph, labelled, data.truth)
    # The worst class, as gaussfield tells it.
    residual = np.linalg.norm(matrix @ field - right, axis=0) / np.linalg.norm(right, axis=0)
    predicted = data.truth.copy()
    predicted[hidden] = field.argmax(1)
    assert (same == hidden).all()
    return {**told, "residual": float(residual.max()), "accuracy": data.accuracy(predicted, labelled)}


# Accuracy on all splits: a fit from the rows shown, as often as asked.

def graphlearning(model, told_priors=False, sees_points=False, **options):
    def prepare(data):
        import graphlearning

        graph, truth = data.graph(), data.truth
        more = dict(options)
        if told_priors:
            more["class_priors"] = np.bincount(truth) / len(truth)
        if sees_points:
            more["X"] = data.points().astype(float)
        return lambda shown: getattr(graphlearning.ssl, model)(graph, **more).fit_predict(shown, truth[shown])
    return prepare


def sklearn_own_graph(model):
    """The graph that kernel="knn" makes, which a fit would search for anew each time."""
    def prepare(data):
        import sklearn.semi_supervised as methods
        from sklearn.neighbors import kneighbors_graph

        points, truth = data.points(), data.truth
        graph = kneighbors_graph(points, K, mode="connectivity", include_self=True, n_jobs=-1)

        def fit(shown):
            labels = np.full(len(truth), -1)
            labels[shown] = truth[shown]
            # A copy, as a fit normalises what it gets where it lies.
            return getattr(methods, model)(kernel=lambda *_: graph.copy()).fit(points, labels).transduction_
        return fit
    return prepare


def labels(prepare, data, seconds, first):
    fit = prepare(data)
    begun = time.perf_counter()
    found = {str(rate): [] for rate in RATES}
    for split in range(first, data.splits()):
        if time.perf_counter() - begun > seconds:
            break
        for rate in RATES:
            shown = data.labelled(rate, split)
            found[str(rate)].append(data.accuracy(np.asarray(fit(shown)), shown))
        tell({"seconds": time.perf_counter() - begun, "accuracies": found})


def tell(told):
    print("\n" + json.dumps(told), flush=True)


NEIGHBOURS = {"faiss-flat": faiss_flat, "sklearn-brute": sklearn_brute,
              "pynndescent-warm": pynndescent(True), "pynndescent-cold": pynndescent(False)}
SOLVE = {"scipy-jacobi": conjugate_gradients("jacobi"), "pyamg": conjugate_gradients("multigrid"),
         "graphlearning": graphlearning_laplace}
LABELS = {"graphlearning-laplace": graphlearning("laplace"),
          "graphlearning-laplace-poisson": graphlearning("laplace", reweighting="poisson"),
          "graphlearning-laplace-properly": graphlearning("laplace", reweighting="properly", sees_points=True),
          "graphlearning-poisson": graphlearning("poisson"),
          "graphlearning-poisson-mbo": graphlearning("poisson_mbo", told_priors=True),
          "sklearn-propagation": sklearn_own_graph("LabelPropagation"),
          "sklearn-spreading": sklearn_own_graph("LabelSpreading")}


def main():
    stage, peer, folder, name = sys.argv[1:5]
    warnings.simplefilter("ignore")
    data = Set(folder, name)
    if stage == "neighbours":
        tell(neighbours(NEIGHBOURS[peer], data))
    elif stage == "solve":
        tell(solve(SOLVE[peer], data))
    else:
        labels(LABELS[peer], data, float(sys.argv[5]), int(sys.argv[6]))


if __name__ == "__main__":
    main()
