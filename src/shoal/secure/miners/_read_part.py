"""One party's part of a joint table from a file and the common schema."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from shoal.errors import SchemaError, TableError
from shoal.parties._expect import Fields, Several, Text
from shoal.schema import Column, Hierarchy, Schema
from shoal.schema._builders import Tree
from shoal.schema._csv import FromFile
from shoal.schema._text import text
from shoal.secure._party import Party
from shoal.secure.miners._table_part import MISSING, TablePart
from shoal.tables import open_table
from shoal.typing import Native

Texts = dict[str, list[str]]

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Signs that move the cursor, end lines, or turn the direction of writing."""
MAX_VALUES, MAX_TEXT = 2**16, 2**12  # of a column, and bytes of one of them, from the other party


def read_part(
    path: Native,
    schema: Schema,
    *,
    split: Literal["rows", "cells"] = "rows",
    party: Party | None = None,
) -> TablePart:
    """Read a part of a table of categories.

    Parameters
    ----------
    path : path or table
        Whatever :func:`shoal.tables.open_table` reads.  With ``split="cells"`` an absent column or
        an empty cell is held by the other party.
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
    schema.require_rows_of_own("a joint table")
    names = list(schema.released)
    texts, n_rows = _read(path, names, whole=split == "rows")
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
    for column, name in enumerate(names):
        if name in texts:
            codes[:, column] = _coded(name, texts[name], domains[name], split)
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


def _read(table: Native, names: Sequence[str], *, whole: bool) -> tuple[Texts, int]:
    """Columns as texts without blanks at their ends; an empty one where a value is missing.

    Nothing is guessed: parties whose files say the same must read the same.
    """
    engine = open_table(table, guess="none")
    column_of = {name.strip(): name for name in engine.names}
    absent = [name for name in names if name not in column_of]
    if absent and (whole or len(absent) == len(names)):
        raise SchemaError(f"the table lacks columns: {', '.join(map(repr, absent))}.")
    columns = engine.columns()
    texts = {
        name: [(text(value) or "").strip() for value in columns[column_of[name]].tolist()]
        for name in names
        if name in column_of
    }
    return texts, engine.n_rows


def _exchanged(party: Party, names: list[str], texts: Texts) -> Mapping[str, list[str]]:
    mine = {name: sorted(set(texts.get(name, [])) - {""}) for name in names}
    party.agree({"columns": names}, "columns whose values the schema leaves open")
    values = Several("values of a column", Text("a value", MAX_TEXT), MAX_VALUES, least=0)
    theirs = party.exchange(mine, Fields("each column's values", dict.fromkeys(names, values)))
    joined = {
        name: sorted({*mine[name], *others}) for name, others in zip(names, theirs, strict=True)
    }
    signs = [name for name, values in joined.items() if any(map(_CONTROLS.search, values))]
    if signs:  # the model shows them: they could rewrite what a terminal shows
        raise TableError(
            f"columns with control characters in values of a party: {', '.join(map(repr, signs))}. "
            "Clean the tables."
        )
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
