"""Why a release must not be published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from shoal.anonymize._verdict import Verdict
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile


def find_problems(release: ReleaseFile, seen: Recount | None) -> list[str]:
    """Reasons in words; empty when nothing speaks against publishing."""
    problems = []
    parts = release.entries("reached")
    kept = all(isinstance(part, Mapping) and part.get("holds") is True for part in parts)
    if not (kept and parts):
        problems.append("By its manifest, this release does not keep its promise.")
    if seen is not None:
        if seen.verdict is not None:
            problems += _broken(seen.verdict)
        problems += _wrong_table(seen)
    problems += [
        f"{name} is not the file that the manifest was written with: it was exchanged or changed."
        for name in release.torn
    ]
    return problems


def _broken(verdict: Verdict) -> Iterator[str]:
    if verdict.n_failing_groups:
        groups, rows = verdict.n_failing_groups, verdict.n_failing_rows
        yield (
            f"Counted in the released rows, the promise is broken in "
            f"{groups:,} group{'s' * (groups != 1)} ({rows:,} row{'s' * (rows != 1)})."
        )
    beyond = [name for name, rows in verdict.beyond_limits.items() if rows]
    if beyond:
        yield f"Values are coarser than the schema allows: {', '.join(beyond)}."


def _wrong_table(seen: Recount) -> Iterator[str]:
    if seen.added:
        yield f"The table has columns that its manifest lacks: {', '.join(seen.added)}."
    if seen.lost:
        yield f"The table lacks columns of its manifest: {', '.join(seen.lost)}."
    if seen.differences:
        yield "This is not the table that the manifest speaks of: its rows give other numbers."
