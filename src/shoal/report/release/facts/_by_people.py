"""The promise counted again by people or households, whose rows only the house can tell.

A release does not say whose its rows are.  With the raw table and the recoding that stayed in the
house every raw row has a group again; where each group has as many rows as in the release, its
people are those of the raw rows.  Where labels overlap, a recoding does not know which group a row
was in (it keeps no rows), and the search is made again.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from shoal.anonymize import load_recoding
from shoal.anonymize._anonymizer import Anonymizer
from shoal.anonymize._registry import make_method, word_of
from shoal.anonymize._release_files import find_recoding
from shoal.anonymize._subjects import asks_of_values, count_exactly, worst_of
from shoal.anonymize._verdict import Verdict
from shoal.errors import ShoalError, TableError
from shoal.privacy import PrivacyModel
from shoal.privacy._promise import bind_promise
from shoal.privacy._written_population import count_population
from shoal.report.release.facts._original import Original
from shoal.report.release.facts._recount import Recount, differences, read_promise
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.tables import FrequencyTable
from shoal.tables._frequency import CodingOptions
from shoal.tables._people import People
from shoal.tables._recoded import SUPPRESSED, Recoded

MOST_ROWS = 100_000
"""Rows of a raw table for which a search is made again."""


def judge_people(release: ReleaseFile, seen: Recount, original: Original) -> Recount:
    """The recount with a verdict by people; as it was where groups cannot be told again."""
    promise = read_promise(release)
    if promise is None or release.get("form") != "labels" or original.is_far:
        return seen
    try:
        recoding = load_recoding(find_recoding(release.path))
        compressed = original.engine.compress(original.schema, CodingOptions(missing_to_root=True))
        kept = released_groups(recoding.recode(compressed.cells), seen.groups)
        if kept is None and original.n_rows <= MOST_ROWS:
            made = _method(release, original, promise).recode_cells(compressed.cells)
            kept = released_groups(made, seen.groups)
        if kept is None or compressed.people is None:
            return seen
        verdict = _verdict(kept, compressed.people, bind_promise(promise, original.schema), release)
    except (ShoalError, TypeError, ValueError):  # no recoding, no population, a strange manifest
        return seen
    told = differences(release, seen.groups, None, verdict)
    return replace(seen, verdict=verdict, differences=tuple(told))


def _method(release: ReleaseFile, original: Original, promise: PrivacyModel) -> Anonymizer:
    """The method that made a release, by the list of methods: a manifest may come from anybody."""
    name, given = word_of(str(release.get("method"))), dict(release.mapping("parameters"))
    if name is None:
        raise TableError(f"no method is called {release.get('method')!r}.")
    return make_method(name, original.schema, promise, given)


def released_groups(recoded: Recoded, written: FrequencyTable) -> Recoded | None:
    """Groups that are in the released rows too; None where the two do not fit together."""
    rows = {
        tuple(coding.texts[code] for coding, code in zip(written.codings, key, strict=True)): size
        for key, size in zip(written.keys.tolist(), written.sizes.tolist(), strict=True)
        if size
    }
    order = [part.coding.name for part in recoded.labels]
    columns = [order.index(name) for name in written.names]
    names = [
        tuple(recoded.labels[column].texts[key[column]] for column in columns)
        for key in recoded.codes.tolist()
    ]
    there = np.array([name in rows for name in names], np.bool_)
    counts = recoded.groups.row_counts
    fits = all(rows[name] == counts[i] for i, name in enumerate(names) if there[i])
    if not fits or int(there.sum()) != len(rows):
        return None
    number = np.append(np.where(there, np.cumsum(there) - 1, SUPPRESSED), SUPPRESSED)
    return replace(
        recoded,
        codes=recoded.codes[there],
        group_of=number[recoded.group_of],  # -1, suppressed, reads the last entry
        per_column=None,
    )


def _verdict(
    recoded: Recoded, people: People, promise: PrivacyModel, release: ReleaseFile
) -> Verdict:
    tables = [
        count_population(table, promise, release.schema)
        for table in count_exactly(recoded, people, promise)
    ]
    failing = np.logical_or.reduce([~promise.holds(table) for table in tables])
    rows = recoded.groups.row_counts
    return Verdict(
        n_rows=int(rows.sum()),
        n_groups=len(rows),
        n_starred=0,
        smallest_group=int(tables[0].sizes.min()) if len(rows) else 0,
        reached=tuple(  # a page may be published, and tells no more than a manifest
            replace(level, reached=math.nan) if asks_of_values(level.model) else level
            for level in worst_of(promise, tables, people.unit)
        ),
        n_failing_groups=int(failing.sum()),
        n_failing_rows=int(rows[failing].sum()),
        failing=(),
    )
