"""A release as one HTML file that a data protection officer can read."""

from __future__ import annotations

from pathlib import Path

from shoal._atomic import write_text
from shoal.errors import TableError
from shoal.report._html_sections import (
    columns,
    done,
    guarantee,
    lead,
    limits,
    risks,
    sizes,
    utility,
)
from shoal.report._made import made
from shoal.report._page import page
from shoal.report._release_file import ReleaseFile, read_release
from shoal.typing import PathText


def release_html(source: PathText, *, encoding: str | None = None) -> str:
    """A report on a release, as the text of one HTML file.

    Parameters
    ----------
    source : path
        The released table with `NAME.manifest.json` beside it, or that manifest.
    encoding : str, optional
        Encoding of a CSV table.

    Notes
    -----
    **Guarantee.**  The page holds column names, parameters and counts: no row, no sensitive value,
    no label.  It loads nothing and runs no script.  A table whose groups are not those of its
    manifest is refused.
    """
    return _render(read_release(source, encoding=encoding))


def write_release_html(
    source: PathText,
    path: PathText | None = None,
    *,
    force: bool = False,
    encoding: str | None = None,
) -> Path:
    """Write the report on a release, whole or not at all; see :func:`release_html`.

    Parameters
    ----------
    source : path
        The released table with `NAME.manifest.json` beside it, or that manifest.
    path : path, optional
        File to write; `NAME.report.html` beside the release unless given.
    force : bool
        Replace a file that is there.
    encoding : str, optional
        Encoding of a CSV table.

    Returns
    -------
    Path
        The file written.
    """
    source = Path(source)
    path = default_path(source) if path is None else Path(path)
    if path.exists() and not force:
        raise TableError(f"{path.name!r} is there already. Choose another name or use --force.")
    if path.is_dir() or path.suffix.lower() not in (".html", ".htm"):
        raise TableError(f"cannot write a report to {path.name!r}. End its name in .html.")
    write_text(path, release_html(source, encoding=encoding))
    return path


def default_path(source: Path) -> Path:
    """`NAME.report.html` beside a release."""
    stem = source.name.removesuffix(".manifest.json")
    stem = stem if stem != source.name else source.name.removesuffix(source.suffix)
    return source.with_name(f"{stem}.report.html")


def _render(release: ReleaseFile) -> str:
    return page(
        heading=release.name,
        lead=lead(release),
        sections=[
            ("done", "What was done", done(release)),
            ("guarantee", "What is promised", guarantee(release)),
            ("risk", "What an attacker can do, before and after", risks(release)),
            ("utility", "What the data can still do", utility(release)),
            ("columns", "Detail lost, by column", columns(release)),
            ("sizes", "How large the groups are", sizes(release)),
            ("limits", "What is not promised", limits(release)),
            ("made", "How to make it again", made(release)),
        ],
        footer="Made by Shoal from the release and its manifest. This file loads nothing from "
        "anywhere and holds no row of the table.",
    )
