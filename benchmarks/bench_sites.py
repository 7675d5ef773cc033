"""Mining across sites: transforms beside a bare copy, models beside scikit-learn and lifelines."""

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np

from benchmarks._row import Row
from benchmarks._timing import seconds


def main(quick: bool = False) -> Iterator[Row]:
    yield from files(300_000 if quick else 10_000_000)
    yield from svc(quick)
    yield cox(quick)
    yield from study_cox(quick)
    yield from adult()


def adult_key(table):
    from shoal.federated import AliasTable, GradedRanges, TransformKey

    return TransformKey.create(
        {
            "age": GradedRanges.uniform(15, 90, 5),
            "education": AliasTable.random(sorted(set(table["education"])), "education"),
        }
    )


def adult() -> list[Row]:
    """The paper's 28 s: age graded and education mapped, 32,561 rows (its machine of 2010)."""
    import polars as pl

    from shoal.datasets import adult as load
    from shoal.federated import decode, encode

    data = load(missing="keep")
    table = pl.DataFrame({name: list(data[name]) for name in data.columns})
    key = adult_key(table)
    ours = seconds(lambda: encode(table, key), 5)
    back = seconds(lambda: decode(encode(table, key), key), 5)
    return [
        Row(f"encode Adult, {len(table):,} rows", ours, 28.0, "published, 2010"),
        Row("encode and decode Adult", back),
    ]


def files(n_rows: int) -> list[Row]:
    from shoal.federated import AliasTable, GradedRanges, TransformKey, decode_file, encode_file

    education = [f"level {i}" for i in range(16)]
    country = [f"country {i}" for i in range(41)]
    key = TransformKey.create(
        {
            "age": GradedRanges.uniform(17, 90, 5),
            "hours": GradedRanges.uniform(1, 99, 7),
            "education": AliasTable.random(education, "education"),
            "country": AliasTable.random(country, "country"),
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        source, shared = Path(folder, "rows.parquet"), Path(folder, "shared")
        shared.mkdir()
        duckdb.connect().execute(
            "COPY (SELECT 17 + hash(i) % 74 AS age, 1 + hash(i + 1) % 99 AS hours, "
            "'level ' || hash(i + 2) % 16 AS education, 'country ' || hash(i + 3) % 41 AS country, "
            "hash(i + 4) % 1000000 AS weight, 'note ' || hash(i + 5) % 100 AS note, "
            "hash(i + 6) % 2 = 0 AS rich "
            f"FROM range({n_rows}) t(i)) TO '{source}' (FORMAT parquet)"
        )

        def bare():
            duckdb.connect().execute(
                f"COPY (SELECT * FROM '{source}') TO '{folder}/copy.parquet' (FORMAT parquet)"
            )

        copy = seconds(bare, 2)
        clear = ["weight", "note", "rich"]
        ours = seconds(lambda: encode_file(source, shared, key, "site", clear=clear), 2)
        encoded = shared / "site.encoded.parquet"
        back = seconds(lambda: decode_file(encoded, Path(folder, "back.parquet"), key))
    return [
        Row(f"encode file, {n_rows:,} rows", ours, copy, "bare DuckDB copy"),
        Row(f"decode file, {n_rows:,} rows", back, copy, "bare DuckDB copy"),
    ]


def svc(quick: bool) -> list[Row]:
    """Ours scales and projects 20 features, then solves; LinearSVC gets the projection ready."""
    from sklearn.svm import LinearSVC

    from shoal.federated import RandomKernel, RandomKernelSVC

    n_rows, nu = (50_000 if quick else 1_000_000), 1.0
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 20))
    y = np.where(X[:, :5].sum(axis=1) + 0.7 * rng.normal(size=n_rows) > 2.5, 1.0, -1.0)
    kernel = RandomKernel({f"x{j}": (0, 1) for j in range(20)}, random_state=1).fit()
    model, peer = RandomKernelSVC(kernel, nu=nu), LinearSVC(C=nu / 2, dual=False, tol=1e-4)
    model.fit(X[:100], y[:100])
    ours = seconds(lambda: model.fit(X, y))
    rows = kernel.transform(X)
    theirs = seconds(lambda: peer.fit(rows, y))
    w, gamma = peer.coef_[0], -peer.intercept_[0]
    slack = np.maximum(1 - y * (rows @ w - gamma), 0)
    reached = float(nu / 2 * slack @ slack + (w @ w + gamma**2) / 2)
    name = f"RandomKernelSVC {n_rows:,} x 20"
    return [
        Row(name, ours, theirs, "LinearSVC"),
        Row(f"{name}, objective", model.objective_, reached, "LinearSVC", ""),
    ]


def cox(quick: bool) -> Row:
    import pandas as pd
    from lifelines import CoxPHFitter

    from shoal.federated import RandomKernel, RandomKernelCox
    from shoal.federated.kernels._survival import survival_target

    n_rows = 2_000 if quick else 20_000
    rng = np.random.default_rng(0)
    rows = rng.random((n_rows, 10))
    kernel = RandomKernel({f"x{i}": (0, 1) for i in range(10)}, random_state=1).fit()
    time_to = rng.exponential(np.exp(-rows[:, 0])) * 100
    y = survival_target(time_to, rng.random(n_rows) < 0.7)
    frame = pd.DataFrame(kernel.transform(rows), columns=[f"k{i}" for i in range(9)])
    frame["time"], frame["event"] = y[:, 0], y[:, 1]
    RandomKernelCox(kernel).fit(rows[:300], y[:300])  # imports
    ours = seconds(lambda: RandomKernelCox(kernel).fit(rows, y))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = seconds(lambda: CoxPHFitter().fit(frame, "time", "event"))
    return Row(f"Cox {n_rows:,} x 9", ours, theirs, "lifelines")


def study_cox(quick: bool) -> Iterator[Row]:
    """The coefficients alone, as `compare_sites` wants them thousands of times."""
    from shoal.federated.kernels._cox import fit_cox
    from shoal.federated.kernels._cox_newton import cox_coefficients

    for n_rows in (100, 500) if quick else (100, 500, 2_000, 10_000, 50_000):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n_rows, 7))
        days = np.ceil(rng.exponential(np.exp(-X[:, 0] / 2)) * 365)
        y = np.column_stack([days, rng.random(n_rows) < 0.7])
        fit_cox(X[:100], y[:100], 0.01)  # imports
        ours = seconds(lambda X=X, y=y: cox_coefficients(X, y, 0.01), 5)
        theirs = seconds(lambda X=X, y=y: fit_cox(X, y, 0.01), 5)
        yield Row(f"Cox coefficients {n_rows:,} x 7", ours, theirs, "lifelines")
