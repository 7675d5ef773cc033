"""What the project writes itself, beside the library that could do it: docs/decisions/libraries.md.

Processor time, best of five, in milliseconds: the SVM of shared kernels beside LinearSVC with a
tight tolerance, and hitting sets of least cost beside an integer program.
"""

from collections.abc import Callable, Iterator
from time import process_time
from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.svm import LinearSVC

from benchmarks._row import Row
from shoal.discover.covers._hitting import Budget, minimal_only, smallest_hitting_set
from shoal.federated.kernels._newton_svm import newton_svm

PLANES = ((200, 5), (2_000, 7), (20_000, 20), (100_000, 20))
NODES = 50_000
FAMILIES = ((12, 60), (20, 200), (30, 400))


def main(quick: bool = False) -> Iterator[Row]:
    for n_rows, n_components in PLANES[:2] if quick else PLANES:
        yield plane(n_rows, n_components)
    for n_attributes, n_sets in FAMILIES[:2] if quick else FAMILIES:
        yield family(n_attributes, n_sets)


def plane(n_rows: int, n_components: int) -> Row:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, n_components))
    signs = np.where(rows[:, 0] + rng.normal(size=n_rows) > 0, 1.0, -1.0)
    peer = LinearSVC(C=0.5, dual=False, tol=1e-10, max_iter=100_000)
    ours = _milliseconds(lambda: newton_svm(rows, signs, 1.0))
    theirs = _milliseconds(lambda: peer.fit(rows, signs))
    return Row(f"SVM {n_rows:,} x {n_components}", ours, theirs, "LinearSVC, tol 1e-10", "ms")


def family(n_attributes: int, n_sets: int) -> Row:
    """Ten random families of sets of up to half of the attributes, all of one cost."""
    ours = theirs = 0.0
    proved = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        flags = np.zeros((n_sets, n_attributes))
        for row in flags:
            row[rng.choice(n_attributes, rng.integers(4, n_attributes // 2 + 1), replace=False)] = 1
        masks = minimal_only([sum(1 << int(j) for j in np.flatnonzero(row)) for row in flags])
        costs = [1.0] * n_attributes
        began = process_time()
        proved += smallest_hitting_set(masks, costs, Budget(NODES))[1]
        ours += 1000 * (process_time() - began)
        theirs += _milliseconds(lambda f=flags, c=costs: _program(f, c), 1)
    what = f"hitting set of least cost, {n_attributes} x {n_sets}"
    return Row(what, ours / 10, theirs / 10, "scipy milp", "ms", f"{proved} of 10 proved")


def _program(flags: Any, costs: Any) -> Any:
    whole = np.ones(len(costs))
    return milp(costs, constraints=LinearConstraint(flags, lb=1), bounds=Bounds(0, 1),
                integrality=whole)  # fmt: skip


def _milliseconds(work: Callable[[], Any], repeats: int = 5) -> float:
    found = []
    for _ in range(repeats):
        began = process_time()
        work()
        found.append(1000 * (process_time() - began))
    return min(found)
