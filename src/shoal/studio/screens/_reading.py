"""How a file is read, as fields: said when it is opened, and changed on the screen Table."""

from __future__ import annotations

import re
from typing import Any

from shoal.errors import ParameterError
from shoal.studio._desk import Desk
from shoal.studio.project._reading import FIELDS, read_reading
from shoal.studio.screens._screen import Action, Field, Room

_MEANINGS = {
    "encoding": "Encoding of a CSV file.",
    "delimiter": "Sign between cells, or the word tab.",
    "decimal": "Sign before decimals: . or ,",
    "thousands": "Sign between thousands, or the word space.",
    "dates": "What comes first in dates: dmy or mdy.",
    "header": "Whether the first line holds names: yes or no.",
    "missing": "Words that stand for nothing, with commas between.",
    "skip_bad_rows": "Leave out lines that are no rows.",
    "sheet": "Sheet of a workbook, by name or number.",
    "database_table": "Table of a database.",
}

READING: dict[str, Field] = {
    name: Field("flag" if field.kind == "flag" else "text", _MEANINGS[name],
                False if field.kind == "flag" else "")
    for name, field in FIELDS.items()
}  # fmt: skip
"""A field for each thing that may be said; what is empty is found in the file."""


def said_of(given: dict[str, Any]) -> dict[str, Any]:
    """What a form says: words that stand for nothing come as one text."""
    words = tuple(filter(None, (word.strip() for word in re.split(r"[,;\n]", given["missing"]))))
    return read_reading({name: given[name] for name in FIELDS} | {"missing": words})


def show_reading(desk: Desk) -> dict[str, Any]:
    """What was said, and the sheets or tables that the file has, where it may have several."""
    said = desk.project.reading
    parts = None
    if desk.project.table.suffix.lower() in _OF_PARTS:
        parts = desk.fact("parts", "parts", {"table": str(desk.project.table),
                                             "stamp": desk.project.table_stamp()})  # fmt: skip
    return {"said": said, "parts": (parts or {}).get("value")}


_OF_PARTS = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".sqlite", ".sqlite3", ".db", ".duckdb")
"""Endings of files that hold several tables."""


def _read_again(room: Room, given: dict[str, Any]) -> None:
    """Read the table in another way; roles that nobody accepted are suggested anew."""
    desk, said = room.desk, said_of(given)
    if said == desk.project.reading:
        if not desk.forget_failed():  # a disk may be back, a file may be read now
            raise ParameterError("the table is read in this way already.")
        return
    desk.project.set_reading(said, desk.reasons())
    shown = ", ".join(name.replace("_", " ") for name in said) or "nothing"
    desk.project.note(f"reads the table in another way; said: {shown}")
    if not desk.project.settings.accepted:
        desk.drop_schema()
    desk.tell({"changed": "glance"})


READ_AGAIN = Action("Say how the file is read; what is empty is found in it.", _read_again, READING)
