"""The verdict on rows that were released on a cluster; none of them is collected.

What is checked, each from what stands in the written files:

- the columns are those that the schema lets out, without notes on them, and there are as many rows
  as were to be released;
- where no row was left out, every sensitive value stands there as often as in the source;
- what rows have in columns that are released as they are, the source has together, as often;
- ranges that are to end on public lines do not end at a number or day that few rows have;
- rows with equal text in all quasi-identifiers keep the promise: Spark groups them where columns
  are texts and few values are counted, else workers count them where they lie and counts of a group
  travel to one worker; groups are judged by the plain definition, some of them at a time.

That labels cover the values behind them, the workers check before they hand out a label.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from shoal.errors import GuaranteeError
from shoal.judge._labels import LabelReader
from shoal.judge._text_table import find_pyarrow, plain_text
from shoal.judge._values import canonical
from shoal.judge.cluster._group_judge import GroupJudge
from shoal.judge.cluster._other_columns import judge_others
from shoal.judge.cluster._range_ends import judge_ends
from shoal.judge.cluster._spark_groups import (
    GROUPS_TOGETHER,
    count_groups,
    group_asker,
    spark_counts,
)
from shoal.privacy import PrivacyModel
from shoal.privacy._model import Level
from shoal.schema import Schema
from shoal.schema._coding import Coding, make_coding
from shoal.schema._column import NEVER_RELEASED
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram
from shoal.typing import Counts, Native

_WITHHELD = "It is withheld; please report this defect."

_ROWS_TOGETHER = 500_000
"""Rows whose groups a worker counts at a time, before they travel."""


class ClusterVerdict(NamedTuple):
    """What the judge counted: groups of each size, most frequent values, and levels.

    `tops` has, for each counted column, how many rows have the most frequent value of their group,
    how many are in groups with one value only, and the largest share of a value.
    """

    sizes: dict[int, int]
    tops: dict[str, tuple[int, int, float]]
    levels: tuple[Level, ...]


_Judge = TypeVar("_Judge", bound=GroupJudge)


def judge_cluster(
    frame: Native,
    schema: Schema,
    n_rows: int,
    settle: Callable[[FrequencyTable], PrivacyModel],
    expected: Mapping[str, Mapping[str | None, int]] | None = None,
    n_groups: int | None = None,
    source: Native | None = None,
    held: Mapping[str, tuple[LabelReader, Sequence[str | None], Counts]] | None = None,
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
    source : Spark DataFrame, optional
        The rows that were released, for the columns that are released as they are.
    held : mapping, optional
        For quasi-identifiers, how labels are read, the texts of the source, and rows with each.
    """
    _judge_columns(frame, schema)
    judge, n_read = make_judge(GroupJudge, frame, schema, settle, expected)
    if n_read != n_rows:
        raise GuaranteeError(
            f"the output has {n_read} rows where {n_rows} were to be released. {_WITHHELD}"
        )
    if source is not None:
        judge_others(frame, source, schema, keeps_all=expected is not None)
    judge_ends(frame, held or {}, judge.privacy.minimum_size)
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
    codes, codings, histograms, values, n_read = {}, {}, {}, {}, 0
    for name in counted:
        seen = _values(frame, name)
        said: dict[str | None, int] = {}
        for _, text, n in seen:
            said[text] = said.get(text, 0) + n
        if expected is not None and said != dict(expected[name]):
            raise GuaranteeError(
                f"column {name!r}: values do not stand in the output as often as in the source. "
                + _WITHHELD
            )
        codings[name], codes[name] = _code(name, schema, said)
        rows = np.zeros(codings[name].n_codes, np.int64)
        for text, n in said.items():
            rows[codes[name][text]] += n
        n_read = int(rows.sum())
        histograms[name] = _one_group(codings[name], rows)
        values[name] = [(value, codes[name][text]) for value, text, _ in seen]
    n_read = n_read if counted else int(frame.count())
    none = np.empty((1, 0), np.int32)
    whole = FrequencyTable((), none, np.array([n_read], np.int64), histograms)
    return kind(settle(whole), schema.quasi_identifiers, codes, codings, values), n_read


