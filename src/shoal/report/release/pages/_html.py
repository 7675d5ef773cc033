"""A release as one HTML file that a data protection officer can read."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from shoal._atomic import refuse_existing, write_text
from shoal.anonymize._release_files import file_beside
from shoal.attacks._attack_result import AttackResult
from shoal.errors import ParameterError, TableError
from shoal.report.release.facts._facts import find_facts
from shoal.report.release.facts._linked import ColumnAttack
from shoal.report.release.pages._page import render_page
from shoal.tables._engine import OpenOptions, TableFile
from shoal.tables._open import ReadingOptions
from shoal.typing import Native, PathText

PEOPLE = 5_000
"""People of the raw table whom a report attacks unless told otherwise."""


@dataclass(frozen=True)
class ReleaseReport:
    """A report and its conclusions.

    Parameters
    ----------
    html : str
        The page.
    problems : tuple of str
        Why the release must not be published; empty when nothing speaks against it.
    promise : str
        "holds" or "broken"; "judged when written" where people were counted then, says the
        manifest, which rows alone cannot repeat; "not evaluated" without rows, or enough of them.
    attacks : tuple of ColumnAttack
        Result of the attack on every sensitive column.
    source : Path
        The released table, or its manifest.
    members : AttackResult or None
        Membership by shadow tables, where it was asked for.
    """

    html: str
    problems: tuple[str, ...]
    promise: str
    attacks: tuple[ColumnAttack, ...]
    source: Path
    members: AttackResult | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; without the page."""
        return {
            "promise": self.promise,
            "problems": list(self.problems),
            "attacks": [attack.to_dict() for attack in self.attacks],
            "membership": None if self.members is None else self.members.to_dict(),
        }

    def write(self, path: PathText | None = None, *, force: bool = False) -> Path:
        """Write the page, whole or not at all; to `NAME.report.html` unless named."""
        path = report_path(self.source, path, force=force)
        write_text(path, self.html)
        return path

    def __repr__(self) -> str:
        return f"ReleaseReport(promise {self.promise}, {len(self.problems)} problems)"


def release_report(
    source: PathText,
    original: Native | None = None,
    *,
    n_people: int = PEOPLE,
    n_shadows: int = 0,
    random_state: int = 0,
    encoding: str | None = None,
    **reading: Unpack[ReadingOptions],
) -> ReleaseReport:
    """A report on a release: what it promises and keeps, risk, attacks, utility, limits.

    Parameters
    ----------
    source : path
        The released table with `NAME.manifest.json` beside it, or that manifest.
    original : table or path, optional
        The raw table.  With it, its people are attacked, and distributions are compared.  A large
        table in Spark stays there: values are counted and people drawn by its workers.
    n_people : int
        People to attack; drawn at random where the raw table has more.
    n_shadows : int
        Releases to make for membership by shadow tables, 6 or more; 0 for none.
    random_state : int
        Seed for drawing people and making shadow releases.
    encoding : str, optional
        Encoding of CSV tables.
    **reading
        How the raw table is read besides, as for :func:`shoal.tables.open_table`.

    Notes
    -----
    **Guarantee.**  The promise is evaluated again from the released rows; where they break it, or
    are not those of the manifest, the page says so first.  The page holds no row and no sensitive
    value; of quasi-identifiers it holds released labels with their counts or, when the raw table
    is given, counts of raw values, put together so that none is of fewer than five people or than
    the promise asks.  It loads nothing and runs no script.
    """
    if isinstance(original, str | PathLike) and reading:
        original = TableFile.of(str(original), OpenOptions(encoding, **reading))
    if n_people < 1:
        raise ParameterError(f"n_people must be at least 1, got {n_people}.")
    facts = find_facts(
        source,
        original,
        n_people=n_people,
        seed=random_state,
        encoding=encoding,
        n_shadows=n_shadows,
    )
    return ReleaseReport(
        html=render_page(facts),
        problems=facts.problems,
        promise=facts.promise,
        attacks=facts.attacks.main,
        source=Path(source),
        members=facts.members,
    )


def release_html(
    source: PathText, original: PathText | None = None, *, encoding: str | None = None
) -> str:
    """The text of the page alone; see :func:`release_report`."""
    return release_report(source, original, encoding=encoding).html


def report_path(source: PathText, path: PathText | None = None, *, force: bool = False) -> Path:
    """Where a report goes: `path`, or `NAME.report.html` beside the release.

    Raises :class:`TableError`, before any work, when it cannot go there.
    """
    source = Path(source)
    path = file_beside(source, "report") if path is None else Path(path)
    refuse_existing([path], force=force)
    if path.is_dir() or path.suffix.lower() not in (".html", ".htm"):
        raise TableError(f"cannot write a report to {path.name!r}. End its name in .html.")
    return path
