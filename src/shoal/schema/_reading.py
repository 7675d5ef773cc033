"""How the file of a table is read, as it may stand in a schema file under `[reading]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal._checks import check_choice
from shoal.errors import ParameterError, SchemaError

READING = (
    "encoding", "delimiter", "decimal", "thousands", "dates", "header", "missing", "skip_bad_rows",
    "sheet", "table",
)  # fmt: skip
"""What may be said about a file, by the names that :func:`shoal.tables.open_table` has for it."""

_SWITCHES = ("header", "skip_bad_rows")


def check_signs(decimal: str | None, dates: str | None, thousands: str | None) -> None:
    """Raise for signs and orders that no file is written with."""
    if decimal is not None:
        check_choice("decimal", decimal, (".", ","))
    if dates is not None:
        check_choice("dates", dates, ("dmy", "mdy"))
    if thousands is not None and len(thousands) != 1:
        raise ParameterError("thousands: give one sign, such as . or ' or a space.")


def read_reading(data: Any) -> dict[str, Any]:
    """What a table `[reading]` says, checked; numbers may stand without quotes.

    Examples
    --------
    >>> read_reading({"delimiter": ";", "missing": [-9, "n/a"], "sheet": 2})
    {'delimiter': ';', 'missing': ('-9', 'n/a'), 'sheet': '2'}
    """
    if not isinstance(data, Mapping):
        raise SchemaError("how a table is read is one table of the schema: [reading].")
    said: dict[str, Any] = {}
    for name, value in data.items():
        if name not in READING:
            raise SchemaError(f"[reading] has no {name!r}. It has {', '.join(READING)}.")
        if name in _SWITCHES:
            if not isinstance(value, bool):
                raise SchemaError(f"[reading] {name}: write true or false.")
            said[name] = value
        elif name == "missing":
            words = value if isinstance(value, list | tuple) else [value]
            said[name] = tuple(_word(name, word) for word in words)
        else:
            said[name] = _word(name, value)
    try:
        check_signs(said.get("decimal"), said.get("dates"), said.get("thousands"))
    except ParameterError as error:
        raise SchemaError(f"[reading] {error}") from None
    return said


def _word(name: str, value: Any) -> str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, str) or (number and name in ("missing", "sheet")):
        return str(value)
    raise SchemaError(f"[reading] {name}: write a text in quotes.")
