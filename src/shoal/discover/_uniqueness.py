"""How many people a small set of attributes singles out, for every such set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from time import perf_counter

from shoal.discover._remarks import remark_constant, remark_one_value
from shoal.discover._results import AttributeSetRisk, UniquenessProfile
from shoal.discover.covers._coverage import AllPairs
from shoal.discover.covers._deadline import TIME_LIMIT, Deadline, begin
from shoal.discover.sources._checks import check_count
from shoal.discover.sources._far_sets import Counted, count_there, engine_of_far
from shoal.discover.sources._open import open_source
from shoal.discover.sources._partition import Partition, Split
from shoal.errors import ParameterError
from shoal.typing import Native


def uniqueness(
    table: Native,
    max_size: int = 3,
    *,
    columns: Sequence[str] | None = None,
    duplicates: str = "keep",
    bins: Mapping[str, float] | None = None,
    max_sets: int = 20_000,
    time_limit: float | Deadline | None = TIME_LIMIT,
) -> UniquenessProfile:
    """Unique rows, distinct ratio and separation ratio of every set of up to `max_size` attributes.

    Parameters
    ----------
    table : frame, path or engine
        What to look at; all rows are examined.
    max_size : int
        Largest number of attributes that the attacker knows.
    columns, bins
        As in :func:`shoal.discover.find_key`.
    duplicates : {"keep", "drop"}
        What to do with rows that are equal on all columns.
    max_sets : int
        Largest number of sets to look at; more is an error that says what would fit.
    time_limit : float, optional
        Seconds after which the sets counted so far are returned and the profile is not
        `complete`, None for no limit.  Single attributes are counted in any case.

    Returns
    -------
    UniquenessProfile

    Notes
    -----
    **Guarantee.**  Exact for every set listed; all are listed when `complete`.  Unique in this
    table does not mean unique in the population: with a table that is a sample of it, the shares
    are upper bounds on what an attacker can do.

    Examples
    --------
    >>> table = {
    ...     "age": [20, 30, 40, 20, 40],
    ...     "sex": ["F", "F", "F", "M", "M"],
    ...     "state": ["CA", "CA", "TX", "NY", "CA"],
    ... }
    >>> [(row["size"], row["worst"]) for row in uniqueness(table, 2).by_size()]
    [(1, 0.4), (2, 1.0)]
    """
    started = perf_counter()
    deadline = begin(time_limit)
    check_count("max_size", max_size)
    check_count("max_sets", max_sets)
    source = open_source(table, columns=columns, duplicates=duplicates, bins=bins)
    names = source.names
    max_size = min(max_size, len(names))
    check_n_sets(len(names), max_size, max_sets)
    counted: Counted
    far = engine_of_far(source)
    if far is not None:
        counted, complete = count_there(far, max_size, deadline)
        single = {one[0]: split for one, split in counted if len(one) == 1}
        notes = remark_one_value(names, [j for j, split in single.items() if split.distinct < 2])
    else:
        whole = Partition.whole(source.codes())
        counted = [((j,), whole.split(j)) for j in range(len(names))]
        complete = max_size == 1 or _visit(whole, (), max_size, counted, deadline)
        notes = remark_constant(names, AllPairs(whole))
    counted.sort(key=lambda item: (len(item[0]), item[0]))
    n = source.n_rows
    pairs = max(n * (n - 1) // 2, 1)
    sets = tuple(
        AttributeSetRisk(
            tuple(names[j] for j in columns_of),
            split.unique,
            split.unique / n,
            split.distinct / n,
            (pairs - split.together) / pairs,
        )
        for columns_of, split in counted
    )
    words = f"exact: every set of at most {max_size} of {len(names)} attributes, all {n} rows"
    if not complete:
        asked = n_sets(len(names), max_size)
        words = (
            f"exact for {len(sets)} of the {asked} sets of at most {max_size} of {len(names)} "
            f"attributes, all {n} rows; the others are undecided, since the time was up"
        )
    seconds = perf_counter() - started
    return UniquenessProfile(sets, max_size, n, words, seconds, source.notes + notes, complete)


def n_sets(n_columns: int, max_size: int) -> int:
    """Number of sets of 1 to `max_size` attributes."""
    return sum(math.comb(n_columns, size) for size in range(1, max_size + 1))


def check_n_sets(n_columns: int, max_size: int, max_sets: int) -> None:
    """Raise when there are more sets than allowed; say which size fits."""
    asked = n_sets(n_columns, max_size)
    if asked <= max_sets:
        return
    fits = max(s for s in range(max_size) if not s or n_sets(n_columns, s) <= max_sets)
    raise ParameterError(
        f"{n_columns} columns have {asked} sets of at most {max_size}, more than "
        f"max_sets={max_sets}. Use max_size={fits}, name fewer columns, or raise max_sets."
    )


def _visit(
    partition: Partition,
    chosen: tuple[int, ...],
    max_size: int,
    counted: list[tuple[tuple[int, ...], Split]],
    deadline: Deadline,
) -> bool:
    """Count every set that grows `chosen`; False when the time was up before the last one."""
    first = chosen[-1] + 1 if chosen else 0
    for j in range(first, partition.table.n_columns):
        if deadline.passed:
            return False
        grown = (*chosen, j)
        if chosen:
            counted.append((grown, partition.split(j)))
        # sets below this one start from its groups; the last column has none below it
        more = len(grown) < max_size and j + 1 < partition.table.n_columns
        if more and not _visit(partition.refine(j), grown, max_size, counted, deadline):
            return False
    return True
