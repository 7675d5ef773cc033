"""Projects of ARX (`.deid`): roles, hierarchies and limits, read from the XML and CSV inside.

A project is a zip archive.  `input/definition.xml` says for every attribute its type, its data
type, the file of its hierarchy and the highest level that may be used; `input/config.xml` holds
weights and the privacy models, as text.  The rows (`data/`) and serialized Java objects (`*.dat`)
are never opened.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shoal.errors import SchemaError
from shoal.schema._column import Column, Kind, Role
from shoal.schema._csv import find_separator
from shoal.schema._hierarchy import Hierarchy
from shoal.schema._schema import Schema
from shoal.schema._tree_parts import ROOT_LABEL
from shoal.typing import PathText

_LARGEST = 200_000_000  # bytes of one file in a project
_ROLES: Mapping[str, Role] = {
    "IDENTIFYING_ATTRIBUTE": "identifier",
    "QUASI_IDENTIFYING_ATTRIBUTE": "quasi-identifier",
    "SENSITIVE_ATTRIBUTE": "sensitive",
    "INSENSITIVE_ATTRIBUTE": "insensitive",
}
_KINDS: Mapping[str, Kind] = {"Integer": "numeric", "Decimal": "numeric", "Date/Time": "date"}


@dataclass(frozen=True)
class ArxProject:
    """What a project of ARX says.

    Parameters
    ----------
    schema : Schema
        Roles, hierarchies, limits and weights.
    criteria : tuple of str
        Privacy models, in ARX's words.
    suppression : float or None
        Share of rows that may be left out.
    notes : tuple of str
        What has no counterpart here.
    """

    schema: Schema
    criteria: tuple[str, ...]
    suppression: float | None
    notes: tuple[str, ...]


def read_arx_project(path: PathText) -> ArxProject:
    r"""Read a project of ARX; its rows are not touched.

    Parameters
    ----------
    path : path
        A `.deid` file.

    Examples
    --------
    >>> import tempfile, zipfile
    >>> definition = '''<definition><assigment><name>sex</name>
    ...     <type>QUASI_IDENTIFYING_ATTRIBUTE</type><datatype>String</datatype>
    ...     <ref>hierarchies/sex.csv</ref></assigment></definition>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     project = Path(folder) / "p.deid"
    ...     with zipfile.ZipFile(project, "w") as archive:
    ...         archive.writestr("input/definition.xml", definition)
    ...         archive.writestr("input/hierarchies/sex.csv", "f;*\nm;*\n")
    ...     read_arx_project(project).schema
    Schema(sex: quasi-identifier)
    """
    path = Path(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, path.name)
    except OSError as error:
        raise SchemaError(f"cannot read project {path.name}: {error.strerror}.") from None
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        raise _no_project(path.name, "it is no zip archive that can be read") from None


def _read(archive: zipfile.ZipFile, name: str) -> ArxProject:
    definition = _xml(archive, "input/definition.xml", name)
    if definition is None:
        raise _no_project(name, "input/definition.xml is missing")
    config = _xml(archive, "input/config.xml", name)
    weights = _weights(config)
    settings = _xml(archive, "project.xml", name)
    separator = "" if settings is None else (settings.findtext("separator") or "")
    columns: dict[str, Column] = {}
    notes: list[str] = []
    for entry in definition.iter("assigment"):
        column, said = _column(archive, entry, weights, separator, name)
        columns[_text(entry, "name")] = column
        notes += said
    if not columns:
        raise _no_project(name, "it describes no attributes")
    criteria = () if config is None else tuple(c.text or "" for c in config.iter("criterion"))
    limit = "" if config is None else _text(config, "relativeMaxOutliers")
    return ArxProject(Schema(columns), criteria, float(limit) if limit else None, tuple(notes))


def _column(
    archive: zipfile.ZipFile,
    entry: Any,
    weights: Mapping[str, float],
    separator: str,
    project: str,
) -> tuple[Column, list[str]]:
    name, notes = _text(entry, "name"), []
    role = _ROLES.get(_text(entry, "type"))
    if role is None:
        raise _no_project(project, f"attribute {name!r} has no type that is known")
    file = _text(entry, "ref") if role == "quasi-identifier" else ""
    tree = _hierarchy(archive, file, name, separator) if file else None
    most = _text(entry, "max")
    if _text(entry, "min") not in ("", "All", "0"):
        notes.append(f"column {name!r}: a least level of generalization is not read.")
    if _text(entry, "microAggregationFunction"):
        notes.append(f"column {name!r}: microaggregation is not read.")
    column = Column(
        role,
        # with groups from a file a number is a category: ranges of its own would not be asked for
        "categorical" if tree is not None else _KINDS.get(_text(entry, "datatype"), "categorical"),
        tree,
        weight=weights.get(name, 1.0),
        limit_level=int(most) if tree is not None and most.isdigit() else None,
        target=_text(entry, "response") == "true" and role not in ("identifier",),
    )
    return column, notes


def _weights(config: Any) -> dict[str, float]:
    """Weights by attribute; none where all are the same, which is ARX's default."""
    if config is None:
        return {}
    given = {
        _text(entry, "attribute"): float(_text(entry, "weight") or 1.0)
        for entry in config.iter("attributeWeight")
    }
    return given if len(set(given.values())) > 1 else {}


def _hierarchy(
    archive: zipfile.ZipFile, reference: str, column: str, separator: str
) -> Hierarchy | None:
    content = _bytes(archive, f"input/{reference}")
    if content is None:
        return None
    text = content.decode("utf-8-sig", errors="replace")
    if len(separator) != 1 or separator not in text:
        separator = find_separator(text)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
    if not rows:
        return None
    if len({row[-1] for row in rows}) > 1 or len(rows[0]) == 1:
        rows = [[*row, ROOT_LABEL] for row in rows]  # ARX suppresses beyond the last level
    return Hierarchy.from_levels(rows, column=column)


def _xml(archive: zipfile.ZipFile, member: str, project: str) -> Any:
    content = _bytes(archive, member)
    if content is None:
        return None
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise _no_project(project, f"{member} declares entities, which no project does")
    try:
        return ElementTree.fromstring(content)
    except ElementTree.ParseError:
        raise _no_project(project, f"{member} is no XML") from None


def _bytes(archive: zipfile.ZipFile, member: str) -> bytes | None:
    try:
        info = archive.getinfo(member)
    except KeyError:
        return None
    if info.file_size > _LARGEST:
        raise _no_project(str(archive.filename), f"{member} is larger than any hierarchy")
    with archive.open(info) as file:
        return file.read(_LARGEST + 1)[:_LARGEST]


def _text(entry: Any, tag: str) -> str:
    content = entry.findtext(tag) if entry.find(tag) is not None else None
    return (content or "").strip()


def _no_project(name: str, why: str) -> SchemaError:
    return SchemaError(f"{Path(name).name} is no project of ARX: {why}. Give a .deid file.")
