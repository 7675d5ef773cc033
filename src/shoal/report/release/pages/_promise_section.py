"""What was asked of every group, and what the worst group reaches."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.report.release.pages._cells import NumberCell, counted_cell, manifest_cell
from shoal.report.release.pages._numbers import number


@dataclass(frozen=True)
class ConditionView:
    """One condition of the promise as the page shows it.

    Parameters
    ----------
    description : str
        What every group has to be.
    required, written : NumberCell or str
        What was asked, and what the manifest says was reached.
    counted : NumberCell or str
        What the released rows reach.
    failing : NumberCell or str
        Groups that break it, by the rows where they were counted, else by the manifest.
    holds : bool
        Whether there is none.
    """

    description: str
    required: NumberCell | str
    written: NumberCell | str
    counted: NumberCell | str
    failing: NumberCell | str
    holds: bool


def conditions(release: ReleaseFile, seen: Recount | None) -> list[ConditionView]:
    """Every condition of the promise, by the manifest and by the rows."""
    return [_condition(release, seen, index) for index in range(len(release.entries("reached")))]


def _condition(release: ReleaseFile, seen: Recount | None, index: int) -> ConditionView:
    judged = seen.verdict.reached if seen is not None and seen.verdict is not None else ()
    counted: NumberCell | str = "not counted"
    failing = manifest_cell(release, number, "reached", index, "failing_groups")
    holds = release.get("reached", index, "holds") is True
    if index < len(judged):  # what was counted counts, whatever the manifest says
        part = judged[index].to_dict()
        counted = counted_cell(number, part["reached"], "reached", index, "reached")
        failing = counted_cell(number, part["failing_groups"], "reached", index, "failing_groups")
        holds = judged[index].holds
    return ConditionView(
        description=str(release.get("reached", index, "description")),
        required=manifest_cell(release, number, "reached", index, "required"),
        written=manifest_cell(release, number, "reached", index, "reached"),
        counted=counted,
        failing=failing,
        holds=holds,
    )
