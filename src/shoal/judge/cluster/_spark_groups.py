"""Groups that Spark counts by itself, where it tells values apart as the judge does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from shoal.judge._text_table import find_pyarrow
from shoal.judge.cluster._group_judge import GroupJudge
from shoal.typing import Native

GROUPS_TOGETHER = 100_000
"""Groups that a worker judges at a time."""

LEAST_VALUES_FOR_WORKERS = 33
"""Values of counted columns from which on workers count them in groups, and not Spark."""


def spark_counts(texts: Native, judge: GroupJudge) -> bool:
    """Whether Spark groups as the judge does: by texts, and with few values to be counted."""
    n_values = sum(len(values) for values in judge.values.values())
    n_marks = sum(coding.n_codes for coding in judge.codings.values())
    plain = all(kind == "string" for _, kind in texts.dtypes)
    few = max(n_values, n_marks, 1) < LEAST_VALUES_FOR_WORKERS
    return plain and few and len(judge.values) == len(judge.codes)


def count_groups(texts: Native, judge: GroupJudge, labels: Sequence[str]) -> Native:
    """Rows of each group, and in it of each code of each counted column; labels stay behind."""
    marks = [
        _is_one_of(f"s{i}", [value for value, own in judge.values[name] if own == code])
        for i, name in enumerate(judge.codes)
        for code in range(judge.codings[name].n_codes)
    ]
    listed = [f"if({mark}, 1L, 0L) AS m{i}" for i, mark in enumerate(marks)]
    counted = [f"m{i}" for i in range(len(marks))]
    added = texts.selectExpr(*labels, "1L AS n", *listed).groupBy(*labels).sum("n", *counted)
    return added.selectExpr(*(f"`sum({name})` AS {name}" for name in ("n", *counted)))


def _is_one_of(column: str, values: Sequence[str | None]) -> str:
    """A condition of SQL that a text is one of some; texts by their bytes, so that none ends it."""
    same = [
        f"{column} IS NULL"
        if value is None
        else f"coalesce({column} = CAST(X'{value.encode().hex()}' AS STRING), FALSE)"
        for value in values
    ]
    return " OR ".join(same) or "FALSE"


def group_asker(judge: GroupJudge) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Judges groups that Spark has counted: each is in one row, so any of them go together."""

    def work(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow = find_pyarrow()
        held: list[Any] = []
        while True:
            batch = next(batches, None)
            held += [] if batch is None else [batch]
            if held and (batch is None or sum(map(len, held)) >= GROUPS_TOGETHER):
                groups = judge.of_counts(pyarrow.Table.from_batches(held))
                yield pyarrow.RecordBatch.from_pydict({"said": [json.dumps(judge.judge(groups))]})
                held = []
            if batch is None:
                return

    return work
