"""Columns that are released as they are, compared with the source on the cluster.

A name that stands where a place of work should, or a value that moved to another row, is no value
of the source there.  Rows have no numbers on a cluster, so all rows are compared at once: what each
has in these columns together has to stand as often as in the source.

- Where no row was left out: the sums of two hashes of every row are the same.  Rows that differ
  agree by chance only, about once in 2^96; this finds defects, it is no seal.
- Where rows were left out: no row stands there more often than in the source, found exactly.
"""

from __future__ import annotations

from shoal.errors import GuaranteeError
from shoal.schema import Schema
from shoal.typing import Native


def judge_others(written: Native, source: Native, schema: Schema, *, keeps_all: bool) -> None:
    """Raise :class:`GuaranteeError` unless released columns say what the source says.

    Parameters
    ----------
    written, source : Spark DataFrame
        The written files, read again, and the rows that they were made of.
    schema : Schema
        What the columns are.
    keeps_all : bool
        Whether every row was released.
    """
    names = [name for name in written.columns if schema[name].role != "quasi-identifier"]
    if all(schema[name].role == "sensitive" for name in names):
        return  # each is counted by itself, value by value
    absent = [name for name in names if name not in source.columns]
    if absent or not _agree(_texts(written, names), _texts(source, names), keeps_all=keeps_all):
        shown = ", ".join(map(repr, absent or names))
        raise GuaranteeError(
            f"columns {shown}: rows of the output have values that the source does not have "
            "together. It is withheld. Does the table give other rows each time it is read? Then "
            "write it to files first; else please report this defect."
        )


def _agree(written: Native, source: Native, *, keeps_all: bool) -> bool:
    if keeps_all:
        return _sums(written) == _sums(source)
    return int(written.exceptAll(source).limit(1).count()) == 0


def _sums(texts: Native) -> tuple[object, ...]:
    listed = ", ".join(texts.columns)
    hashed = texts.selectExpr(
        f"CAST(xxhash64({listed}) AS DECIMAL(38, 0)) AS a",
        f"CAST(hash({listed}) AS DECIMAL(38, 0)) AS b",
        "1L AS n",
    )
    (row,) = hashed.groupBy().sum("a", "b", "n").collect()
    return tuple(row)


def _texts(frame: Native, names: list[str]) -> Native:
    """Values as texts of which none is missing: hashes pass over what is."""
    kinds = dict(frame.dtypes)
    said = [_said("`" + name.replace("`", "``") + "`", kinds[name]) for name in names]
    return frame.selectExpr(
        *(f"coalesce(concat('v', {text}), 'n') AS o{i}" for i, text in enumerate(said))
    )


def _said(value: str, kind: str) -> str:
    """SQL for the text of a value; numbers that are none are missing, and there is one zero."""
    if kind in ("float", "double"):
        zero = f"CAST(0 AS {kind})"
        return f"CAST(CASE WHEN isnan({value}) THEN NULL ELSE {value} + {zero} END AS STRING)"
    return f"lower(hex({value}))" if kind == "binary" else f"CAST({value} AS STRING)"
