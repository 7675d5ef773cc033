"""Everything about a table's quasi-identifiers in one go: what `shoal quasi` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from shoal.discover._attackers import Attackers, find_attackers
from shoal.discover._far_survey import first_of_its_size, survey_there
from shoal.discover._keys import find_key, minimal_keys
from shoal.discover._ratios import measure_set
from shoal.discover._remarks import remark_constant
from shoal.discover._results import AttributeSetRisk, KeyResult, MinimalKeys, Result
from shoal.discover.covers._coverage import AllPairs
from shoal.discover.covers._deadline import Deadline, begin
from shoal.discover.covers._greedy import cover
from shoal.discover.sources._checks import (
    RandomState,
    check_choice,
    check_count,
    check_weights,
    make_generator,
)
from shoal.discover.sources._far_sets import engine_of_far
from shoal.discover.sources._open import EngineSource, open_source
from shoal.discover.sources._source import CodedSource, Source
from shoal.errors import InfeasibleError
from shoal.typing import Native, Progress

_CELLS_IN_MEMORY = 60_000_000
"""Cells (rows times columns) up to which all rows are examined."""
_CELLS_FROM_AFAR = 1_000_000
"""The same for tables on a cluster, whose rows would have to come to the driver."""
_ROWS = 50_000
"""Rows of the sample that stands in when equal rows leave no key."""
_TIME_LIMIT = 12.0
"""Seconds for the searches, unless told otherwise."""


@dataclass(frozen=True)
class Survey(Result):
    """What single columns tell, which keys there are, what an attacker can do.

    Parameters
    ----------
    columns : tuple of AttributeSetRisk
        Each column alone.
    attacker : tuple of AttributeSetRisk
        The worst set found for an attacker with 1, 2, 3, ... attributes.
    attacker_bounds : tuple of int
        No set of that many attributes makes more rows unique; what the worst set does where every
        set was looked at.
    mean_unique_share : tuple of float
        Mean share of unique rows over all sets of 1, 2, ... attributes; ends before the first size
        of which not all were looked at.
    exhaustive : bool
        Whether every set up to the size was looked at, so that the worst is the worst there is.
    key : KeyResult or None
        A key of the table; None when equal rows leave none.
    minimal_keys : MinimalKeys or None
        All minimal keys up to the size, when all rows were examined.
    n_rows : int
        Rows of the table.
    n_equal : int
        Rows that equal another one on every column, beyond the first of each.
    guarantee : str
        What was examined, in words.
    seconds : float
        Time taken.
    notes : tuple of str
        What the reader should know about the columns.
    """

    columns: tuple[AttributeSetRisk, ...]
    attacker: tuple[AttributeSetRisk, ...]
    attacker_bounds: tuple[int, ...]
    mean_unique_share: tuple[float, ...]
    exhaustive: bool
    key: KeyResult | None
    minimal_keys: MinimalKeys | None
    n_rows: int
    n_equal: int
    guarantee: str
    seconds: float
    notes: tuple[str, ...] = ()


def survey(
    table: Native,
    max_size: int = 3,
    *,
    columns: Sequence[str] | None = None,
    bins: Mapping[str, float] | None = None,
    weights: Mapping[str, float] | None = None,
    examine: str = "auto",
    eps: float = 0.01,
    delta: float = 0.01,
    time_limit: float | None = _TIME_LIMIT,
    random_state: RandomState = None,
    progress: Progress | None = None,
) -> Survey:
    """Survey what singles people out: columns, keys, and attackers who know few attributes.

    Parameters
    ----------
    table : frame, path or engine
        What to look at.
    max_size : int
        Largest number of attributes of the attacker and of the keys listed.
    columns, bins, weights, eps, delta, random_state
        As in :func:`shoal.discover.find_key`.
    examine : {"auto", "all", "sample"}
        All rows, or a sample for the searches (every ratio shown is then still counted on the
        whole table); "auto" takes all rows of tables that fit comfortably in memory, and a sample
        of larger ones and of all but small tables in Spark, whose rows stay where they are.  With
        "all" sets of columns of such a table are counted there, until the time is up.
    time_limit : float, optional
        Seconds for the searches, once the table is read; None for no limit.  What is undecided by
        then is reported as such, with bounds.
    progress : callable, optional
        Called with how far the work is, and the worst found so far.

    Returns
    -------
    Survey

    Notes
    -----
    **Guarantee.**  Ratios and shares of unique rows are exact.  Where `exhaustive` the worst sets
    are the worst there are; else they are the worst found, and no set exceeds `attacker_bounds`.
    Which sets are looked at depends on the size of the table, not on the clock, unless the time
    is up.

    Examples
    --------
    >>> people = {"age": [20, 30, 40, 20], "sex": list("FFMM"), "id": [1, 2, 3, 4]}
    >>> found = survey(people, 2)
    >>> [(risk.attributes, risk.unique_share) for risk in found.attacker]
    [(('id',), 1.0), (('age', 'sex'), 1.0)]
    """
    started = perf_counter()
    check_choice("examine", examine, ("auto", "all", "sample"))
    check_count("max_size", max_size)
    tell = progress or _silent
    source = open_source(table, columns=columns, bins=bins)
    cells = source.n_rows * len(source.names)
    options = {"weights": weights, "eps": eps, "delta": delta, "random_state": random_state}
    is_far = isinstance(source, EngineSource) and source.is_far
    at_hand = cells <= (_CELLS_FROM_AFAR if is_far else _CELLS_IN_MEMORY)
    if examine == "all" and engine_of_far(source) is not None:
        parts = survey_there(source, max_size, options, begin(time_limit), tell)
    elif examine == "all" or (examine == "auto" and at_hand):
        parts = _all_rows(source, max_size, options, begin(time_limit), tell)
    else:
        parts = _sampled(source, max_size, options, tell)
    return Survey(**parts, n_rows=source.n_rows, seconds=perf_counter() - started)


def _all_rows(
    source: Source, max_size: int, options: Mapping[str, Any], deadline: Deadline, tell: Progress
) -> dict[str, Any]:
    tell(0, 3, "reading the table")
    table = source.codes()
    distinct = CodedSource(table).distinct().table
    tell(1, 3, "small sets of attributes")
    attackers = find_attackers(table, max_size, deadline.share(0.6), tell)
    tell(2, 3, "keys")
    key, keys = None, None
    if distinct.n_rows > 1:
        weights = options["weights"]
        key = find_key(distinct, search="minimum", weights=weights, time_limit=deadline.share(0.5))
        tell(2, 3, f"a key of {len(key.attributes)} attributes is found; all small ones")
        size = max(attackers.exhaustive_size, min(max_size, len(key.attributes)))
        keys = minimal_keys(distinct, size, time_limit=deadline)
        key = first_of_its_size(key, keys, CodedSource(distinct), weights)
    tell(3, 3, "keys")
    exhaustive = attackers.exhaustive_size == len(attackers.worst)
    notes = dict.fromkeys((*source.notes, *remark_constant(table.names, AllPairs.of(table))))
    if not exhaustive:
        notes[_not_all(attackers)] = None
    if keys is not None and not keys.complete:
        notes[f"minimal keys: {keys.guarantee}."] = None
    return {
        "columns": attackers.columns,
        "attacker": attackers.worst,
        "attacker_bounds": attackers.bounds,
        "mean_unique_share": attackers.means,
        "exhaustive": exhaustive,
        "key": key,
        "minimal_keys": keys,
        "n_equal": table.n_rows - distinct.n_rows,
        "guarantee": f"exact: all {table.n_rows} rows were examined",
        "notes": tuple(notes),
    }


def _not_all(attackers: Attackers) -> str:
    return (
        f"of the sets of more than {attackers.exhaustive_size} attributes only the most telling "
        "were looked at, there are too many: the worst ones shown are the worst found, and "
        "'at most' is what no set exceeds."
    )


def _sampled(
    source: Source, max_size: int, options: Mapping[str, Any], tell: Progress
) -> dict[str, Any]:
    steps = len(source.names) + max_size + 1
    alone = []
    for done, name in enumerate(source.names):
        tell(done, steps, "single columns")
        alone.append(measure_set(source.select([name])))
    tell(len(source.names), steps, "a key, from a sample")
    try:
        key = find_key(source, "distinct", **options)
        chain: Sequence[str] = key.attributes
    except InfeasibleError:  # equal rows: go as far as the columns reach
        key, chain = None, _furthest(source, options)
    # single columns are known exactly: the worst of them may beat the head of the chain
    attacker = [max(alone, key=lambda risk: (risk.unique, risk.separation_ratio))]
    for size in range(2, min(max_size, len(chain)) + 1):
        tell(len(source.names) + size, steps, "attackers with several attributes")
        attacker.append(measure_set(source.select(chain[:size])))
    tell(steps, steps, "attackers with several attributes")
    n_equal = source.n_rows - int(source.group_sizes()[1].sum())
    notes = source.notes + (key.notes if key else ())
    return {
        "columns": tuple(alone),
        "attacker": tuple(attacker),
        "attacker_bounds": (attacker[0].unique, *[source.n_rows] * (len(attacker) - 1)),
        "mean_unique_share": (),
        "exhaustive": False,
        "key": key,
        "minimal_keys": None,
        "n_equal": n_equal,
        "guarantee": f"ratios exact on all {source.n_rows} rows; sets chosen from a sample",
        "notes": tuple(dict.fromkeys(notes)),
    }


def _furthest(source: Source, options: Mapping[str, Any]) -> tuple[str, ...]:
    rows = source.sample(_ROWS, make_generator(options["random_state"]))
    choice = cover(AllPairs.of(rows), check_weights(options["weights"], source.names))
    return tuple(source.names[j] for j in choice.columns)


def _silent(done: int, total: int, what: str, /) -> None:
    """Report no progress."""
