"""The released rows, counted and judged again: nothing here is taken from the manifest."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from shoal._plain import from_json
from shoal.anonymize import check_table
from shoal.anonymize._recheck import count_released
from shoal.anonymize._release_files import file_beside
from shoal.anonymize._verdict import Verdict
from shoal.errors import ShoalError
from shoal.metrics import risk
from shoal.metrics._risk import Risk
from shoal.privacy import PrivacyModel
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.schema import Schema
from shoal.tables import FrequencyTable, open_table
from shoal.typing import Counts

_ADDED = ("_min", "_max", "_mean")  # columns that a release with ranges has besides


@dataclass(frozen=True)
class Difference:
    """Something that the rows say otherwise than the manifest.

    Parameters
    ----------
    what : str
        What was counted.
    written, counted : float, int or None
        By the manifest, and by the rows.
    """

    what: str
    written: float | int | None
    counted: float | int | None


@dataclass(frozen=True, eq=False)
class Recount:
    """What the released rows themselves say.

    Parameters
    ----------
    groups : FrequencyTable
        Rows with equal text in all quasi-identifiers; starred rows are left out.
    n_starred : int
        Suppressed rows that were kept, starred.
    risk : Risk
        What an attacker can do who knows the groups.
    verdict : Verdict or None
        Whether the promise holds; None where the rows alone cannot tell.
    differences : tuple of Difference
        Where the manifest says something else.
    added, lost : tuple of str
        Columns that the table has and should not have, and the other way round.
    """

    groups: FrequencyTable
    n_starred: int
    risk: Risk
    verdict: Verdict | None
    differences: tuple[Difference, ...]
    added: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def sizes(self) -> Counts:
        """Rows of every group."""
        return self.groups.sizes[self.groups.sizes > 0]

    @property
    def belongs(self) -> bool:
        """Whether this is the table that the manifest speaks of."""
        return not (self.differences or self.added or self.lost)


def recount(release: ReleaseFile, table: Path, encoding: str | None) -> Recount:
    """Count the table and ask the privacy model again."""
    # roles are all that counting needs: hierarchy files may have stayed behind; rows are counted,
    # so that tokens, which tie the rows of a person together, are a column like others
    roles = Schema(
        {
            name: {"role": "insensitive" if column.role == "pseudonym" else column.role}
            for name, column in release.schema.items()
        }
    )
    names = open_table(table, encoding=encoding).names
    whole = count_released(table, roles, encoding=encoding)
    groups = whole
    if release.get("suppressed_rows") and whole.n_rows == release.get("rows"):
        groups = count_released(table, roles, encoding=encoding, drop_stars=True)
    n_starred = whole.n_rows - groups.n_rows
    present = [name for name in roles.sensitive if name in groups.histograms]
    risks = risk(groups, sensitive=present)
    verdict = _judge(release, table, n_starred > 0, encoding)
    by_people = release.schema.subject is not None
    if by_people and verdict is not None and verdict.holds:
        verdict = None  # enough rows, or tokens; whose rows they are cannot be seen in a release
    expected = set(roles.released)
    allowed = expected | {name + end for name in roles.quasi_identifiers for end in _ADDED}
    return Recount(
        groups=groups,
        n_starred=n_starred,
        risk=risks,
        verdict=verdict,
        differences=tuple(differences(release, groups, None if by_people else risks, verdict)),
        added=tuple(name for name in names if name not in allowed),
        lost=tuple(sorted(expected - set(names))),
    )


def read_promise(release: ReleaseFile) -> PrivacyModel | None:
    """The privacy model of the manifest; None where it cannot be made again."""
    kept = file_beside(release.path, "promise")  # in the house, with what the manifest keeps back
    try:
        if kept.exists():
            return PrivacyModel.from_dict(from_json(kept.read_text("utf-8")))
        return PrivacyModel.from_dict(release.mapping("privacy"))
    except (ShoalError, ValueError, AttributeError):
        return None


def _judge(
    release: ReleaseFile, table: Path, drop_stars: bool, encoding: str | None
) -> Verdict | None:
    promise = read_promise(release)
    if promise is None:
        return None
    try:
        return check_table(
            table, release.schema, promise, drop_stars=drop_stars, encoding=encoding, shown=0
        )
    except ShoalError:  # a population, or hierarchy files that stayed behind
        return None


def differences(
    release: ReleaseFile, groups: FrequencyTable, risks: Risk | None, verdict: Verdict | None
) -> list[Difference]:
    """What the rows say otherwise than the manifest."""
    sizes = groups.sizes[groups.sizes > 0]
    counted: dict[tuple[str | int, ...], Any] = {
        ("released_rows",): int(sizes.sum()),
        ("groups",): len(sizes),
    }
    if risks is not None:
        counted |= _counted_risks(sizes, risks)
    if verdict is not None and len(verdict.reached) == len(release.entries("reached")):
        for index, part in enumerate(verdict.reached):
            for key in ("reached", "failing_groups"):
                counted["reached", index, key] = part.to_dict()[key]
    return [
        Difference(" ".join(map(str, path)).replace("_", " "), written, value)
        for path, value in counted.items()
        if not _equal(written := release.number(*path), value)
    ]


def _counted_risks(sizes: Counts, risks: Risk) -> dict[tuple[str | int, ...], Any]:
    counted: dict[tuple[str | int, ...], Any] = {
        ("metrics", "after", "smallest_group"): int(sizes.min(initial=2**62)) if len(sizes) else 0,
        ("metrics", "after", "largest_group"): int(sizes.max(initial=0)),
    }
    plain = risks.to_dict()
    for key in ("highest", "average"):
        counted["risk", "after", "prosecutor", key] = plain["prosecutor"][key]
    for column, values in plain["inference"].items():
        for key in ("certain_rows", "average_confidence"):
            counted["risk", "after", "inference", column, key] = values[key]
    return counted


def _equal(written: float | int | None, counted: float | int | None) -> bool:
    if written is None or counted is None:
        return written is counted
    return isclose(written, counted, rel_tol=1e-9, abs_tol=1e-12)
