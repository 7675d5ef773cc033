"""What runs in Spark's workers: the rows of a region in, the same rows with labels out."""
# ruff: noqa: PLC0415  PyArrow is an extra; workers have it

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import GuaranteeError, InfeasibleError, ShoalError
from shoal.tables._engine import STAR
from shoal.tables.engines.regions._arrow_codes import ArrowCodes, spark_type
from shoal.tables.engines.regions._region_rows import Solve, SolvedRows
from shoal.typing import Codes

FIGURES = "shoal_figures"
"""Column of what a region says of itself, in one row that has nothing else."""

HIDDEN = "shoal_hidden"
"""Column that says which rows are not released."""

REGION = "shoal_region"
"""Column that says which region a row is in."""

ROWS = "shoal_rows"
"""Column with the rows of a group: what is released of them besides labels."""

ROWS_TOGETHER = 10_000
"""Rows of a group that stand in one list; larger groups have several, hidden rows one each."""

NOTHING = "shoal_nothing"
"""What a row has where nothing else is released of it."""


def region_worker(
    solve: Solve,
    known: Mapping[str, ArrowCodes],
    quasi: Sequence[str],
    counted: Mapping[str, str],
    passed: Sequence[str],
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function from the rows of regions to their groups with labels, in Arrow batches.

    Parameters
    ----------
    solve : callable
        Solves one region.
    known : mapping of str to ArrowCodes
        For each column that is coded, by its place in the rows.
    quasi, passed : sequence of str
        Places of the quasi-identifiers, and of columns that are released as they are.
    counted : mapping of str to str
        Places of columns that are counted in groups, by their names.
    """

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.compute as pc

        os.environ.setdefault("SHOAL_THREADS", "1")  # a core has a worker of its own
        if not (held := list(batches)):
            return
        table = pa.Table.from_batches(held)
        keys = pc.unique(table.column(REGION)).to_pylist()
        for key in sorted(keys):  # one, unless Spark put two regions into one part
            rows = table if len(keys) == 1 else table.filter(pc.field(REGION) == key)
            yield from _solve_one(rows).to_batches()

    def _solve_one(table: Any) -> Any:
        kept = table.select(passed)
        try:
            codes = {source: known[source].of(table.column(source)) for source in known}
            keys = np.column_stack([codes[source] for source in quasi])
            solved = solve(keys, {name: codes[source] for name, source in counted.items()})
        except InfeasibleError as error:
            said = {"refused": error.model, "required": error.required,
                    "achieved": error.achieved, "hint": error.hint}  # fmt: skip
            return _last_row(said, len(quasi), kept.schema)
        except ShoalError as error:
            said = {"refused": str(error), "required": None}
            return _last_row(said, len(quasi), kept.schema)
        return _labelled(solved, kept)

    return work


def coarse_worker(
    known: Sequence[ArrowCodes], coarse: Sequence[Codes]
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function from values to codes `k0`, ...; those of the first columns are coarse ones."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            codes = [own.of(column) for own, column in zip(known, batch.columns, strict=True)]
            codes[: len(coarse)] = [to[own] for to, own in zip(coarse, codes, strict=False)]
            arrays = [pa.array(own, pa.int32()) for own in codes]
            yield pa.RecordBatch.from_arrays(arrays, [f"k{i}" for i in range(len(arrays))])

    return work


def raise_refusals(figures: Sequence[Mapping[str, Any]]) -> None:
    """Raise what a worker could not solve."""
    for said in figures:
        if "refused" not in said:
            continue
        if said["required"] is None:
            raise GuaranteeError(said["refused"])
        raise InfeasibleError(
            said["refused"], required=said["required"], achieved=said["achieved"], hint=said["hint"]
        )


def _labelled(solved: SolvedRows, passed: Any) -> Any:
    """Groups with their labels and rows, and behind them the row with figures.

    Rows of a group stand by their own values, so that nothing is left of the input's order.
    """
    import pyarrow as pa

    n_groups = len(solved.labels)
    group_of = np.where(solved.group_of < 0, n_groups, solved.group_of)  # hidden rows come last
    order = np.lexsort([*map(ranks, reversed(passed.columns)), group_of])
    group, start = _pieces(np.bincount(group_of, minlength=n_groups + 1))
    columns: dict[str, Any] = {}
    for i, texts in enumerate(solved.texts):
        known = pa.array([*texts, STAR], pa.string())
        numbers = np.append(solved.labels[:, i], len(texts)).astype(np.int64)
        columns[f"l{i}"] = known.take(pa.array(numbers[group]))
    columns[ROWS] = _lists(passed.take(pa.array(order)).combine_chunks(), start)
    columns[HIDDEN] = pa.array(group == n_groups)
    columns[FIGURES] = pa.nulls(len(group), pa.string())
    said = _last_row(solved.figures, len(solved.texts), passed.schema)
    return pa.concat_tables([pa.table(columns), said])


def _pieces(sizes: Any) -> tuple[Any, Any]:
    """Groups cut into pieces of a size that a row of Spark can hold, and where each begins.

    The last group are hidden rows, each a piece of its own: they are no group that may be seen.

    Examples
    --------
    >>> group, start = _pieces(np.array([3, 0, ROWS_TOGETHER + 1, 2]))
    >>> group.tolist(), start.tolist()
    ([0, 2, 2, 3, 3], [0, 3, 10003, 10004, 10005, 10006])
    """
    room = np.append(np.full(len(sizes) - 1, ROWS_TOGETHER), 1)
    n_pieces = -(-sizes // room)
    group = np.repeat(np.arange(len(sizes)), n_pieces)
    first = np.concatenate([[0], np.cumsum(n_pieces)])[group]
    inside = (np.arange(len(group)) - first) * room[group]
    held = np.minimum(sizes[group] - inside, room[group])
    return group, np.concatenate([[0], np.cumsum(held)])


def ranks(column: Any) -> Any:
    """Place of each value of an Arrow column among the column's values; missing ones come last.

    Examples
    --------
    >>> import pyarrow as pa
    >>> ranks(pa.array(["flu", None, "cold", "flu"])).tolist()
    [1, 2, 0, 1]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    encoded = whole.dictionary_encode()
    values = encoded.dictionary
    try:
        order = pc.sort_indices(values).to_numpy()
    except pa.ArrowNotImplementedError:  # values that Arrow does not order: any fixed order does
        order = np.argsort([repr(value) for value in values.to_pylist()], kind="stable")
    kind = np.uint16 if len(values) < 1 << 16 else np.int64  # short numbers are sorted by radix
    rank = np.empty(len(values) + 1, kind)
    rank[order] = np.arange(len(values))
    rank[-1] = len(values)
    return rank[encoded.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)]


