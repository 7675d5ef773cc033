"""The section that says what is promised, and whether the released rows keep it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import counted_cell, data_cell
from shoal.report.release.pages._glossary import number
from shoal.report.release.pages._page import listed, paragraphs, table

NOT_COUNTED = (
    "The released table was not beside its manifest: nothing was counted, and what follows is the "
    "manifest's word."
)
NOT_JUDGED = (
    "The rows were counted, but this promise cannot be evaluated from them alone: it needs a "
    "population, or hierarchy files that are not here."
)


def problems(release: ReleaseFile, seen: Recount | None) -> list[str]:
    """Why the release must not be published; empty when nothing speaks against it."""
    found = []
    parts = release.entries("reached")
    kept = all(isinstance(part, Mapping) and part.get("holds") is True for part in parts)
    if not (kept and parts):
        found.append("By its manifest, this release does not keep its promise.")
    if seen is None:
        return found
    verdict = seen.verdict
    if verdict is not None and verdict.n_failing_groups:
        found.append(
            f"Counted in the released rows, the promise is broken in "
            f"{verdict.n_failing_groups:,} groups ({verdict.n_failing_rows:,} rows)."
        )
    if verdict is not None and any(verdict.beyond_limits.values()):
        beyond = [name for name, rows in verdict.beyond_limits.items() if rows]
        found.append(f"Values are coarser than the schema allows: {', '.join(beyond)}.")
    if seen.added:
        found.append(f"The table has columns that its manifest lacks: {', '.join(seen.added)}.")
    if seen.lost:
        found.append(f"The table lacks columns of its manifest: {', '.join(seen.lost)}.")
    if seen.differences:
        found.append(
            "This is not the table that the manifest speaks of: its rows give other numbers."
        )
    return found


def standing(release: ReleaseFile, seen: Recount | None) -> str:
    """The first thing on the page: whether the promise holds."""
    found = problems(release, seen)
    if found:
        return f'<div class="verdict bad"><p>Do not publish.</p>{listed(found)}</div>'
    if seen is None or seen.verdict is None:
        said = NOT_COUNTED if seen is None else NOT_JUDGED
        return f'<div class="verdict">{paragraphs(said)}</div>'
    return '<div class="verdict good">' + paragraphs(
        f"The promise holds. It was evaluated again for this report, in all "
        f"{seen.verdict.n_rows:,} released rows."
    ) + "</div>"  # fmt: skip


def guarantee(release: ReleaseFile, seen: Recount | None) -> str:
    """The promise, condition by condition: by the manifest, and by the rows."""
    known = ", ".join(release.columns("quasi-identifier")) or "no column"
    parts = seen.verdict.reached if seen is not None and seen.verdict is not None else None
    rows = []
    for at in range(len(release.entries("reached"))):
        counted, failing = (
            "not counted",
            data_cell(release, number, "reached", at, "failing_groups"),
        )
        holds = release.get("reached", at, "holds") is True
        if parts is not None and at < len(parts):
            part = parts[at].to_dict()
            counted = counted_cell(number, part["reached"], "reached", at, "reached")
            failing = counted_cell(number, part["failing_groups"], "reached", at, "failing_groups")
            holds = parts[at].holds
        rows.append(
            [
                escape(str(release.get("reached", at, "description"))),
                data_cell(release, number, "reached", at, "required"),
                data_cell(release, number, "reached", at, "reached"),
                counted,
                "yes" if holds else f'<strong class="bad">no, not in {failing} groups</strong>',
            ]
        )
    return (
        paragraphs(
            f"Rows that are equal in every quasi-identifier ({known}) form a group. Whoever knows "
            "these columns of a person finds the person's group, but cannot tell its rows apart. "
            "The promise is about every group of the release:"
        )
        + table(
            "reached",
            "Conditions: what was asked of every group, and what the worst group reaches",
            ("condition", "asked", "manifest", "rows", "holds"),
            rows,
        )
        + _checked(seen)
    )


def _checked(seen: Recount | None) -> str:
    if seen is None:
        return paragraphs(NOT_COUNTED)
    said = (
        NOT_JUDGED
        if seen.verdict is None
        else "The last two columns were worked out for this report from the released rows, read as "
        "any recipient would read them, by code that shares nothing with the search."
    )
    if not seen.differences:
        return paragraphs(said, "Everything that was counted is as the manifest says.")
    rows = [
        [escape(part.what), _exact(part.written), _exact(part.counted)] for part in seen.differences
    ]
    return paragraphs(said) + table(
        "differences",
        "Where the rows say otherwise than the manifest",
        ("what", "by the manifest", "by the rows"),
        rows,
    )


def _exact(value: float | int | None) -> str:
    """In full: two numbers that differ must not look alike."""
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:.10g}"