def _judge_columns(frame: Native, schema: Schema) -> None:
    strange = [
        name for name in frame.columns if name not in schema or schema[name].role in NEVER_RELEASED
    ]
    if strange:
        raise GuaranteeError(
            f"the output has columns that may not be released: {', '.join(map(repr, strange))}. "
            + _WITHHELD
        )
    if noted := [field.name for field in frame.schema.fields if field.metadata]:
        raise GuaranteeError(
            "the output holds more than its cells: metadata of the columns "
            f"{', '.join(map(repr, noted))}. {_WITHHELD}"
        )
    if lost := [name for name in schema.quasi_identifiers if name not in frame.columns]:
        raise GuaranteeError(
            f"the output lacks quasi-identifiers: {', '.join(map(repr, lost))}. {_WITHHELD}"
        )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _values(frame: Native, name: str) -> list[tuple[Any, str | None, int]]:
    """Each value of a column of the output, its text in canonical form, and its rows."""
    counts = moments_as_texts(frame).groupBy(_quoted(name)).count().collect()
    return [(value, canonical(plain_text(value)), int(n)) for value, n in counts]


def _code(
    name: str, schema: Schema, said: Mapping[str | None, int]
) -> tuple[Coding, dict[str | None, int]]:
    values = [text for text in said if text is not None]
    coding = make_coding(name, schema[name], values, has_missing=None in said)
    return coding, {text: coding.code_of[text] for text in said}


def _one_group(coding: Coding, rows: np.ndarray) -> Histogram:
    codes = np.flatnonzero(rows).astype(np.int32)
    return Histogram(coding, np.array([0, len(codes)], np.int64), codes, rows[codes])


def ask_workers(
    frame: Native, judge: GroupJudge, n_rows: int, n_groups: int | None = None
) -> list[dict[str, Any]]:
    """What the workers say of the groups; a group is judged by one of them.

    `n_groups` is how many there are thought to be.  No verdict rests on it: it says among how many
    tasks they are divided.
    """
    listed = [f"{_quoted(name)} AS q{i}" for i, name in enumerate(judge.quasi)]
    listed += [f"{_quoted(name)} AS s{i}" for i, name in enumerate(judge.codes)]
    texts = moments_as_texts(frame).selectExpr(*listed)
    labels = [f"q{i}" for i in range(len(judge.quasi))]
    if spark_counts(texts, judge):
        said = count_groups(texts, judge, labels).mapInArrow(group_asker(judge), "said string")
        return [json.loads(row[0]) for row in said.collect()]
    fields = [f"{name} {kind}" for name, kind in texts.dtypes if name in labels]
    fields += ["shoal_rows bigint"]
    fields += [f"h{i} array<int>, m{i} array<int>" for i in range(len(judge.codes))]
    n_parts = 1 + (n_rows if n_groups is None else n_groups) // GROUPS_TOGETHER
    said = (
        texts.mapInArrow(_counter(judge), ", ".join(fields))
        .repartition(n_parts, *labels)
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


def _counter(judge: GroupJudge) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Groups of some rows at a time: what a worker holds does not grow with its rows."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow = find_pyarrow()
        held: list[Any] = []
        n_rows = 0
        for batch in batches:
            held.append(batch)
            n_rows += batch.num_rows
            if n_rows >= _ROWS_TOGETHER:
                yield from judge.count_rows(pyarrow.Table.from_batches(held)).to_batches()
                held, n_rows = [], 0
        if n_rows:
            yield from judge.count_rows(pyarrow.Table.from_batches(held)).to_batches()

    return work


def _worker(judge: GroupJudge) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow = find_pyarrow()
        if held := list(batches):
            said = json.dumps(judge.judge(judge.count(pyarrow.Table.from_batches(held))))
            yield pyarrow.RecordBatch.from_pydict({"said": [said]})

    return work


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
