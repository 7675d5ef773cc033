"""Everything that a report shows, worked out before a line of it is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shoal.attacks._attack_result import AttackResult
from shoal.errors import ParameterError, TableError
from shoal.report.release.facts._attacks import Attacks, find_attacks
from shoal.report.release.facts._by_people import judge_people
from shoal.report.release.facts._marginals import (
    Marginal,
    RawValues,
    compare_marginals,
    moved_between,
)
from shoal.report.release.facts._members import attack_members
from shoal.report.release.facts._original import Original, open_original
from shoal.report.release.facts._problems import find_problems
from shoal.report.release.facts._recount import Recount, read_promise, recount
from shoal.report.release.facts._release_file import ReleaseFile, read_release
from shoal.report.release.facts._special import Special, find_special
from shoal.typing import Native, PathText

FEWEST = 5
"""Raw rows that a bar stands for at least; more where the promise asks for more."""


@dataclass(frozen=True, eq=False)
class Facts:
    """What a report is made of.

    Parameters
    ----------
    release : ReleaseFile
        The manifest.
    seen : Recount or None
        The released rows, counted again; None without the table.
    original : Original or None
        The raw table, when given.
    marginals : sequence of Marginal
        Quasi-identifiers before and after; empty without the raw table.
    kept : dict of str to float
        For every sensitive column, how far its distribution moved; empty where fewer rows were left
        out than a bar stands for, since that tells of them.
    attacks : Attacks
        What attacks gave.
    special : Special
        Columns that make rows stand out, before and after.
    least : int
        Raw rows that a bar stands for at least.
    problems : tuple of str
        Why the release must not be published; empty when nothing speaks against it.
    members : AttackResult or None
        Membership by shadow tables, where it was asked for.
    """

    release: ReleaseFile
    seen: Recount | None
    original: Original | None
    marginals: Sequence[Marginal]
    kept: dict[str, float]
    attacks: Attacks
    special: Special
    least: int
    problems: tuple[str, ...]
    members: AttackResult | None = None

    @property
    def promise(self) -> str:
        """What can be said of the promise, in a word or two; see :class:`ReleaseReport`."""
        if self.problems:
            return "broken"
        if self.seen is not None and self.seen.verdict is not None:
            return "holds"
        sealed = self.release.manifest.get("files")
        by_people = self.release.schema.subject is not None
        said = self.seen is not None and by_people and sealed
        return "judged when written" if said else "not evaluated"


def tells_few(release: ReleaseFile, least: int) -> bool:
    """Whether so few rows were left out that figures of all raw rows tell what they have."""
    return 0 < (release.number("suppressed_rows") or 0) < least


def find_facts(
    source: PathText,
    original: Native | None,
    *,
    n_people: int,
    seed: int,
    encoding: str | None,
    n_shadows: int = 0,
) -> Facts:
    """Read, count, compare and attack."""
    release = read_release(source)
    seen = None if release.table is None else recount(release, release.table, encoding)
    raw = None if original is None else open_original(original, release, encoding)
    if raw is not None and seen is None:
        raise TableError("the raw table is of use only with the released one beside its manifest.")
    if n_shadows and raw is not None and raw.is_far:
        raise ParameterError(
            "n_shadows: releases for membership are made of rows on this machine, and the raw "
            "table is on a cluster. Leave it out, or give a part of the table as a file."
        )
    if raw is not None and seen is not None and seen.verdict is None and seen.belongs:
        seen = judge_people(release, seen, raw) if raw.schema.subject is not None else seen
    promise = read_promise(release)
    least = max(FEWEST, promise.minimum_size if promise is not None else FEWEST)
    marginals: list[Marginal] = []
    kept: dict[str, float] = {}
    cells = None
    if raw is not None and seen is not None and seen.belongs:
        values = raw.values()
        cells = values.cells
        marginals = compare_marginals(values, seen.groups)
        after = RawValues.of(seen.groups).sensitive
        if not tells_few(release, least):  # how far values move tells which ones few people had
            kept = {
                name: moved_between(values.sensitive[name], after[name])
                for name in release.schema.sensitive
            }
    attacks = find_attacks(release, seen, raw, n_people, seed, tells_few=tells_few(release, least))
    problems = tuple(find_problems(release, seen))
    special = find_special(cells, seen)
    members = None
    if n_shadows and original is not None and release.table is not None and not attacks.alone:
        members = attack_members(
            release.table, original, n_shadows, random_state=seed, encoding=encoding
        )
    return Facts(release, seen, raw, marginals, kept, attacks, special, least, problems, members)
