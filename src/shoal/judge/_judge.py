"""The verdict on released rows, before they may be handed out.

What is checked, each from the texts that stand in the output:

- the columns are those that the schema lets out, and nothing is stored besides the cells: no
  metadata, no index, no entry of a dictionary that no row uses;
- there are as many rows as were to be released, and no row of the source stands behind two;
- every label covers the value of the row behind it, and every other cell says what the source says
  there; so no cell holds an identifier, or a value that only suppressed rows have;
- ranges that are to end on public lines do not end at a number or day that few people have;
- every rounded value is its source's nearest multiple, and none lies beyond its top or bottom;
- every mean is that of its group, rounded to its step, and all rows of the group have it;
- rows with equal text in all quasi-identifiers, starred ones among them, keep the promise.

Of manifest and schema it is checked, from their bytes, that they list no value of people.  What may
stand there of a column's values is what the cells of the release say, what the schema declares
public, and labels that stand above either.  The rest of both files is counts, names of columns and
words of Shoal's own.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import GuaranteeError
from shoal.judge._count import aware_of_spellings, code_counted, count_texts, person_codes
from shoal.judge._days import day_orders
from shoal.judge._forms import Claim, to_labels
from shoal.judge._keyed import judge_shift, judge_tokens
from shoal.judge._labels import STAR, LabelReader
from shoal.judge._means import RANGE_ENDS, Members, end_of_range, is_on_its_side, judge_means
from shoal.judge._proofs import ends_of_few, unproven_pairs
from shoal.judge._text_table import BLOCK, TextColumn, TextTable, take
from shoal.judge._values import same_value
from shoal.judge.numbers._coarse import judge_coarse
from shoal.judge.numbers._group_means import judge_group_means
from shoal.privacy import PrivacyModel
from shoal.schema import Schema
from shoal.schema._column import NEVER_RELEASED
from shoal.tables import FrequencyTable
from shoal.tables._people import People
from shoal.typing import Codes, Flags

_WITHHELD = "It is withheld; please report this defect."
_BETWEEN = re.compile("(?=( to |-))")
"""What may stand between the ends of a range, wherever it begins."""


@dataclass(frozen=True, eq=False)
class Charge:
    """What the output is measured by.

    Parameters
    ----------
    schema : Schema
        Roles of the columns.
    privacy : PrivacyModel
        The promise.
    n_rows : int
        Rows that were to be released.
    readers : mapping of str to LabelReader
        For every quasi-identifier, how its labels are read.
    ranges : sequence of str
        Quasi-identifiers with columns `NAME_min`, `NAME_max` and `NAME_mean` besides.
    claim : Claim
        Columns that are written in another form, with the labels behind them.
    key : bytes or None
        Of tokens and shifted dates.
    prepare : callable
        Adds to the counted groups what the privacy model needs besides (a population).
    """

    schema: Schema
    privacy: PrivacyModel
    n_rows: int
    readers: Mapping[str, LabelReader]
    ranges: Sequence[str] = ()
    claim: Claim = field(default_factory=Claim)
    key: bytes | None = field(default=None, repr=False)
    prepare: Callable[[FrequencyTable], FrequencyTable] = field(default=lambda groups: groups)


def judge(
    charge: Charge, written: TextTable, source: TextTable | None, row_ids: NDArray[np.int64] | None
) -> FrequencyTable:
    """Raise :class:`GuaranteeError` unless the output keeps the promise; returns its groups.

    `row_ids` says which row of `source` stands behind each row that was written; without them the
    rows are counted, and not compared.
    """
    _judge_shape(charge, written)
    cells = written
    written, merged = to_labels(charge.claim, written) if charge.claim.labels else (written, None)
    people = None
    if source is not None and row_ids is not None:
        seen = np.zeros(source.n_rows, np.bool_)
        inside = len(row_ids) == 0 or (row_ids.min() >= 0 and row_ids.max() < source.n_rows)
        for start in range(0, len(row_ids) if inside else 0, BLOCK):
            seen[row_ids[start : start + BLOCK]] = True
        if not inside or len(row_ids) != written.n_rows or int(seen.sum()) != len(row_ids):
            raise GuaranteeError(
                "the rows of the output are not the rows of the source, each at most once: "
                f"{len(row_ids)} numbers for {written.n_rows} rows, source of {source.n_rows}. "
                "Was the source changed meanwhile? If not: " + _WITHHELD
            )
        for name in written.columns:
            _judge_column(charge, name, written.columns[name], source, row_ids)
        if charge.schema.subject is not None:
            people = person_codes(source.columns[charge.schema.subject])[row_ids]
    aware = nullcontext() if people is None else aware_of_spellings(charge.schema.subject, source)
    with aware:
        groups = _judge_groups(charge, written, people)
        if merged is not None:
            _judge_groups(charge, merged, people)
    if source is not None and row_ids is not None and (charge.ranges or charge.claim.steps):
        _judge_means(charge, (cells, written), source, row_ids, people)
    return groups


def _judge_means(
    charge: Charge,
    tables: tuple[TextTable, TextTable],
    source: TextTable,
    row_ids: NDArray[np.int64],
    people: Codes | None,
) -> None:
    """Columns of means, made again from the source; `tables` are what was written, and labels."""
    written, labelled = tables
    _, group_of = count_texts(labelled, charge.schema, {})
    members = Members(group_of, people, charge.privacy.minimum_size)
    for name in charge.ranges:
        mean, own = labelled.columns.get(f"{name}_mean"), source.columns.get(name)
        if mean is not None and own is not None:
            judge_means(f"{name}_mean", mean, own, own.codes[row_ids], members)
    for name, step in charge.claim.steps.items():
        own = source.columns[name]
        judge_group_means(name, written.columns[name], own, own.codes[row_ids], members, step)


def _judge_shape(charge: Charge, written: TextTable) -> None:
    """The columns are those that may be released, no row is missing, and nothing is added."""
    schema = charge.schema
    allowed = {name for name in schema if schema[name].role not in NEVER_RELEASED}
    allowed |= {name + end for name in charge.ranges for end in RANGE_ENDS}
    if charge.claim.labels:
        allowed = (allowed - set(charge.claim.labels)) | charge.claim.names()
    if strange := [name for name in written.columns if name not in allowed]:
        raise GuaranteeError(
            f"the output has columns that may not be released: {', '.join(map(repr, strange))}. "
            + _WITHHELD
        )
    stand_in = {*written.columns, *charge.claim.labels}
    if lost := [name for name in schema.quasi_identifiers if name not in stand_in]:
        raise GuaranteeError(
            f"the output lacks quasi-identifiers: {', '.join(map(repr, lost))}. {_WITHHELD}"
        )
    if written.side_doors:
        raise GuaranteeError(
            f"the output holds more than its cells: {', '.join(written.side_doors)}. {_WITHHELD}"
        )
    if written.n_rows != charge.n_rows:
        raise GuaranteeError(
            f"the output has {written.n_rows} rows where {charge.n_rows} were to be released. "
            + _WITHHELD
        )


def _judge_column(
    charge: Charge,
    name: str,
    column: TextColumn,
    source: TextTable,
    row_ids: NDArray[np.int64],
) -> None:
    origin, end = (name, None) if name in charge.schema else end_of_range(name)
    if origin not in source.columns:
        raise GuaranteeError(f"column {name!r} of the output is none of the source. {_WITHHELD}")
    own = source.columns[origin]
    reader = charge.readers.get(name)
    values = take(own.codes, row_ids)
    described = charge.schema.get(name)
    if described is not None and described.role == "pseudonym":
        judge_tokens(name, column, own, values, charge.key)
        return
    if described is not None and described.most_days and charge.schema.subject is not None:
        people = source.columns[charge.schema.subject]
        person = people.codes[row_ids]
        judge_shift(name, column, own, values, people, person, charge.key, described.most_days)
        return
    if described is not None and described.is_coarse:
        subject = charge.schema.subject
        people = None if subject is None else take(source.columns[subject].codes, row_ids)
        judge_coarse(name, column, own, values, described, people)
        return
    if end is not None:
        fine: Callable[[str | None, str | None], bool] = partial(is_on_its_side, RANGE_ENDS[end])
    else:
        fine = same_value if reader is None else reader.covers
    is_date = reader is not None and reader.kind == "date" and end is None
    for read in day_orders(own) if is_date else [own]:  # all days of a column in one order
        wrong = [
            (label, value)
            for label, value in unproven_pairs(reader, column, read, values)
            if not fine(column.texts[label], read.texts[value])
        ]
        if not wrong:
            break
    if wrong:
        rows = _count_rows(wrong, column.codes, values)
        what = "labels that do not cover the value behind them" if name in charge.readers else (
            "values that the source does not have there"
        )  # fmt: skip
        raise GuaranteeError(f"column {name!r}: {rows} rows have {what}. {_WITHHELD}")
    fewest = charge.privacy.minimum_size
    people = source.columns.get(charge.schema.subject or "")
    if reader is not None and (few := ends_of_few(reader, column.texts, read, fewest, people)):
        raise GuaranteeError(
            f"column {name!r}: {few} ranges end at a value that fewer than {fewest} people have, "
            f"and at no public line. {_WITHHELD}"
        )


def _count_rows(pairs: Sequence[tuple[int, int]], labels: Codes, values: Codes) -> int:
    wrong = np.array(pairs, np.int64)
    room = int(values.max(initial=0)) + 1
    packed = labels.astype(np.int64) * room + values
    return int(np.isin(packed, wrong[:, 0] * room + wrong[:, 1]).sum())


def _judge_groups(charge: Charge, written: TextTable, people: Codes | None) -> FrequencyTable:
    schema, privacy = charge.schema, charge.privacy
    target = schema.target
    counted = dict.fromkeys([*schema.sensitive, *([target] if target else [])])
    groups, group_of = count_texts(written, schema, counted)
    if people is not None:
        values = {
            name: code_counted(name, written.columns[name], schema)[1] for name in groups.histograms
        }
        _judge_people(charge, groups, group_of, people, values)
        return groups
    counted = charge.prepare(groups)
    failing = ~privacy.holds(counted)
    if failing.any():
        raise GuaranteeError(_broken(counted, failing, privacy))
    return groups


def _judge_people(
    charge: Charge,
    groups: FrequencyTable,
    group_of: NDArray[np.int64],
    people: Codes,
    values: Mapping[str, Codes],
) -> None:
    """Every group holds the number of different people that the promise asks for."""
    privacy, room = charge.privacy, int(people.max(initial=0)) + 1
    members = np.unique(group_of * room + people) // room
    few = np.bincount(members, minlength=groups.n_groups) < privacy.minimum_size
    if few.any():
        raise GuaranteeError(_broken(groups, few, privacy, "people"))
    ones = np.ones(len(people), np.int64)
    households = charge.schema.household is not None
    counted = People(people.astype(np.int64), group_of, values, ones, households).count(
        groups,
        np.arange(groups.n_groups),
        tuple(values),
        together=not privacy.judges_groups_alone,
    )
    for table in counted:
        table = charge.prepare(table)
        failing = ~privacy.holds(table)
        if failing.any():
            raise GuaranteeError(_broken(table, failing, privacy))


def _broken(
    groups: FrequencyTable, failing: Flags, privacy: PrivacyModel, counted: str = "rows"
) -> str:
    starred = np.ones(groups.n_groups, np.bool_)
    for column, coding in enumerate(groups.codings):
        starred &= groups.keys[:, column] == coding.code_of.get(STAR, -1)
    without = groups.merge(np.where(starred, -1, np.cumsum(~starred) - 1), int((~starred).sum()))
    only_stars = counted == "rows" and starred.any() and privacy.holds(without).all()
    if only_stars or not (failing & ~starred).any():
        failing = failing & starred if (failing & starred).any() else starred
        rows = int(groups.sizes[failing].sum())
        return (
            f"the {rows} suppressed rows that were to be kept, starred, are a group that breaks "
            f"the promise: {privacy.describe()}. Leave them out: do not keep suppressed rows."
        )
    if counted == "people":
        return (
            f"{int(failing.sum())} groups of the output have rows of fewer than "
            f"{privacy.minimum_size} people. {_WITHHELD}"
        )
    return (
        f"{int(failing.sum())} groups of the output ({int(groups.sizes[failing].sum())} rows) "
        f"break the promise: {privacy.describe()}. {_WITHHELD}"
    )


# -- manifest and schema beside the table: they list no value of people ---------------------------


def told_by(groups: FrequencyTable) -> dict[str, set[str]]:
    """What cells of a release say, by column, as they were counted by the judge."""
    used = {
        coding.name: (coding, groups.keys[:, column])
        for column, coding in enumerate(groups.codings)
    }
    used |= {name: (counts.coding, counts.codes) for name, counts in groups.histograms.items()}
    return {
        name: {text for code in np.unique(codes) if (text := coding.texts[code]) is not None}
        for name, (coding, codes) in used.items()
    }


def judge_companions(
    manifest: Path, schema: Path, own: Schema, told: Mapping[str, Collection[str]]
) -> None:
    """Raise unless the written files list no value of `own` that the release does not tell."""
    published = {
        "the schema": tomllib.loads(schema.read_text("utf-8")),
        "the manifest": json.loads(manifest.read_text("utf-8"))["schema"],
    }
    for what, plain in published.items():
        if "reading" in plain:  # sheets and words for nothing may be anybody's
            raise GuaranteeError(
                f"{what} beside the output tells how the raw table is read. {_WITHHELD}"
            )
        for name, column in plain["columns"].items():
            if own[name].public:
                continue
            cells = list(told.get(name, ()))
            if sign := column.get("separator"):  # sets: what is told is items
                cells = [item.strip() for cell in cells for item in cell.split(sign)]
            said = {*cells, *(cell.rpartition(" [level ")[0] for cell in cells)}
            for cell in cells:  # a range says what it begins and ends with
                for sign in _BETWEEN.finditer(cell) if cell[:1] == "[" else ():
                    said.add(cell[1 : sign.start()])
                    if cell[-1] == "]":
                        said.add(cell[sign.end(1) : -1])
            if lost := [text for text in _listed(column) if text not in said]:
                raise GuaranteeError(
                    f"{what} beside the output lists {len(lost)} values of column {name!r} that no "
                    f"released row has. {_WITHHELD}"
                )


def _listed(column: Mapping[str, Any]) -> list[str]:
    """Values that a column of a schema lists: orders, limits, leaves of trees, first labels."""
    listed = [*column.get("order", ()), *column.get("limit", ())]
    hierarchy = column.get("hierarchy")
    if isinstance(hierarchy, Mapping):
        listed += [str(way[0]) for way in hierarchy.get("levels", ())]
        trees = [hierarchy.get("tree", {})]
        while trees:
            tree = trees.pop()
            if isinstance(tree, Mapping):
                trees += [below for below in tree.values() if below]
                tree = [label for label, below in tree.items() if not below]
            listed += map(str, tree)
    return listed
