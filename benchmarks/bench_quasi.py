"""Finding and masking quasi-identifiers, beside the seconds of Motwani and Xu (2008, 2.4 GHz).

Adult is a pandas frame, covtype a mapping of arrays; their coding is part of the time.  The last
part makes a table of 10 million rows and 41 columns in Parquet and searches samples of it, each
search in a process of its own, whose largest memory is shown for a tenth of the rows as well.
Published seconds are left out of a quick run, whose tables are smaller.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from benchmarks._row import Row, missing
from benchmarks._timing import peak_megabytes, seconds, timed
from reproduce._quasi_tables import ADULT
from shoal import datasets
from shoal.datasets._public import covtype
from shoal.discover import find_key, mask
from shoal.errors import DataNotFoundError

CARDINALITIES = [81, 2, 6, 17, 52, 9, 8, 14, 30, 5, 99, 41, 2, 2, 3, 4, 7, 12, 20, 50, 3, 2, 2, 5,
                 9, 11, 25, 100, 1000, 2, 2, 3, 6, 8, 300, 4, 2, 10, 15, 5, 60]  # fmt: skip
SEARCHES: dict[str, tuple[str, dict[str, Any], float]] = {
    "(0.1, 0.01)-distinct key": ("find_key", {"kind": "distinct", "eps": 0.1}, 808),
    "(0.001, 0.01)-separation key": ("find_key", {"kind": "separation", "eps": 0.001}, 120),
    "0.5-distinct mask, 30,000 rows": ("mask", {"beta": 0.5, "sample": 30_000}, 755),
    "0.8-separation mask, 50,000 pairs": (
        "mask", {"beta": 0.8, "kind": "separation", "sample": 50_000}, 170,
    ),
}  # fmt: skip


def main(quick: bool = False) -> Iterator[Row]:
    _compile()
    yield from _adult()
    yield from _covtype(quick)
    yield from _files(quick)


def _compile() -> None:
    """Compiling is not what is measured."""
    find_key({"a": np.arange(100) % 2, "b": np.arange(100)}, search="minimum")
    mask({"a": np.arange(100) % 2, "b": np.arange(100)}, 0.9)


def _adult() -> Iterator[Row]:
    try:
        columns: Any = datasets.adult(missing="keep").select(ADULT).columns
    except DataNotFoundError as error:
        yield missing("Adult", str(error))
        return
    import pandas as pd

    columns = pd.DataFrame(columns)
    find_key(columns.head(50), duplicates="drop")
    yield _timed("Adult, exact greedy key", 35.5, 13, find_key, columns, duplicates="drop")
    yield _timed(
        "Adult, proved minimum key", None, 13,
        find_key, columns, duplicates="drop", search="minimum",
    )  # fmt: skip
    yield _timed("Adult, 0.5-distinct mask", 36, 12, mask, columns, 0.5, duplicates="drop")
    yield _timed("Adult, 0.8-separation mask", 19, 5, mask, columns, 0.8, "separation")


def _covtype(quick: bool) -> Iterator[Row]:
    try:
        data = covtype()
    except DataNotFoundError as error:
        yield missing("covtype", str(error))
        return
    step = 20 if quick else 1
    columns = {name: np.asarray(data[name])[::step] for name in data.names[:54]}
    size = None if quick else 5
    published = (None, None, None) if quick else (964, 36_000, 7_200)
    exact = _timed("covtype, exact greedy key", published[0], size, find_key, columns)
    yield exact
    codes = np.stack(list(columns.values())).astype(np.int32)
    plain = seconds(lambda: _greedy_by_sorting(codes))
    yield Row("covtype, exact greedy key, again", exact.ours, plain, "NumPy sorting")
    yield _timed("covtype, proved minimum key", None, size, find_key, columns, search="minimum")
    sizes = (None, None) if quick else (49, 38)
    yield _timed("covtype, 0.5-distinct mask, all rows", published[1], sizes[0], mask, columns, 0.5)
    yield _timed(
        "covtype, 0.8-separation mask, all rows", published[2], sizes[1],
        mask, columns, 0.8, "separation",
    )  # fmt: skip


def _files(quick: bool) -> Iterator[Row]:
    n = 200_000 if quick else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for rows in (n // 10, n):
            paths[rows] = Path(folder) / f"census-{rows}.parquet"
            _generate(paths[rows], rows)
        for name, (_, _, published) in SEARCHES.items():
            few, many = (_child(path, name) for path in paths.values())
            what = f"{n:,} x 41 in Parquet, {name}"
            yield Row(what, many["seconds"], None if quick else published, _publication(quick))
            beside = f"at {n // 10:,} rows"
            yield Row(f"{what}: memory", many["megabytes"], few["megabytes"], beside, "MB")


def _timed(
    what: str,
    published: float | None,
    size: int | None,
    function: Any,
    *arguments: Any,
    **options: Any,
) -> Row:
    found, taken = timed(lambda: function(*arguments, **options))
    chosen = len(found.attributes if hasattr(found, "attributes") else found.published)
    if size is not None and chosen != size:
        raise AssertionError(f"{what}: {chosen} attributes instead of {size}")
    return Row(what, taken, published, _publication(published is None))


def _publication(absent: bool) -> str:
    return "" if absent else "published, 2008"


def _greedy_by_sorting(codes: Any) -> list[int]:
    """The same greedy search with a sort for every look, as one would write it in NumPy."""
    n_columns, n = codes.shape
    group, chosen = np.zeros(n, np.int64), []
    while True:
        best, left = -1, -1
        for j in range(n_columns):
            combined = np.sort(group * (int(codes[j].max()) + 1) + codes[j])
            starts = np.flatnonzero(np.diff(combined, prepend=combined[0] - 1))
            sizes = np.diff(starts, append=len(combined))
            together = int((sizes * (sizes - 1)).sum())
            if best < 0 or together < left:
                best, left = j, together
        chosen.append(best)
        if not left:
            return chosen
        combined = group * (int(codes[best].max()) + 1) + codes[best]
        _, group, sizes = np.unique(combined, return_inverse=True, return_counts=True)
        # rows that are alone already need no further looks
        kept = sizes[group] > 1
        codes, group = codes[:, kept], group[kept]


def _generate(path: Path, n_rows: int) -> None:
    columns = []
    for j, size in enumerate(CARDINALITIES):
        skew = 1 + (j % 4) * 0.7
        value = f"CAST(floor({size} * pow(hash(i * 41 + {j}) / 2.0**64, {skew})) AS INT)"
        text = f"'value ' || {value}"
        columns.append(f"{text if j % 4 == 3 else value} AS c{j}")
    duckdb.connect().execute(
        f"COPY (SELECT {', '.join(columns)} FROM range({n_rows}) t(i)) TO '{path}' (FORMAT parquet)"
    )


def _child(path: Path, name: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_quasi", str(path), name],
        capture_output=True, text=True, check=True, env=os.environ,
        cwd=Path(__file__).parents[1],
    )  # fmt: skip
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _run_child(path: str, name: str) -> None:
    _compile()
    function, options, _ = SEARCHES[name]
    call = {"find_key": find_key, "mask": mask}[function]
    taken = seconds(lambda: call(path, random_state=0, **options))
    print(json.dumps({"seconds": taken, "megabytes": peak_megabytes()}))


if __name__ == "__main__":
    _run_child(*sys.argv[1:])
