"""One party's part of a joint table from a CSV file and the common schema."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from shoal.errors import SchemaError, TableError
from shoal.schema import Column, FromFile, Hierarchy, Schema, Tree
from shoal.secure._party import Party
from shoal.secure.miners._table_part import MISSING, TablePart

Texts = dict[str, list[str]]


def read_part(
    path: Path | str,
    schema: Schema,
    *,
    split: Literal["rows", "cells"] = "rows",
    party: Party | None = None,
) -> TablePart:
    """Read a part of a table of categories.

    Parameters
    ----------
    path : path
        CSV file with a header.  With ``split="cells"`` an absent column or an empty cell is held
        by the other party.
    schema : Schema
        Columns of the joint table, the same at both ends; identifiers are left out.
    split : {"rows", "cells"}, default="rows"
        How the table is split.
    party : Party, optional
        Session over which values that the schema does not list are exchanged.  **Reveals** which
        values of those columns occur at either party.  Without it such columns are an error.

    Returns
    -------
    TablePart
    """
    names = [name for name in schema if schema[name].role != "identifier"]
    texts, n_rows = _read(Path(path), names, whole=split == "rows")
    domains = {name: public_values(schema[name], name) for name in names}
    unlisted = [name for name, values in domains.items() if not values]
    if unlisted and party is None:
        raise SchemaError(
            f"columns without public values: {', '.join(map(repr, unlisted))}. Give each an order "
            "or a hierarchy file in the schema, or agree to share which values occur."
        )
    if unlisted and party is not None:
        domains |= _exchanged(party, unlisted, texts)
    codes = np.full((n_rows, len(names)), MISSING, np.int32)
    for at, name in enumerate(names):
        if name in texts:
            codes[:, at] = _coded(name, texts[name], domains[name], split)
    return TablePart(names, [domains[name] for name in names], codes, split)


def public_values(column: Column, name: str) -> list[str]:
    """Values that the schema itself lists for a column, in its order; none when it does not."""
    if column.order:
        return list(column.order)
    recipe = column.hierarchy
    if isinstance(recipe, FromFile | Tree):
        recipe = recipe.build([], column=name)
    if isinstance(recipe, Hierarchy):
        return [str(label) for label in recipe.labels[: recipe.n_leaves]]
    return []


def _read(path: Path, names: Sequence[str], *, whole: bool) -> tuple[Texts, int]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, skipinitialspace=True))
    except FileNotFoundError:
        raise TableError(f"no file {path.name!r}. Check the path.") from None
    except (UnicodeDecodeError, csv.Error):
        raise TableError(f"{path.name!r} is not a CSV file in UTF-8.") from None
    rows = [row for row in rows if row]
    if not rows:
        raise TableError(f"{path.name!r} is empty; it needs at least a header.")
    header, body = rows[0], rows[1:]
    if len(set(header)) != len(header):
        raise TableError(f"{path.name!r} names a column twice.")
    bad = [number for number, row in enumerate(body, 2) if len(row) != len(header)]
    if bad:
        raise TableError(
            f"{path.name!r}: {len(bad)} rows have another number of cells than the header, "
            f"the first is row {bad[0]}."
        )
    absent = [name for name in names if name not in header]
    if absent and (whole or len(absent) == len(names)):
        raise SchemaError(f"the table lacks columns: {', '.join(map(repr, absent))}.")
    return {
        name: [row[header.index(name)].strip() for row in body] for name in names if name in header
    }, len(body)


def _exchanged(party: Party, names: list[str], texts: Texts) -> Mapping[str, list[str]]:
    mine = {name: sorted(set(texts.get(name, [])) - {""}) for name in names}
    theirs = party.exchange(mine)
    if not isinstance(theirs, dict) or set(theirs) != set(names):
        raise SchemaError("the parties' schemas leave values of different columns open.")
    joined = {name: sorted({*mine[name], *map(str, theirs[name])}) for name in names}
    empty = [name for name, values in joined.items() if not values]
    if empty:
        raise TableError(f"columns without any value: {', '.join(map(repr, empty))}.")
    return joined


def _coded(name: str, texts: list[str], values: list[str], split: str) -> list[int]:
    code = {value: index for index, value in enumerate(values)}
    if split == "cells":
        code[""] = MISSING
    unknown = sum(text not in code for text in texts)
    if unknown:
        raise TableError(
            f"column {name!r}: {unknown} cells are empty or hold a value that the schema does not "
            "list. Add it to the schema at both ends; give missing values a category."
        )
    return [code[text] for text in texts]
