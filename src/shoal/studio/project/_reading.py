"""How the table of a project is read: what somebody said, for workers, commands and Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from shoal.errors import ParameterError

Reading = dict[str, Any]
"""Plain values by name; what is not said is not there, and is found in the file."""


@dataclass(frozen=True)
class ReadingField:
    """One thing that may be said; `option` of the command line, `keyword` of Python."""

    option: str
    keyword: str
    kind: Literal["text", "texts", "flag", "choice"] = "text"
    choices: tuple[str, ...] = ()


FIELDS: dict[str, ReadingField] = {
    "encoding": ReadingField("--encoding", "encoding"),
    "delimiter": ReadingField("--delimiter", "delimiter"),
    "decimal": ReadingField("--decimal", "decimal", "choice", (".", ",")),
    "thousands": ReadingField("--thousands", "thousands"),
    "dates": ReadingField("--dates", "dates", "choice", ("dmy", "mdy")),
    "header": ReadingField("--header", "header", "choice", ("yes", "no")),
    "missing": ReadingField("--missing", "missing", "texts"),
    "skip_bad_rows": ReadingField("--skip-bad-rows", "skip_bad_rows", "flag"),
    "sheet": ReadingField("--sheet", "sheet"),
    "database_table": ReadingField("--table", "table"),
}
"""Everything that may be said, by its name in `project.toml`."""


def read_reading(given: Mapping[str, Any]) -> Reading:
    """What was said, checked; what is empty was not said.

    Examples
    --------
    >>> read_reading({"decimal": ",", "header": "no", "sheet": ""})
    {'decimal': ',', 'header': 'no'}
    """
    told = {name: given[name] for name in FIELDS if given.get(name)}
    if told.get("thousands") == "space":  # forms lose a blank that stands alone
        told["thousands"] = " "
    for name, value in told.items():
        choices = FIELDS[name].choices
        if choices and value not in choices:
            raise ParameterError(f"{name}: choose from {', '.join(choices)}.")
    if len(told.get("thousands", ".")) != 1:
        raise ParameterError("thousands: give one sign, such as . or ' or a space.")
    return {k: tuple(v) if FIELDS[k].kind == "texts" else v for k, v in told.items()}


def reading_words(reading: Mapping[str, Any]) -> list[str]:
    """Options of a command that reads the table so.

    Examples
    --------
    >>> reading_words({"header": "no", "missing": ["n/a", "?"], "skip_bad_rows": True})
    ['--no-header', '--missing', 'n/a', '--missing', '?', '--skip-bad-rows']
    """
    words: list[str] = []
    for name, value in reading.items():
        field = FIELDS[name]
        if name == "header":
            words.append("--header" if value == "yes" else "--no-header")
        elif field.kind == "flag":
            words.append(field.option)
        else:
            for one in value if field.kind == "texts" else [value]:
                words += [field.option, one]
    return words


def reading_keywords(reading: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of `open_table` that read the table so.

    Examples
    --------
    >>> reading_keywords({"header": "no", "missing": ["?"], "database_table": "people"})
    {'header': False, 'missing': ('?',), 'table': 'people'}
    """
    keywords = {FIELDS[name].keyword: value for name, value in reading.items()}
    if "header" in keywords:
        keywords["header"] = keywords["header"] == "yes"
    if "missing" in keywords:
        keywords["missing"] = tuple(keywords["missing"])
    return keywords


def reading_of(settings: Any) -> Reading:
    """What the settings of a project say."""
    return read_reading({name: getattr(settings, name) for name in FIELDS})


def reading_of_keywords(keywords: Mapping[str, Any]) -> Reading:
    """The inverse of :func:`reading_keywords`: what `[reading]` of a schema says.

    Examples
    --------
    >>> reading_of_keywords({"header": False, "missing": ("?",), "table": "people"})
    {'header': 'no', 'missing': ('?',), 'database_table': 'people'}
    """
    names = {field.keyword: name for name, field in FIELDS.items()}
    said = {names[keyword]: value for keyword, value in keywords.items()}
    if "header" in said:
        said["header"] = "yes" if said["header"] else "no"
    return read_reading(said)
