"""The verdict on rows that were released on a cluster; none of them is collected.

What is checked, each from what stands in the written files:

- the columns are those that the schema lets out, and there are as many rows as were to be released;
- where no row was left out, every sensitive value stands there as often as in the source;
- rows with equal text in all quasi-identifiers keep the promise: one `groupBy` counts them, and the
  groups are judged by the plain definition where they are, some of them at a time.

That labels cover the values behind them, the workers check before they hand out a label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal.errors import GuaranteeError
from shoal.judge._count import group_rows
from shoal.judge._read_arrow import find_pyarrow, of_arrow
from shoal.judge._text_table import plain_text
from shoal.judge._values import canonical
from shoal.privacy import PrivacyModel, check
from shoal.privacy._level import Level
from shoal.schema import Schema
from shoal.schema._coding import Coding, make_coding
from shoal.schema._column import NEVER_RELEASED
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Native

_WITHHELD = "It is withheld; please report this defect."

_ROWS_TOGETHER = 500_000
"""Rows whose groups one worker judges at a time."""

_ALIKE = 4
"""Rows for each combination from which on they are counted before they travel."""


class ClusterVerdict(NamedTuple):
    """What the judge counted: groups of each size, most frequent values, and levels.

    `tops` has, for each counted column, how many rows have the most frequent value of their group,
    how many are in groups with one value only, and the largest share of a value.
    """

    sizes: dict[int, int]
    tops: dict[str, tuple[int, int, float]]
    levels: tuple[Level, ...]


@dataclass(frozen=True, eq=False)
class GroupJudge:
    """What a worker needs to judge some of the groups.

    Parameters
    ----------
    privacy : PrivacyModel
        The promise about groups, with the figures of the whole.
    quasi : tuple of str
        Names of the quasi-identifiers.
    codes : mapping of str to mapping
        For each counted column, the code of each text in canonical form.
    codings : mapping of str to Coding
        What these codes stand for, in the whole output.
    """

    privacy: PrivacyModel
    quasi: tuple[str, ...]
    codes: Mapping[str, Mapping[str | None, int]] = field(repr=False)
    codings: Mapping[str, Coding] = field(repr=False)

    def judge(self, table: Any) -> dict[str, Any]:
        """Counts of the groups in an Arrow table of combinations with how many rows have each."""
        groups = self.count(table)
        return figures_of(groups, check(self.privacy, groups))

    def count(self, table: Any) -> FrequencyTable:
        """The groups in an Arrow table of combinations with how many rows have each."""
        rows = np.asarray(table.column("shoal_rows"), np.int64)
        texts = of_arrow(table.select([*self._aliases()])).columns
        labels = [texts[f"q{i}"].codes for i in range(len(self.quasi))]
        group_of, first = group_rows(labels, len(rows))
        sizes = np.bincount(group_of, weights=rows, minlength=len(first)).astype(np.int64)
        histograms = {}
        for i, name in enumerate(self.codes):
            column = texts[f"s{i}"]
            number = [self.codes[name][canonical(text)] for text in column.texts]
            codes = np.array(number, np.int64)[column.codes]
            histograms[name] = _histogram(self.codings[name], group_of, codes, rows, len(first))
        return FrequencyTable((), np.empty((len(first), 0), np.int32), sizes, histograms)

    def _aliases(self) -> Iterable[str]:
        yield from (f"q{i}" for i in range(len(self.quasi)))
        yield from (f"s{i}" for i in range(len(self.codes)))


_Judge = TypeVar("_Judge", bound=GroupJudge)


def judge_cluster(
    frame: Native,
    schema: Schema,
    n_rows: int,
    settle: Callable[[FrequencyTable], PrivacyModel],
    expected: Mapping[str, Mapping[str | None, int]] | None = None,
    n_groups: int | None = None,
) -> ClusterVerdict:
    """Raise :class:`GuaranteeError` unless the released rows keep the promise.

    Parameters
    ----------
    frame : Spark DataFrame
        The written files, read again.
    schema : Schema
        What the columns are.
    n_rows : int
        Rows that were to be released.
    settle : callable
        The promise about groups, made from the whole output as one group.
    expected : mapping, optional
        For counted columns, rows of the source with each text in canonical form.
    n_groups : int, optional
        About how many groups there are; decides how they are counted, and nothing else.
    """
    _judge_columns(frame, schema)
    judge, found = make_judge(GroupJudge, frame, schema, settle, expected)
    if found != n_rows:
        raise GuaranteeError(
            f"the output has {found} rows where {n_rows} were to be released. {_WITHHELD}"
        )
    return _combine(judge.privacy, ask_workers(frame, judge, n_rows, n_groups))


def make_judge(
    kind: type[_Judge],
    frame: Native,
    schema: Schema,
    settle: Callable[[FrequencyTable], PrivacyModel],
    expected: Mapping[str, Mapping[str | None, int]] | None = None,
) -> tuple[_Judge, int]:
    """What workers judge by, from the counted columns of the whole output, and its rows."""
    counted = list(dict.fromkeys([*schema.sensitive, *([schema.target] if schema.target else [])]))
    codes, codings, histograms, found = {}, {}, {}, 0
    for name in counted:
        said = _texts(frame, name)
        if expected is not None and said != dict(expected[name]):
            raise GuaranteeError(
                f"column {name!r}: values do not stand in the output as often as in the source. "
                + _WITHHELD
            )
        codings[name], codes[name] = _code(name, schema, said)
        rows = np.zeros(codings[name].n_codes, np.int64)
        for text, n in said.items():
            rows[codes[name][text]] += n
        found = int(rows.sum())
        histograms[name] = _one_group(codings[name], rows)
    found = found if counted else int(frame.count())
    none = np.empty((1, 0), np.int32)
    whole = FrequencyTable((), none, np.array([found], np.int64), histograms)
    return kind(settle(whole), schema.quasi_identifiers, codes, codings), found


def _judge_columns(frame: Native, schema: Schema) -> None:
    strange = [
        name for name in frame.columns if name not in schema or schema[name].role in NEVER_RELEASED
    ]
    if strange:
        raise GuaranteeError(
            f"the output has columns that may not be released: {', '.join(map(repr, strange))}. "
            + _WITHHELD
        )
    if lost := [name for name in schema.quasi_identifiers if name not in frame.columns]:
        raise GuaranteeError(
            f"the output lacks quasi-identifiers: {', '.join(map(repr, lost))}. {_WITHHELD}"
        )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _texts(frame: Native, name: str) -> dict[str | None, int]:
    """Rows of the output with each value of a column, by the value's text in canonical form."""
    counts = moments_as_texts(frame).groupBy(_quoted(name)).count().collect()
    said: dict[str | None, int] = {}
    for value, n in counts:
        text = canonical(plain_text(value))
        said[text] = said.get(text, 0) + int(n)
    return said


