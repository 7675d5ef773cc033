"""A release as one HTML file that a data protection officer can read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal._atomic import write_text
from shoal.errors import ParameterError, TableError
from shoal.report.release.facts._facts import Facts, find_facts
from shoal.report.release.facts._linked import ColumnAttack
from shoal.report.release.pages._attack_section import attacks
from shoal.report.release.pages._column_section import columns
from shoal.report.release.pages._html_sections import done, lead, limits, sizes, utility
from shoal.report.release.pages._page import page
from shoal.report.release.pages._promise_section import guarantee, problems
from shoal.report.release.pages._reproduce_section import made
from shoal.report.release.pages._risk_section import risks
from shoal.typing import PathText

PEOPLE = 5_000
"""People of the raw table whom a report attacks unless told otherwise."""


@dataclass(frozen=True)
class ReleaseReport:
    """A report, and what it comes to.

    Parameters
    ----------
    html : str
        The page.
    problems : tuple of str
        Why the release must not be published; empty when nothing speaks against it.
    promise : str
        "holds", "broken", or "not evaluated" where the released rows were not there or not enough.
    attacks : tuple of ColumnAttack
        For every sensitive column, what the attack gave.
    """

    html: str
    problems: tuple[str, ...]
    promise: str
    attacks: tuple[ColumnAttack, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; without the page."""
        return {
            "promise": self.promise,
            "problems": list(self.problems),
            "attacks": [attack.to_dict() for attack in self.attacks],
        }

    def write(self, path: PathText, *, force: bool = False) -> Path:
        """Write the page, whole or not at all."""
        path = report_path(path, path, force=force)
        write_text(path, self.html)
        return path

    def __repr__(self) -> str:
        return f"ReleaseReport(promise {self.promise}, {len(self.problems)} problems)"


def release_report(
    source: PathText,
    original: PathText | None = None,
    *,
    n_people: int = PEOPLE,
    random_state: int = 0,
    encoding: str | None = None,
) -> ReleaseReport:
    """A report on a release: what it promises and keeps, risk, attacks, utility, limits.

    Parameters
    ----------
    source : path
        The released table with `NAME.manifest.json` beside it, or that manifest.
    original : path, optional
        The raw table.  With it, its people are attacked, and distributions are compared.
    n_people : int
        People to attack; drawn at random where the raw table has more.
    random_state : int
        For drawing them.
    encoding : str, optional
        Encoding of CSV tables.

    Notes
    -----
    **Guarantee.**  The promise is evaluated again from the released rows; where they break it, or
    are not those of the manifest, the page says so first.  The page holds no row and no sensitive
    value; of quasi-identifiers it holds released labels with their counts or, when the raw table
    is given, counts of raw values, put together so that none is of fewer than five people or than
    the promise asks.  It loads nothing and runs no script.
    """
    if n_people < 1:
        raise ParameterError(f"n_people must be at least 1, got {n_people}.")
    facts = find_facts(source, original, n_people=n_people, seed=random_state, encoding=encoding)
    found = tuple(problems(facts.release, facts.seen))
    judged = facts.seen is not None and facts.seen.verdict is not None
    return ReleaseReport(
        html=_render(facts),
        problems=found,
        promise="broken" if found else "holds" if judged else "not evaluated",
        attacks=facts.attacks.main,
    )


def release_html(
    source: PathText, original: PathText | None = None, *, encoding: str | None = None
) -> str:
    """The text of the page alone; see :func:`release_report`."""
    return release_report(source, original, encoding=encoding).html


def write_release_html(
    source: PathText,
    path: PathText | None = None,
    *,
    original: PathText | None = None,
    force: bool = False,
    encoding: str | None = None,
) -> Path:
    """Write the report on a release, whole or not at all; see :func:`release_report`.

    Parameters
    ----------
    source : path
        The released table with `NAME.manifest.json` beside it, or that manifest.
    path : path, optional
        File to write; `NAME.report.html` beside the release unless given.
    original : path, optional
        The raw table.
    force : bool
        Replace a file that is there.
    encoding : str, optional
        Encoding of CSV tables.

    Returns
    -------
    Path
        The file written.
    """
    path = report_path(source, path, force=force)
    return release_report(source, original, encoding=encoding).write(path, force=force)


def report_path(source: PathText, path: PathText | None = None, *, force: bool = False) -> Path:
    """Where a report goes: `path`, or `NAME.report.html` beside the release.

    Raises :class:`TableError`, before any work, when it cannot go there.
    """
    source = Path(source)
    stem = source.name.removesuffix(".manifest.json")
    stem = stem if stem != source.name else source.name.removesuffix(source.suffix)
    path = source.with_name(f"{stem}.report.html") if path is None else Path(path)
    if path.exists() and not force:
        raise TableError(f"{path.name!r} is there already. Choose another name or use --force.")
    if path.is_dir() or path.suffix.lower() not in (".html", ".htm"):
        raise TableError(f"cannot write a report to {path.name!r}. End its name in .html.")
    return path


def _render(facts: Facts) -> str:
    release, seen = facts.release, facts.seen
    compared = columns(release, seen, facts.marginals, facts.kept, facts.least)
    source = (
        "from the release and its manifest"
        if facts.original is None
        else "from the release, its manifest and the raw table, whose counts it holds: weigh who "
        "may read it"
    )
    return page(
        heading=release.name,
        lead=lead(release, seen),
        sections=[
            ("done", "What was done", done(release)),
            ("guarantee", "What is promised", guarantee(release, seen)),
            ("risk", "What an attacker can do, before and after", risks(release)),
            ("attack", "Attacks on the release", attacks(facts.attacks)),
            ("utility", "What the data can still do", utility(release)),
            ("columns", "Columns before and after", compared),
            ("sizes", "How large the groups are", sizes(seen)),
            ("limits", "What is not promised", limits(release)),
            ("made", "How to make it again", made(release, seen, facts.original)),
        ],
        footer=f"Made by Shoal {source}. This file loads nothing from anywhere and holds no row "
        "and no sensitive value.",
    )
