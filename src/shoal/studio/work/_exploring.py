"""Loss against risk over methods and k, point by point; and the lattice of full-domain."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from shoal.anonymize import FullDomain
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._registry import make_method
from shoal.errors import ShoalError
from shoal.privacy._words import read_promise
from shoal.report import measure_frontier
from shoal.schema import Schema
from shoal.studio.work._bench import Args, Bench, privacy_of, read_schema, suppression_of
from shoal.studio.work._registered import task
from shoal.tables._engine import Engine
from shoal.typing import Progress

_MOST_NODES = 3_000
_MEASURED = ("gcp", "discernibility", "groups", "average_group_size", "suppressed_rows",
             "highest_risk")  # fmt: skip


@task("explore")
def explore(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Release with every method at every k, and send each point as soon as it is measured."""
    engine, schema = bench.engine(args), read_schema(args)
    jobs = [(method, k) for k in args["ks"] for method in args["methods"]]
    points = []
    for done, (method, k) in enumerate(jobs):
        progress(done, len(jobs), f"{method}, k = {k}")
        points.append(_point(engine, schema, args, method, k))
        part({"point": points[-1]})
    progress(len(jobs), len(jobs), "done")
    return {"points": points}


def _point(engine: Engine, schema: Schema, args: Args, method: str, k: int) -> dict[str, Any]:
    """One method at one k; what keeps it from a release is told in its place."""
    try:
        make = partial(_maker, method, schema, args)
        (point,) = measure_frontier(engine, {method: make}, [k], n_jobs=1).points
    except ShoalError as error:  # another method may well do
        return dict.fromkeys(_MEASURED) | {
            "method": method, "k": k, "seconds": 0.0, "failure": str(error),
        }  # fmt: skip
    return point.to_dict()


def _maker(method: str, schema: Schema, args: Args, k: int) -> Anonymizer:
    promise = read_promise(k, args.get("conditions") or ())
    return make_method(method, schema, promise, suppression_of(method, args))


@task("lattice")
def search_lattice(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """The combinations of levels that full-domain looked at."""
    method = FullDomain(read_schema(args), privacy_of(args), max_suppression=args["suppress"] or 0)
    lattice = method.fit(bench.engine(args), progress=progress).lattice_
    kept = np.unique(np.append(np.argsort(lattice.loss)[:_MOST_NODES], lattice.best))
    height = lattice.levels.sum(axis=1)
    return {
        "columns": list(lattice.names),
        "nodes": [
            [int(height[i]), float(lattice.loss[i]), bool(lattice.safe[i])] for i in kept.tolist()
        ],
        "best": {
            "height": int(height[lattice.best]),
            "loss": float(lattice.loss[lattice.best]),
            "levels": lattice.levels[lattice.best].tolist(),
        },
        "assessed": lattice.n_assessed,
        "all": lattice.n_nodes,
        "proven": lattice.proven,
    }
