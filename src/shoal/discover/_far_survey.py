"""All rows of a table on a cluster looked at where they are: sizes of groups are all that comes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.discover._attackers import n_sets_of
from shoal.discover._keys import find_key, minimal_keys
from shoal.discover._results import KeyResult, MinimalKeys, UniquenessProfile
from shoal.discover._uniqueness import n_sets, uniqueness
from shoal.discover.covers._deadline import Deadline
from shoal.discover.sources._source import Source
from shoal.typing import Progress


def survey_there(
    source: Source, max_size: int, options: Mapping[str, Any], deadline: Deadline, tell: Progress
) -> dict[str, Any]:
    """What is said of all rows, each set of columns counted on the cluster until the time is up."""
    tell(0, 2, "small sets of attributes, on the cluster")
    n_columns = len(source.names)
    size = min(max_size, n_columns)
    profile = uniqueness(
        source, size, max_sets=n_sets(n_columns, size), time_limit=deadline.share(0.6)
    )
    full = _full_sizes(profile, n_columns)
    rows = profile.by_size()
    worst = [profile.worst(row["size"]) for row in rows]
    bounds = [risk.unique if risk_size <= full else source.n_rows for risk_size, risk in
              enumerate(worst, 1)]  # fmt: skip
    n_equal = source.n_rows - int(source.group_sizes()[1].sum())
    tell(1, 2, "keys, on the cluster")
    key, keys = _keys(source, n_equal, max_size, full, options["weights"], deadline)
    tell(2, 2, "keys, on the cluster")
    notes = dict.fromkeys((*source.notes, *profile.notes))
    if full < size:
        notes[
            f"the time was up before all sets of more than {full} attributes were counted: the "
            "worst ones shown are the worst found. Give more time (time_limit), or a smaller "
            "max_size."
        ] = None
    if keys is not None and not keys.complete:
        notes[f"minimal keys: {keys.guarantee}."] = None
    return {
        "columns": profile.of_size(1),
        "attacker": tuple(worst),
        "attacker_bounds": tuple(bounds),
        "mean_unique_share": tuple(row["mean"] for row in rows[:full]),
        "exhaustive": full == size,
        "key": key,
        "minimal_keys": keys,
        "n_equal": n_equal,
        "guarantee": f"exact: all {source.n_rows} rows were examined",
        "notes": tuple(notes),
    }


def _full_sizes(profile: UniquenessProfile, n_columns: int) -> int:
    """The largest size up to which every set was counted."""
    full = 0
    for row in profile.by_size():
        if row["size"] != full + 1 or row["sets"] != n_sets_of(n_columns, row["size"]):
            break
        full += 1
    return full


def _keys(
    source: Source, n_equal: int, max_size: int, full: int, weights: Any, deadline: Deadline
) -> tuple[KeyResult | None, MinimalKeys | None]:
    distinct = source.distinct() if n_equal else source
    if distinct.n_rows < 2:
        return None, None
    key = find_key(distinct, search="minimum", weights=weights, time_limit=deadline.share(0.5))
    size = max(full, min(max_size, len(key.attributes)))
    keys = minimal_keys(distinct, size, time_limit=deadline)
    return first_of_its_size(key, keys, distinct, weights), keys


def first_of_its_size(
    key: KeyResult, keys: MinimalKeys, source: Source, weights: object
) -> KeyResult:
    """The first of several least keys, in the order of the columns.

    Which of them a search meets first depends on how the engine numbers values.
    """
    if weights or not keys.complete or not key.proved_minimum:
        return key
    least = [names for names in keys.keys if len(names) == len(key.attributes)]
    if not least or set(least[0]) == set(key.attributes):
        return key
    alone = find_key(source.select(least[0]), search="minimum")
    return replace(alone, seconds=key.seconds)