def _lists(rows: Any, start: Any) -> Any:
    """Rows as lists; `start` has the first row of each, and behind them how many there are."""
    import pyarrow as pa

    if rows.num_columns:
        arrays = [_whole(column) for column in rows.columns]
        inner = pa.StructArray.from_arrays(arrays, names=rows.column_names)
    else:
        inner = pa.StructArray.from_arrays([pa.nulls(int(start[-1]), pa.bool_())], [NOTHING])
    return pa.ListArray.from_arrays(pa.array(start.astype(np.int32)), inner)


def _whole(column: Any) -> Any:
    """A column in one piece; moments by the zone in which Spark takes them back, the same ones."""
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return whole.cast(spark_type(whole.type))


def _last_row(said: Mapping[str, Any], n_labels: int, passed: Any) -> Any:
    """One row that has nothing but what a region says of itself."""
    import pyarrow as pa

    kept = [pa.field(field.name, spark_type(field.type)) for field in passed]
    kept = kept or [pa.field(NOTHING, pa.bool_())]
    columns = {f"l{i}": pa.nulls(1, pa.string()) for i in range(n_labels)}
    columns[ROWS] = pa.nulls(1, pa.list_(pa.struct(kept)))
    columns[HIDDEN] = pa.nulls(1, pa.bool_())
    columns[FIGURES] = pa.array([json.dumps(said)], pa.string())
    return pa.table(columns)
