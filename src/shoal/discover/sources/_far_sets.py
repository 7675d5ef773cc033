"""Groups that sets of columns make in a table on a cluster, counted there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import prod

from shoal.discover.covers._deadline import Deadline
from shoal.discover.sources._open import EngineSource
from shoal.discover.sources._partition import Split
from shoal.discover.sources._source import Source
from shoal.tables.engines._spark_engine import SparkEngine
from shoal.typing import Counts

CELLS_FROM_AFAR = 1_000_000
"""Cells (rows times columns) up to which the rows of a cluster come here to be looked at."""

_TOGETHER = 12
"""Sets that are counted in one pass over the rows: a row goes into it once for each of them."""

Counted = list[tuple[tuple[int, ...], Split]]


def engine_of_far(source: Source) -> SparkEngine | None:
    """The engine of a table whose rows are elsewhere and too many to come; None for others."""
    if not isinstance(source, EngineSource) or not isinstance(source.engine, SparkEngine):
        return None
    return source.engine if source.n_rows * len(source.names) > CELLS_FROM_AFAR else None


def count_there(engine: SparkEngine, max_size: int, deadline: Deadline) -> tuple[Counted, bool]:
    """Splits of all rows by every set of at most `max_size` columns, and whether these are all.

    Exact: what comes here is how many groups have each size.  Single columns are counted in any
    case; further sets until the time is up.
    """
    n_columns = len(engine.names)
    counted: Counted = []
    for size in range(1, min(max_size, n_columns) + 1):
        for sets in _some(combinations(range(n_columns), size)):
            if size > 1 and deadline.passed:
                return counted, False
            counted += _count(engine, sets)
    return counted, True


def keys_there(
    engine: SparkEngine, n_rows: int, max_size: int, deadline: Deadline
) -> tuple[list[tuple[int, ...]], Counted, bool]:
    """Every minimal key of at most `max_size` columns, what single columns do, and whether all.

    Size after size: a set is looked at where none of its parts is a key, and where its columns have
    combinations enough for all rows.
    """
    single, _ = count_there(engine, 1, deadline)
    room = [split.distinct for _, split in single]
    keys = [one for one, split in single if split.distinct == n_rows]
    for size in range(2, min(max_size, len(room)) + 1):
        smaller = [set(key) for key in keys]
        open_ = (
            one
            for one in combinations(range(len(room)), size)
            if prod(room[j] for j in one) >= n_rows and not any(key <= {*one} for key in smaller)
        )
        for sets in _some(open_):
            if deadline.passed:
                return keys, single, False
            keys += [one for one, split in _count(engine, sets) if split.distinct == n_rows]
    return keys, single, True


def count_sets(engine: SparkEngine, sets: Sequence[tuple[int, ...]]) -> Counted:
    """Splits of all rows by some sets of columns, several in each pass."""
    return [one for some in _some(iter(sets)) for one in _count(engine, some)]


def _count(engine: SparkEngine, sets: list[tuple[int, ...]]) -> Counted:
    sizes = engine.set_sizes([[engine.names[j] for j in one] for one in sets])
    return [(one, _split(*own)) for one, own in zip(sets, sizes, strict=True)]


def _some(sets: Iterator[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    while together := list(islice(sets, _TOGETHER)):
        yield together


def _split(sizes: Counts, groups: Counts) -> Split:
    """Figures of the groups, from the number of groups of each size."""
    both = zip(sizes.tolist(), groups.tolist(), strict=True)
    pairs = sum(n * (size * (size - 1) // 2) for size, n in both)  # of any size, as Python's
    return Split(pairs, int(groups.sum()), int(groups[sizes == 1].sum()))
