"""Trees beside scikit-learn's on the one-hot table.

Fit times in seconds, compiled kernels warm, frames already in memory; scikit-learn is given the
one-hot encoded table (encoding not counted).  The papers' figures are in `shoal reproduce`.
"""

import tempfile
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks._row import Row
from shoal.datasets import adult
from shoal.datasets._adult import SCALE_UP_COLUMNS, adult_schema
from shoal.datasets._scale import scale_up
from shoal.models import KAnonymousTreeClassifier
from shoal.schema import Column, Schema

EIGHT = [*SCALE_UP_COLUMNS[:4], "relationship", *SCALE_UP_COLUMNS[4:]]
NUMERIC = ["age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"]


def main(quick: bool = False) -> Iterator[Row]:
    import pandas as pd

    train = pd.DataFrame(adult("train").columns)
    every = list(train.columns[:-1])
    schema = adult_schema("tds", quasi_identifiers=every)
    yield _beside_sklearn("ID3, Adult, 8 columns, k = 10", train, schema, EIGHT, 10, "gain")
    what = "C4.5, Adult, 14 columns, k = 10"
    yield _beside_sklearn(what, train, schema, every, 10, "gain_ratio")
    if not quick:
        large = _million()
        what = "1,000,000 rows, 14 columns, k = 10"
        yield _beside_sklearn(f"ID3, {what}", large, schema, every, 10, "gain")
        yield _beside_sklearn(f"C4.5, {what}", large, schema, every, 10, "gain_ratio")
    yield from _private_columns(train, schema)


def _million() -> Any:
    """Adult's rows 34 times: once as they are, else with random values in three columns."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adult.parquet"
        keep = [*NUMERIC, "income"]
        scale_up(adult("train"), path, sigma=34, columns=EIGHT, keep=keep, afresh=True)
        table = pd.read_parquet(path).head(1_000_000)
    return table.astype(dict.fromkeys(NUMERIC, int))


def _roles(schema: Schema, names: list[str]) -> Schema:
    return Schema({name: schema[name] for name in (*names, "income")})


def _timed(work: Any, repeats: int) -> float:
    best = np.inf
    for _ in range(repeats):
        started = process_time()
        work()
        best = min(best, process_time() - started)
    return float(best)


def _beside_sklearn(
    what: str, train: Any, schema: Schema, names: list[str], k: int, criterion: str
) -> Row:
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier

    tree = KAnonymousTreeClassifier(
        _roles(schema, names), k, criterion=criterion, splits="multiway"
    )  # type: ignore[arg-type]
    X, y = train[names], train["income"].to_numpy()
    tree.fit(X.head(500), y[:500])  # compile
    texts = [name for name in names if name not in NUMERIC]
    one_hot = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(X[texts])
    numbers = X[[name for name in names if name in NUMERIC]].to_numpy(np.float32)
    table = np.asfortranarray(np.hstack([one_hot, numbers]))
    peer = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=k)
    repeats = 1 if len(train) > 100_000 else 5
    ours = _timed(lambda: tree.fit(X, y), repeats)
    theirs = _timed(lambda: peer.fit(table, y), repeats)
    return Row(what, ours, theirs, "scikit-learn")


def _private_columns(train: Any, schema: Schema) -> list[Row]:
    """Six private columns: spans and memory."""
    hidden = ["workclass", "occupation", "relationship", "capital-gain", "capital-loss", "race"]
    names = [name for name in train.columns[:-1] if name != "fnlwgt"]
    roles = _roles(schema, names)
    roles = roles.replace(**{
        name: Column("sensitive", roles[name].kind, roles[name].hierarchy) for name in hidden
    })  # fmt: skip
    X, y = train[names], train["income"].to_numpy()
    tree = KAnonymousTreeClassifier(roles, 10, criterion="gain_ratio", splits="multiway")
    tree.fit(X.head(500), y[:500])
    tracemalloc.start()
    seconds = _timed(lambda: tree.fit(X, y), 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    what = "C4.5, Adult, 6 private columns, k = 10"
    return [
        Row(f"{what} (memory traced)", seconds),
        Row(f"{what}: spans", tree.spans_.n_spans, unit=""),
        Row(f"{what}: smallest span", tree.spans_.largest_k, unit="rows"),
        Row(f"{what}: leaves", tree.get_n_leaves(), unit=""),
        Row(f"{what}: peak memory", peak / 1e6, unit="MB"),
    ]
