"""The last word before anything is handed out: the judge reads the output and the source.

Solvers and engines have no part in it: see :mod:`shoal.judge`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shoal.anonymize._subjects import count_groups
from shoal.errors import GuaranteeError, TableError
from shoal.judge._count import code_counted, count_texts, person_codes
from shoal.judge._forms import Claim, join_intervals
from shoal.judge._judge import Charge, judge
from shoal.judge._labels import STAR, LabelReader
from shoal.judge._read_files import open_text, read_texts, with_own_header
from shoal.judge._side_doors import text_doors
from shoal.judge._text_table import TextColumn, TextTable
from shoal.judge._values import canonical, is_missing
from shoal.privacy import PrivacyModel
from shoal.privacy._model import POPULATION
from shoal.schema import Column, Schema
from shoal.tables import FrequencyTable, RowOptions, open_table
from shoal.tables._engine import Engine, Witness
from shoal.tables._people import People, count_people, require_named
from shoal.tables._recoded import Recoded
from shoal.tables.engines._duck_engine import DuckEngine
from shoal.tables.engines._engines import ENGINES
from shoal.tables.forms._means import mean_step
from shoal.typing import Codes, Flags, Native


def recheck(
    table: Native,
    schema: Schema,
    privacy: PrivacyModel,
    output: RowOptions,
    recoded: Recoded,
    witness: Witness | None = None,
) -> FrequencyTable:
    """Raise :class:`GuaranteeError` unless the released rows keep the promise.

    With a `witness` every cell is compared with the row of the source behind it.
    """
    if witness is None:
        written, source = read_texts(table), None
    else:
        written, source = _read_both(table, witness, schema)
    n_rows = recoded.n_released_rows
    if output.keep_suppressed:
        n_rows = written.n_rows if source is None else source.n_rows
    labelled = {} if witness is None else witness.labels
    readers = {}
    for labels in recoded.labels:
        coding, tree = labels.coding, labels.coding.hierarchy
        readers[coding.name] = LabelReader(
            coding.kind,
            schema[coding.name].order or (),
            () if tree is None else tree.labels,
            () if tree is None else tree.parent.tolist(),
            on_lines=labels.ends is not None,
            step=schema[coding.name].lines,
        )
    charge = Charge(
        schema=schema,
        privacy=privacy,
        n_rows=n_rows,
        readers=readers,
        ranges=output.ranges,
        claim=_claim(recoded, output, labelled) if labelled else Claim(),
        key=output.key,
        prepare=lambda groups: privacy.prepare(
            # people of a population are found by what labels say
            _as_labels(groups, recoded) if POPULATION in recoded.groups.histograms else groups,
            recoded,
        ),
    )
    return judge(charge, written, source, None if witness is None else witness.row_ids)


def _claim(
    recoded: Recoded,
    output: RowOptions,
    labelled: Mapping[str, tuple[tuple[str | None, ...], Codes]],
) -> Claim:
    return Claim(
        output.form,
        {name: TextColumn(codes, texts) for name, (texts, codes) in labelled.items()},
        {labels.coding.name: labels.coding.kind for labels in recoded.labels},
        {
            labels.coding.name: (output.draw_seed or 0) + column
            for column, labels in enumerate(recoded.labels)
        },
        {
            labels.coding.name: mean_step(labels.coding)
            for labels in recoded.labels
            if output.form == "means" and labels.coding.name in labelled
        },
    )


def _as_labels(groups: FrequencyTable, recoded: Recoded) -> FrequencyTable:
    """The same groups with texts spelt as labels are: a number may be written with its point."""
    codings = []
    for coding in groups.codings:
        labels = next(part for part in recoded.labels if part.coding.name == coding.name)
        if set(coding.texts) <= set(labels.texts):
            codings.append(coding)
            continue
        spelt = {canonical(text): text for text in labels.texts}
        if "" in spelt:
            spelt.setdefault(None, "")  # not every file can tell an empty text from none
        texts = tuple(spelt.get(canonical(text), text) for text in coding.texts)
        codings.append(replace(coding, texts=texts))
    return replace(groups, codings=tuple(codings))


def _read_both(table: Native, witness: Witness, schema: Schema) -> tuple[TextTable, TextTable]:
    """The written table and the source, read by their text; the dialect is given."""
    dialect = witness.written
    if dialect is not None and isinstance(table, Path) and table.is_file():
        dialect = with_own_header(table, dialect)
    names = [name for name in schema if schema[name].role != "identifier"]
    read = partial(read_texts, witness.source, names=names, dialect=witness.dialect)
    with ThreadPoolExecutor(1) as pool:
        # tables that are no files may share one connection: they are read one after another
        both = isinstance(table, Path) and isinstance(witness.source, tuple)
        read_source = pool.submit(read).result if both else read
        written = read_texts(table, dialect=dialect)
        try:
            return written, read_source()
        except TableError as error:
            raise GuaranteeError(
                f"the output cannot be compared with its source, so it is withheld: {error}"
            ) from None


@dataclass(frozen=True, eq=False)
class Written:
    """Groups by what is written, raw or released.

    Parameters
    ----------
    groups : FrequencyTable
        Rows with equal text in all quasi-identifier columns.
    group_of_row : ndarray of int64 or None
        Group of each row; None where rows have no order.
    people : People or None
        Who stands behind the rows, with groups as cells; None where the table does not say.
    side_doors : tuple of str
        What a file holds besides cells, as far as its rows were read from it.
    """

    groups: FrequencyTable
    group_of_row: NDArray[np.int64] | None
    people: People | None
    side_doors: tuple[str, ...] = ()

    def tables(self, privacy: PrivacyModel | None = None) -> Iterator[FrequencyTable]:
        """The groups counted, once for all that a model asks about people."""
        if self.people is None:
            return iter([self.groups])
        return count_groups(self.groups, self.people, privacy)


def count_released(
    table: Native, schema: Schema, *, drop_stars: bool = False, encoding: str | None = None
) -> FrequencyTable:
    """Groups of a released table: rows with equal text in all quasi-identifier columns.

    Missing values match one another and nothing else.  `drop_stars` leaves out rows whose
    quasi-identifiers are all starred: those of suppressed rows that were kept.  Sizes are people
    where the table has a column that names them.
    """
    groups = next(count_written(table, schema, encoding).tables())
    if not drop_stars:
        return groups
    starred = starred_groups(groups)
    kept = np.where(starred, -1, np.cumsum(~starred) - 1)
    return groups.merge(kept, int((~starred).sum()))


def count_written(table: Native, schema: Schema, encoding: str | None = None) -> Written:
    """Groups by what is written."""
    is_spark = type(table).__module__.startswith("pyspark")
    if is_spark or isinstance(table, ENGINES):  # counted where they are
        engine = open_table(table, encoding=encoding)
        compressed = engine.compress(plain_schema(schema, engine.names))
        return Written(compressed.cells, None, compressed.people)
    # sensitive numbers are compared by what they are worth: 2.345,00 is 2345
    numbers = [name for name in schema.counted if schema[name].kind == "numeric"]
    grouped = schema.quasi_identifiers
    written = join_intervals(read_again(table, encoding, numbers, grouped), grouped)
    released = plain_schema(schema, written.names)
    counted = released.counted
    groups, group_of_row = count_texts(written, released, counted)
    doors = written.side_doors if isinstance(table, str | PathLike) else ()
    if released.subject is None:
        return Written(groups, group_of_row, None, doors)
    named = written.columns[released.subject]
    unnamed = np.array([is_missing(value) for value in named.texts], np.bool_)
    require_named(released.subject, int(unnamed[named.codes].sum()))
    values = {name: code_counted(name, written.columns[name], released) for name in counted}
    _, people = count_people(
        groups, group_of_row, person_codes(named), values, households=released.household is not None
    )
    return Written(groups, group_of_row, people, doors)


def read_again(
    table: Native, encoding: str | None, numbers: Sequence[str] = (), grouped: Sequence[str] = ()
) -> TextTable:
    """Read a table by its text; for files, the dialect is detected first."""
    if not isinstance(table, str | PathLike):
        return read_texts(table)
    # in a release, a row of empty cells may stand for somebody
    engine = open_table(table, encoding=encoding, keep_empty_rows=True)
    staged = engine.staged if isinstance(engine, DuckEngine) else None
    if staged is None:
        return read_texts(Path(table))
    if staged.dialect is not None:
        table = read_texts(staged.paths, dialect=staged.dialect.as_written(numbers))
        opened = [partial(open_text, path, staged.dialect.encoding) for path in staged.paths]
        doors = [door for lines in opened for door in text_doors(lines, staged.dialect, grouped)]
        return replace(table, side_doors=tuple(dict.fromkeys((*table.side_doors, *doors))))
    return read_texts(staged.paths or staged.relation)


def starred_groups(groups: FrequencyTable) -> Flags:
    """Which groups are starred in every quasi-identifier."""
    starred = np.ones(groups.n_groups, np.bool_)
    for column, coding in enumerate(groups.codings):
        starred &= groups.keys[:, column] == coding.code_of.get(STAR, -1)
    return starred


def names_of(table: Native, encoding: str | None = None) -> tuple[str, ...]:
    """Names of the columns of a table."""
    engine: Engine = open_table(table, encoding=encoding, keep_empty_rows=True)
    return engine.names


def plain_schema(schema: Schema, names: tuple[str, ...]) -> Schema:
    """The schema of a released table: quasi-identifiers are text, added columns insensitive."""
    columns: dict[str, Column] = {}
    for name in names:
        column = schema.get(name)
        if column is None:
            columns[name] = Column("insensitive")
        elif column.role == "quasi-identifier":
            columns[name] = Column("quasi-identifier", target=column.target)
        else:
            columns[name] = column
    return Schema(columns)