def _code(
    name: str, schema: Schema, said: Mapping[str | None, int]
) -> tuple[Coding, dict[str | None, int]]:
    values = [text for text in said if text is not None]
    coding = make_coding(name, schema[name], values, has_missing=None in said)
    return coding, {text: coding.code_of[text] for text in said}


def _one_group(coding: Coding, rows: np.ndarray) -> Histogram:
    codes = np.flatnonzero(rows).astype(np.int32)
    return Histogram(coding, np.array([0, len(codes)], np.int64), codes, rows[codes])


def _histogram(
    coding: Coding, group_of: np.ndarray, codes: np.ndarray, rows: np.ndarray, n_groups: int
) -> Histogram:
    room = max(coding.n_codes, 1)
    entries, inverse = np.unique(group_of * room + codes, return_inverse=True)
    counts = np.bincount(inverse.reshape(-1), weights=rows, minlength=len(entries))
    start = np.searchsorted(entries, np.arange(n_groups + 1, dtype=np.int64) * room)
    return Histogram(
        coding,
        start.astype(np.int64),
        (entries % room).astype(np.int32),
        counts.astype(np.int64),
    )


def ask_workers(
    frame: Native, judge: GroupJudge, n_rows: int, n_groups: int | None = None
) -> list[dict[str, Any]]:
    """What the workers say of the groups; a group is judged by one of them.

    `n_groups` is how many there are thought to be.  No verdict rests on it: where many rows are
    alike they are counted before they travel, otherwise that would be done in vain.
    """
    listed = [f"{_quoted(name)} AS q{i}" for i, name in enumerate(judge.quasi)]
    listed += [f"{_quoted(name)} AS s{i}" for i, name in enumerate(judge.codes)]
    texts = moments_as_texts(frame).selectExpr(*listed)
    labels = [f"q{i}" for i in range(len(judge.quasi))]
    n_parts = 1 + n_rows // _ROWS_TOGETHER
    values = prod(coding.n_codes for coding in judge.codings.values())
    if n_groups is not None and n_groups * values * _ALIKE <= n_rows:
        counts = texts.groupBy(*texts.columns).count().repartition(n_parts, *labels)
    else:  # rows of a group are in one part already, so counting moves none of them
        counts = texts.repartition(n_parts, *labels).groupBy(*texts.columns).count()
    said = (
        counts.withColumnRenamed("count", "shoal_rows")
        .mapInArrow(_worker(judge), "said string")
        .collect()
    )
    return [json.loads(row[0]) for row in said]


