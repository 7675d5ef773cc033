"""k, distinct l, entropy l and t of the raw Adult table: shoal.privacy beside pycanon 1.x.

Both start from the same pandas frame; ours counts it into groups anew for every figure, as pycanon
does.  Answers must be equal (pycanon rounds entropy l down to an integer), else this stops.
A second part times the compiled rules and the metrics; they have no peer.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks._row import Row, missing
from benchmarks._timing import seconds, timed
from shoal.datasets import adult
from shoal.metrics import measure, risk
from shoal.metrics._measure import released_raw
from shoal.privacy import (
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    Proximity,
    RecursiveDiversity,
    TCloseness,
)
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from shoal.schema import Column, Schema
from shoal.tables import FrequencyTable, open_table

KNOWN = ["age", "education", "marital-status", "occupation", "race", "sex"]
FEW = ["race", "sex", "education"]


def main(quick: bool = False) -> Iterator[Row]:
    frame = _adult(3000 if quick else None)
    for quasi_identifiers, sensitive in ((FEW, "income"), (KNOWN, "income"), (FEW, "hours")):
        yield from _beside_pycanon(frame, quasi_identifiers, sensitive)
    yield from _alone(frame)


def _adult(limit: int | None) -> Any:
    """Adult's training rows."""
    import pandas as pd

    columns = adult("train", missing="keep").columns
    return pd.DataFrame(columns).rename(columns={"hours-per-week": "hours"})[:limit]


def _schema(quasi_identifiers: list[str], sensitive: str) -> Schema:
    numeric = {"age", "hours", "fnlwgt"}
    columns = {
        name: Column("quasi-identifier", "numeric" if name in numeric else "categorical")
        for name in quasi_identifiers
    }
    kind = "numeric" if sensitive in numeric else "categorical"
    return Schema(columns | {sensitive: Column("sensitive", kind)})


def _beside_pycanon(frame: Any, quasi_identifiers: list[str], sensitive: str) -> Iterator[Row]:
    try:
        from pycanon import anonymity
    except ImportError:
        yield missing(f"models of {sensitive}", "pycanon is not installed", "pycanon")
        return
    schema = _schema(quasi_identifiers, sensitive)
    part = frame[[*quasi_identifiers, sensitive]]

    def groups() -> FrequencyTable:
        return open_table(part).compress(schema).cells

    distance = "ordered" if sensitive == "hours" else "equal"
    asked = (quasi_identifiers, [sensitive])
    cases: list[tuple[str, Callable[[], float], Callable[[], float]]] = [
        (
            "k",
            lambda: KAnonymity(1).value(groups()),
            lambda: anonymity.k_anonymity(part, quasi_identifiers),
        ),
        (
            "distinct l",
            lambda: DistinctDiversity(1).value(groups()),
            lambda: anonymity.l_diversity(part, *asked),
        ),
        (
            "entropy l",
            lambda: float(int(EntropyDiversity(1).value(groups()) + 1e-9)),
            lambda: anonymity.entropy_l_diversity(part, *asked),
        ),
        (
            f"t, {distance}",
            lambda: TCloseness(1, distance=distance).value(groups()),
            lambda: anonymity.t_closeness(part, *asked),
        ),
    ]
    total_ours = total_peer = 0.0
    for name, ours, peer in cases:
        value, taken = _best(ours)
        expected, peer_seconds = timed(peer)
        if not np.isclose(value, expected, rtol=1e-9, atol=1e-9):
            raise AssertionError(f"{name}: {value} here, {expected} there")
        total_ours, total_peer = total_ours + taken, total_peer + peer_seconds
        what = f"{name} of {sensitive}, {len(quasi_identifiers)} quasi-identifiers"
        yield Row(what, taken, peer_seconds, "pycanon")
    what = f"all four of {sensitive}, {len(quasi_identifiers)} quasi-identifiers"
    yield Row(what, total_ours, total_peer, "pycanon")


def _alone(frame: Any) -> Iterator[Row]:
    cells = open_table(frame[[*KNOWN, "income"]]).compress(_schema(KNOWN, "income")).cells
    group_of = np.arange(cells.n_groups) // 10
    n_groups = int(group_of[-1]) + 1
    size = KAnonymity(10)
    every = (
        size
        & EntropyDiversity(1.2)
        & RecursiveDiversity(4, 2)
        & TCloseness(0.4)
        & DistinctDiversity(2)
    )
    for name, model in (("k", size), ("k and four more", every)):
        rules = compile_model(model, cells)
        taken = _best(lambda rules=rules: allowed_groups(rules, group_of, n_groups))[1]
        yield Row(f"rules, {name}, per cell", taken / cells.n_groups * 1e9, unit="ns")
    wide = open_table(frame[[*KNOWN, "fnlwgt"]]).compress(_schema(KNOWN, "fnlwgt")).cells
    n_values = wide.histograms["fnlwgt"].coding.n_codes
    rules = compile_model(size & TCloseness(0.4, distance="ordered") & Proximity(1000, 2), wide)
    taken = _best(lambda: allowed_groups(rules, group_of, n_groups))[1]
    what = f"rules, ordered t and proximity of {n_values} values, per cell"
    yield Row(what, taken / wide.n_groups * 1e9, unit="ns")
    recoded = released_raw(cells)
    yield Row("all metrics of the raw table", _best(lambda: measure(recoded, target="income"))[1])
    yield Row("risk of the raw table", _best(lambda: risk(cells))[1])


def _best(work: Callable[[], Any]) -> tuple[Any, float]:
    value = work()  # compiles
    return value, seconds(work, 5)
