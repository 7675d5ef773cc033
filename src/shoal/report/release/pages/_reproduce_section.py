"""The section of a release report that says how to make the release again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from importlib.metadata import version
from typing import Any

from shoal.report.release.facts._command import WORD, commands
from shoal.report.release.facts._original import Original
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import data_cell
from shoal.report.release.pages._glossary import number
from shoal.report.release.pages._page import paragraphs, table


def made(release: ReleaseFile, seen: Recount | None, original: Original | None) -> str:
    """Commands, seed, parameters, schema, versions, time and digests."""
    parameters = [[escape(n), escape(_plain(v))] for n, v in release.mapping("parameters").items()]
    described = [
        [
            escape(name),
            escape(str(release.get("schema", "columns", name, "role")))
            + (", to be predicted" if column.get("target") else ""),
            escape(str(column.get("kind", "categorical"))),
            escape(_hierarchy(column.get("hierarchy"))),
        ]
        for name in release.mapping("schema", "columns")
        for column in [release.mapping("schema", "columns", name)]
    ]
    versions = [[escape(n), escape(str(v))] for n, v in release.mapping("versions").items()]
    seconds = [
        [escape(n), data_cell(release, number, "seconds", n)] for n in release.mapping("seconds")
    ]
    files = dict(release.digests)
    if original is not None and original.digest is not None:
        files[original.name] = original.digest
    digests = [[escape(n), f"<code>{digest}</code>"] for n, digest in files.items()]
    return (
        _commands(release, seen, original)
        + table(
            "parameters",
            f"Parameters of {release.get('method')}",
            ("name", "value"),
            parameters,
            text=2,
        )
        + table("schema", "Schema", ("column", "role", "kind", "hierarchy"), described, text=4)
        + table("versions", "Versions", ("program", "version"), versions, text=2)
        + table("seconds", "Time taken", ("phase", "seconds"), seconds)
        + table("digests", "SHA-256 of the files read", ("file", "digest"), digests, text=2)
        + paragraphs(
            f"This report was made by Shoal {version('shoal')}. Hierarchies and longer parameters "
            "are in the manifest."
        )
    )


def _commands(release: ReleaseFile, seen: Recount | None, original: Original | None) -> str:
    lines = commands(release, seen, original.name if original else None)
    seed = release.mapping("parameters").get("random_state")
    said = (
        f"Seed of the search: {seed}."
        if isinstance(seed, int)
        else "The search draws nothing at random: the same rows and parameters give the same "
        "release."
    )
    if not lines:
        return paragraphs(said, "It was made in Python; the manifest has every parameter.")
    return (
        paragraphs("With the raw table and the files of the release in one folder:")
        + "".join(f"<pre><code>{escape(line)}</code></pre>" for line in lines)
        + paragraphs(said)
    )


def _plain(value: Any) -> str:
    """A parameter, unless it could hold what somebody wrote about people."""
    if value is None or isinstance(value, bool):
        return {None: "not set", True: "yes", False: "no"}[value]
    if isinstance(value, int | float):
        return f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(value, str) and WORD.fullmatch(value):
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
