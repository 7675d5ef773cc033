"""Who is exposed as the raw table stands: who looks like whom, and which column tells people apart.

Tables that would not fit into memory as cells are counted by the database, in files if need be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.metrics import risk
from shoal.schema import Schema
from shoal.studio.work._bench import Args, Bench, cells_of, read_schema
from shoal.studio.work._registered import task
from shoal.tables import FrequencyTable
from shoal.tables._frequency import group_keys
from shoal.tables._people import People
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.typing import Counts, Progress

_LARGEST_SIZE = 1_000
"""Sizes of groups up to here are told apart."""
_MOST_CELLS = 2_000_000
"""Cells up to which the part of each column is worked out."""
_MOST_ROWS = 3_000_000
"""Rows up to which a table is brought into memory as cells."""


@task("exposure")
def count_exposed(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Who looks like whom in the raw table, and which column tells people apart."""
    progress(0, 0, "counting who looks alike")
    schema = read_schema(args)
    if schema.subject is None and bench.engine(args).n_rows > _MOST_ROWS:
        return count_in_place(bench.relation(args), schema)
    compressed = bench.raw(args)
    cells, people = cells_of(compressed), compressed.people
    measured = risk(cells, sensitive=schema.sensitive)
    least = None if people is None else _least_groups(people, np.arange(cells.n_groups))
    return {
        "counts": "rows" if people is None else "people",
        "n": measured.n_rows if least is None else len(least),
        "groups": measured.n_groups,
        "unique": measured.sample_uniques if least is None else int((least == 1).sum()),
        "average": measured.prosecutor.average,
        "inference": {
            name: {"certain_share": inference.certain_share}
            for name, inference in measured.inference.items()
        },
        "sizes": _sizes(cells.sizes if least is None else least, each=1 if people else None),
        "without": _without_each(cells, people),
    }


def count_in_place(engine: DuckEngine, schema: Schema) -> dict[str, Any]:
    """The same of rows that stay where they are; what one column adds is left out."""
    keys = [engine.value_sql(name) for name in schema.quasi_identifiers]
    values = [engine.value_sql(name) for name in schema.sensitive]
    # one value for all rows of a group: none is missing, or all are
    alike = [
        f"count({v}) = 0 OR (count({v}) = count(*) AND min({v}) = max({v})) AS c{i}"
        for i, v in enumerate(values)
    ]
    groups = f"SELECT {', '.join(['count(*) AS n', *alike])} FROM source GROUP BY {', '.join(keys)}"
    certain = [f"sum(n) FILTER (c{i}) AS s{i}" for i in range(len(values))]
    asked = [f"least(n, {_LARGEST_SIZE}) AS size", "sum(n) AS r", "count(*) AS g", *certain]
    counted = engine.fetch(f"SELECT {', '.join(asked)} FROM ({groups}) GROUP BY 1 ORDER BY 1")
    rows, total = counted["r"], int(np.sum(counted["r"]))
    n_groups = int(np.sum(counted["g"]))
    return {
        "counts": "rows",
        "n": total,
        "groups": n_groups,
        "unique": int(sum(r for size, r in zip(counted["size"], rows, strict=True) if size == 1)),
        "average": n_groups / total,
        "inference": {
            name: {"certain_share": float(np.nansum(counted[f"s{i}"].astype(float))) / total}
            for i, name in enumerate(schema.sensitive)
        },
        "sizes": [[int(size), int(r)] for size, r in zip(counted["size"], rows, strict=True)],
        "without": {},
    }


def _least_groups(people: People, group_of_cell: Counts) -> Counts:
    """For every person, the people in the smallest group that has a row of theirs."""
    _, person = np.unique(people.person, return_inverse=True)
    pairs = np.unique(np.stack([person, group_of_cell[people.cell]]), axis=1)
    sizes = np.bincount(pairs[1])
    least = np.full(int(person.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, pairs[0], sizes[pairs[1]])
    return least


def _sizes(sizes: Counts, each: int | None = None) -> list[list[int]]:
    """Size of groups and the rows in groups of that size; the largest stand together.

    `each` is what one size stands for, where it is not as many rows.
    """
    filled = sizes[sizes > 0]
    cut = np.minimum(filled, _LARGEST_SIZE)
    weights = filled if each is None else np.full(len(filled), each)
    rows = np.bincount(cut, weights=weights, minlength=1).astype(np.int64)
    return [[int(size), int(rows[size])] for size in np.flatnonzero(rows)]


def _without_each(cells: FrequencyTable, people: People | None) -> dict[str, int]:
    """For every column, how many would still be alone if nobody knew it."""
    if cells.n_groups > _MOST_CELLS:
        return {}
    left = {}
    for column, name in enumerate(cells.names):
        group_of, n_groups = group_keys(np.delete(cells.keys, column, axis=1))
        if people is None:
            sizes = np.bincount(group_of, weights=cells.sizes, minlength=n_groups)
        else:
            sizes = _least_groups(people, group_of)
        left[name] = int((sizes == 1).sum())
    return left
