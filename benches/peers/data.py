"""Writes the data sets that gaussfield and its peers share.

    data.py FOLDER SET...        SET: digits, usps, mnist, sheets-10k, sheets-50k, sheets-200k, ...

For every set NAME, unless it is there: NAME-points.npy (float32), NAME-truth.npy, NAME-labelled-L.npy (a row
for each split: the points whose label is shown, L of every class), NAME-neighbours.npy (the ten nearest, exact) and NAME-edges.npy (i < j, weight): the graph that all solve on, exp(-d^2 / s^2) between
points of which either is among the ten nearest of the other, s the mean distance to the tenth.
USPS and MNIST are read from the folder that GAUSSFIELD_DATA names.
"""
import gzip
import os
import sys

import numpy as np
import scipy.sparse as sp

# On splits 0 to 9 methods were looked at while they were chosen; from 10 on they are for judging only.
K, SPLITS, RATES = 10, 20, (1, 2, 5, 10)


def sheets(n, seed=7, dim=32, classes=10, waves=8, noise=0.18, offset=0.04):
    """Ten curved three-dimensional sheets that cross in 32 dimensions: the same for every n."""
    shape, draw = np.random.default_rng(seed), np.random.default_rng(seed + 1)
    spread = shape.normal(size=(waves, dim)) / np.sqrt(waves)
    bends = [(shape.normal(size=(3, waves)), shape.uniform(0, 2 * np.pi, waves), shape.normal(size=dim) * offset)
             for _ in range(classes)]
    truth = np.arange(n) % classes
    points = np.empty((n, dim))
    for c, (bend, phase, centre) in enumerate(bends):
        own = np.flatnonzero(truth == c)
        place = draw.uniform(-1.5, 1.5, size=(len(own), 3))
        points[own] = np.sin(place @ bend + phase) @ spread + centre + noise * draw.normal(size=(len(own), dim))
    order = draw.permutation(n)
    return points[order], truth[order]


def digits():
    from sklearn.datasets import load_digits

    points, truth = load_digits(return_X_y=True)
    return points / 16.0, truth


def usps(folder):
    points = np.load(f"{folder}/usps/images.npy").reshape(-1, 256)
    return points / 255.0, np.load(f"{folder}/usps/labels.npy")


def mnist(folder):
    def idx(name):
        with gzip.open(f"{folder}/mnist/{name}.gz") as file:
            raw = file.read()
        shape = [int.from_bytes(raw[4 + 4 * i:8 + 4 * i], "big") for i in range(raw[3])]
        return np.frombuffer(raw, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)

    points = np.concatenate([idx("train-images-idx3-ubyte"), idx("t10k-images-idx3-ubyte")])
    truth = np.concatenate([idx("train-labels-idx1-ubyte"), idx("t10k-labels-idx1-ubyte")])
    return points.reshape(len(points), -1) / 255.0, truth


def load(name):
    if name == "digits":
        return digits()
    if name.startswith("sheets-"):
        return sheets(1000 * int(name[len("sheets-"):-1]))
    return {"usps": usps, "mnist": mnist}[name](os.environ["GAUSSFIELD_DATA"])


def neighbours(points):
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points)
    squares, found = index.search(points, K + 1)
    # A point is not its own neighbour; among duplicates it need not come first.
    keep = found != np.arange(len(points))[:, None]
    keep[keep.all(1), -1] = False
    shape = (len(points), K)
    return np.sqrt(np.maximum(squares[keep], 0)).astype(float).reshape(shape), found[keep].reshape(shape)


def write_splits(folder, name, truth):
    for rate in RATES:
        path = f"{folder}/{name}-labelled-{rate}.npy"
        if os.path.exists(path) and len(np.load(path)) >= SPLITS:
            continue
        splits = []
        for split in range(SPLITS):
            draw = np.random.default_rng(1000 * rate + split)
            own = [draw.choice(np.flatnonzero(truth == c), rate, replace=False) for c in np.unique(truth)]
            splits.append(np.concatenate(own))
        np.save(path, np.array(splits))


def write(folder, name):
    if os.path.exists(f"{folder}/{name}-edges.npy"):
        write_splits(folder, name, np.load(f"{folder}/{name}-truth.npy"))
        return
    points, truth = load(name)
    points = np.ascontiguousarray(points, dtype=np.float32)
    truth = np.asarray(truth, dtype=np.int64)
    write_splits(folder, name, truth)
    distances, found = neighbours(points)
    weights = np.exp(-(distances / distances[:, -1].mean()) ** 2)
    rows = np.repeat(np.arange(len(points)), K)
    directed = sp.csr_matrix((weights.ravel(), (rows, found.ravel())), shape=(len(points),) * 2)
    edges = sp.triu(directed.maximum(directed.T)).tocoo()
    np.save(f"{folder}/{name}-points.npy", points)
    np.save(f"{folder}/{name}-truth.npy", truth)
    np.save(f"{folder}/{name}-neighbours.npy", found.astype(np.int32))
    # The last file says that all are there.
    unfinished = f"{folder}/{name}-unfinished.npy"
    np.save(unfinished, np.column_stack([edges.row, edges.col, edges.data]))
    os.replace(unfinished, f"{folder}/{name}-edges.npy")


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for each in sys.argv[2:]:
        write(sys.argv[1], each)