def moments_as_texts(frame: Native) -> Native:
    """Moments as texts by the clock of the session: driver and workers may have other clocks."""
    return frame.selectExpr(
        *(
            f"CAST({_quoted(name)} AS STRING) AS {_quoted(name)}"
            if kind == "timestamp"
            else _quoted(name)
            for name, kind in frame.dtypes
        )
    )


def _worker(judge: GroupJudge) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow = find_pyarrow()
        if held := list(batches):
            said = json.dumps(judge.judge(pyarrow.Table.from_batches(held)))
            yield pyarrow.RecordBatch.from_pydict({"said": [said]})

    return work


def figures_of(groups: FrequencyTable, levels: Sequence[Level]) -> dict[str, Any]:
    sizes, counts = np.unique(groups.sizes, return_counts=True)
    tops = {}
    for name, histogram in groups.histograms.items():
        top = np.zeros(groups.n_groups, np.int64)
        np.maximum.at(top, histogram.group_of_entry, histogram.counts)
        certain = int(groups.sizes[top == groups.sizes].sum())
        tops[name] = (int(top.sum()), certain, float((top / groups.sizes).max(initial=0.0)))
    return {
        "sizes": [[int(size), int(n)] for size, n in zip(sizes, counts, strict=True)],
        "tops": tops,
        "levels": [[level.reached, level.failing_groups, level.failing_rows] for level in levels],
    }


def _combine(privacy: PrivacyModel, said: Sequence[Mapping[str, Any]]) -> ClusterVerdict:
    verdict = add_up(privacy, said)
    for level in verdict.levels:
        if not level.holds:
            raise GuaranteeError(
                f"{level.failing_groups} groups of the output ({level.failing_rows} rows) break "
                f"the promise: {level.description}. {_WITHHELD}"
            )
    return verdict


def add_up(privacy: PrivacyModel, said: Sequence[Mapping[str, Any]]) -> ClusterVerdict:
    """What workers said of some groups each, as said of all."""
    sizes: dict[int, int] = {}
    tops: dict[str, tuple[int, int, float]] = {}
    for one in said:
        for size, n in one["sizes"]:
            sizes[size] = sizes.get(size, 0) + n
        for name, (top, certain, share) in one["tops"].items():
            had = tops.get(name, (0, 0, 0.0))
            tops[name] = (had[0] + top, had[1] + certain, max(had[2], share))
    levels = []
    for number, part in enumerate(privacy.parts):
        reached, failing, rows = zip(*(one["levels"][number] for one in said), strict=True)
        worst = (min if part.larger_is_better else max)(reached)
        levels.append(
            Level(part.to_dict(), part.describe(), part.required, worst, sum(failing), sum(rows))
        )
    return ClusterVerdict(dict(sorted(sizes.items())), tops, tuple(levels))
