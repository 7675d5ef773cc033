"""The section of a release report that says how to make the release again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from shoal.report._cells import data_cell
from shoal.report._page import table
from shoal.report._release_file import ReleaseFile
from shoal.report._words import number


def made(release: ReleaseFile) -> str:
    """Parameters, schema, versions, time and digests."""
    parameters = [[escape(n), escape(_plain(v))] for n, v in release.mapping("parameters").items()]
    described = [
        [
            escape(name),
            escape(str(release.get("schema", "columns", name, "role"))),
            escape(str(column.get("kind", "categorical"))),
            escape(_hierarchy(column.get("hierarchy"))),
            "yes" if column.get("target") else "no",
        ]
        for name in release.mapping("schema", "columns")
        for column in [release.mapping("schema", "columns", name)]
    ]
    versions = [[escape(n), escape(str(v))] for n, v in release.mapping("versions").items()]
    seconds = [
        [escape(n), data_cell(release, number, "seconds", n)] for n in release.mapping("seconds")
    ]
    digests = [[escape(n), f"<code>{digest}</code>"] for n, digest in release.digests.items()]
    return (
        table(
            "parameters",
            f"Parameters of {release.get('method')}",
            ("name", "value"),
            parameters,
            text=2,
        )
        + table(
            "schema", "Schema", ("column", "role", "kind", "hierarchy", "target"), described, text=5
        )
        + table("versions", "Versions", ("program", "version"), versions, text=2)
        + table("seconds", "Time taken", ("phase", "seconds"), seconds)
        + table("digests", "SHA-256 of the files read", ("file", "digest"), digests, text=2)
        + '<p class="hint">Hierarchies and longer parameters are in the manifest.</p>'
    )


def _plain(value: Any) -> str:
    """A parameter, unless it could hold what somebody wrote about people."""
    if value is None or isinstance(value, bool):
        return {None: "not set", True: "yes", False: "no"}[value]
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, str) and re.fullmatch(r"[\w.+-]{1,40}", value):
        return value
    if isinstance(value, Mapping | list):
        return f"{len(value)} entries, in the manifest"
    return "text, in the manifest"


def _hierarchy(given: Any) -> str:
    """Which sort of hierarchy; its labels stay in the manifest."""
    if given is None:
        return "none"
    if isinstance(given, Mapping) and given:
        sort = str(next(iter(given)))
        return sort if re.fullmatch(r"[a-z_]{1,20}", sort) else "given"
    return given if given == "flat" else "given"
