"""Regions: one search beside many, plans for more rows than there are machines, and bare Spark.

Plans are simulated: rows are drawn as patients are, counts by region follow from more draws, and
no table is made.  What is measured is what the driver would do.
"""

import os
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from benchmarks._row import Row
from benchmarks._timing import peak_megabytes


def main(quick: bool = False) -> Iterator[Row]:
    for n_rows in (10**9,) if quick else (10**8, 10**9, 10**10):
        yield from plan(n_rows)
    yield from one_machine(quick)
    if not quick:
        yield from spark()


def columns() -> list:
    """Columns of a hospital: birth, sex, ZIP code, admission, weight in tenths of kilograms."""
    from shoal.anonymize.clusters._group_loss import is_range_column
    from shoal.anonymize.cuts._first_cuts import domain_columns
    from shoal.schema._coding import Coding

    sizes = {"birth": 36_524, "sex": 2, "zip": 60_000, "admission": 1_827, "weight": 1_200}
    codings = [
        Coding(
            name,
            "categorical" if name == "sex" else "numeric",
            tuple(map(str, range(size))),
            np.full(size, np.nan) if name == "sex" else np.arange(size, dtype=np.float64),
        )
        for name, size in sizes.items()
    ]
    return domain_columns(codings, [1.0] * len(codings), [is_range_column(c) for c in codings])


def draw(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.column_stack(
        [
            np.minimum(rng.gamma(4, 4000, n), 36_523).astype(np.int32),
            rng.integers(0, 2, n),
            np.minimum(rng.pareto(1.2, n) * 3000, 59_999).astype(np.int32),
            rng.integers(0, 1_827, n),
            np.clip(rng.normal(700, 150, n), 0, 1_199).astype(np.int32),
        ]
    ).astype(np.int32)


def plan(n_rows: int) -> Iterator[Row]:
    """What the driver does for a table of `n_rows` in Spark, without the table."""
    from shoal.anonymize.regions._join_parts import join_parts
    from shoal.anonymize.regions._plan_cuts import plan_cuts, sample_size
    from shoal.privacy import KAnonymity
    from shoal.tables.engines.regions._cuts import assign, cut_sql, regions_of
    from shoal.tables.engines.regions._open_regions import WORKER_ROWS
    from shoal.tables.engines.regions._region_rows import PartCount, part_table

    rng = np.random.default_rng(0)
    size = sample_size(n_rows, WORKER_ROWS)
    sample, more = draw(rng, size), draw(rng, 10 * size)
    tracemalloc.start()
    started = process_time()
    cut = plan_cuts(columns(), sample, WORKER_ROWS * size // n_rows)
    n_leaves = 1 + max(regions_of(cut))
    taken = process_time() - started
    # counts as they would come from the cluster: shares of other draws, scaled up
    rows = np.bincount(assign(cut, more), minlength=n_leaves) * (n_rows // len(more))
    leaf = np.arange(n_leaves)
    parts = part_table(PartCount(leaf, leaf * 0, leaf * 0, rows), {})
    started = process_time()
    region_of = join_parts(cut, parts, KAnonymity(10), n_leaves, WORKER_ROWS)
    taken += process_time() - started
    held = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    sizes = np.bincount(region_of, weights=rows)
    text = len(cut_sql(cut, ["k0", "k1", "k2", "k3", "k4"]))
    yield Row(
        f"plan regions for {n_rows:.0e} rows",
        taken,
        unit="s of processor",
        note=f"{len(sizes):,} regions, the largest {sizes.max() / WORKER_ROWS:.1f} times as large "
        f"as wanted; sample of {size:,}; {held:,.0f} MB at most; key of {text / 1000:,.0f} kB",
    )


def one_machine(quick: bool) -> Iterator[Row]:
    """The same table in one search and in eight regions, without writing."""
    from shoal.anonymize._registry import make_method
    from shoal.datasets import write_hospital
    from shoal.datasets._hospital import hospital_schema

    n_rows = 20_000 if quick else 1_000_000
    with TemporaryDirectory() as folder:
        path = write_hospital(Path(folder) / "patients.parquet", n_rows)
        make_method("mondrian", hospital_schema(), 5).fit(path, regions=8)  # compiles
        losses, seconds = [], []
        for regions in (8, None):  # the smaller first: the peak of memory only rises
            started = process_time()
            made = make_method("mondrian", hospital_schema(), 5).fit(path, regions=regions).release_
            seconds.append(process_time() - started)
            held = peak_megabytes()
            losses.append((made.metrics.loss, held))
    (loss, memory), (whole, all_memory) = losses
    note = f"loss {loss / whole - 1:+.2%}; {memory:,.0f} MB at most, then {all_memory:,.0f} MB"
    what = f"Mondrian on {n_rows:,} different rows in 8 regions"
    yield Row(what, seconds[0], seconds[1], "one search", "s of processor", note)


def spark(n_rows: int = 1_000_000) -> Iterator[Row]:
    """Mondrian in Spark beside counting all combinations and writing the counts, in one session."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        yield Row("Mondrian in Spark", None, note="PySpark is not installed")
        return
    from shoal.anonymize._registry import make_method
    from shoal.datasets import write_hospital
    from shoal.datasets._hospital import hospital_schema

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # the one that has Shoal
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "3g")
        .getOrCreate()
    )
    with TemporaryDirectory() as folder:
        path = write_hospital(Path(folder) / "patients.parquet", n_rows)
        frame = session.read.parquet(str(path))
        schema = hospital_schema()
        names = [*schema.quasi_identifiers, *schema.sensitive]
        for run in ("warm", "timed"):  # what Spark runs first it compiles first
            started = perf_counter()
            frame.groupBy(*names).count().write.parquet(f"{folder}/bare-{run}")
            bare = perf_counter() - started
            started = perf_counter()
            release = make_method("mondrian", schema, 5).fit(frame, regions=8).release_
            solved = perf_counter() - started
            release.rows.write(release.output, Path(f"{folder}/unjudged-{run}.parquet"))
            unjudged = perf_counter() - started
            started = perf_counter()
            release.write(f"{folder}/out-{run}.parquet")
            judged = solved + perf_counter() - started
    session.stop()
    what = f"Mondrian on {n_rows:,} different rows in Spark, written and judged"
    note = f"local[2], 8 regions, second run; without the judge {unjudged / bare:.1f} times as long"
    yield Row(what, judged, bare, "bare groupBy and write", note=note)
