"""First looks at a table: its columns at once, exact counts soon after, roles, who is exposed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from shoal.metrics import risk
from shoal.studio.work._bench import Args, Bench, cells_of, read_schema
from shoal.studio.work._registered import task
from shoal.tables import FrequencyTable
from shoal.tables._frequency import group_keys
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.typing import Counts, Progress

_SAMPLE = 20_000
"""Rows of the first look."""
_HEAD = 1_000_000
"""Bytes from which the number of rows of a text file is estimated."""
_LARGEST_SIZE = 1_000
"""Sizes of groups up to here are told apart."""
_MOST_CELLS = 2_000_000
"""Cells up to which the part of each column is worked out."""


@task("glance")
def glance(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Names, sorts and missing values from the first rows; the number of rows is estimated."""
    progress(0, 0, "opening the table")
    engine = bench.relation(args)
    sample = _count(engine, f"(SELECT * FROM source LIMIT {_SAMPLE})")
    seen = sample["rows"]
    n_rows = seen if seen < _SAMPLE else _estimated_rows(Path(args["table"]))
    told = {"exact": seen < _SAMPLE, "sampled": seen, "notes": bench.notes(args)}
    return sample | told | {"rows": n_rows}


@task("look")
def look(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """The same from all rows."""
    progress(0, 0, "counting all rows")
    return _count(bench.relation(args), "source") | {"exact": True, "notes": bench.notes(args)}


def _count(engine: DuckEngine, rows: str) -> dict[str, Any]:
    names, types, titles = engine.names, engine.types, engine.titles
    asked = ["count(*) AS n"]
    for index, name in enumerate(names):
        value = engine.value_sql(name)
        asked += [f"count({value}) AS p{index}", f"approx_count_distinct({value}) AS d{index}"]
    found = engine.fetch(f"SELECT {', '.join(asked)} FROM {rows} AS source")
    total = int(found["n"][0])
    return {
        "rows": total,
        "columns": [
            {
                "name": name,
                "sort": types[name],
                "title": titles.get(name, ""),
                "missing": total - int(found[f"p{index}"][0]),
                # an estimate may exceed what there is
                "distinct": min(int(found[f"d{index}"][0]), int(found[f"p{index}"][0])),
            }
            for index, name in enumerate(names)
        ],
    }


def _estimated_rows(path: Path) -> int | None:
    """Lines of a text file, from the length of the first; None where that tells nothing."""
    if not path.is_file() or path.suffix.lower() not in (".csv", ".tsv", ".txt", ".data"):
        return None
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return max(1, round(head.count(b"\n") * size / max(1, len(head))))


@task("exposure")
def count_exposed(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Who looks like whom in the raw table, and which column tells people apart."""
    progress(0, 0, "counting who looks alike")
    schema = read_schema(args)
    compressed = bench.raw(args)
    cells = cells_of(compressed)
    measured = risk(cells, sensitive=schema.sensitive)
    return {
        "counts": "rows" if compressed.people is None else "people",
        "n": measured.n_rows,
        "groups": measured.n_groups,
        "unique": measured.sample_uniques,
        "average": measured.prosecutor.average,
        "inference": measured.to_dict()["inference"],
        "sizes": _sizes(cells.sizes),
        "without": _without_each(cells),
    }


def _sizes(sizes: Counts) -> list[list[int]]:
    """Size of groups and the rows in groups of that size; the largest stand together."""
    cut = np.minimum(sizes[sizes > 0], _LARGEST_SIZE)
    rows = np.bincount(cut, weights=sizes[sizes > 0], minlength=1).astype(np.int64)
    return [[int(size), int(rows[size])] for size in np.flatnonzero(rows)]


def _without_each(cells: FrequencyTable) -> dict[str, int]:
    """For every column, how many would still be alone if nobody knew it."""
    if cells.n_groups > _MOST_CELLS:
        return {}
    left = {}
    for column, name in enumerate(cells.names):
        group_of, n_groups = group_keys(np.delete(cells.keys, column, axis=1))
        sizes = np.bincount(group_of, weights=cells.sizes, minlength=n_groups)
        left[name] = int((sizes == 1).sum())
    return left
