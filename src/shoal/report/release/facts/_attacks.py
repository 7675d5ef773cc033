"""Which attacks a report carries out, on how many people, and why it leaves others out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shoal.errors import MissingExtraError, SchemaError
from shoal.report.release.facts._far_original import MOST_PRIVATE
from shoal.report.release.facts._linked import (
    ColumnAttack,
    alike_groups,
    attack_people,
    attack_rows,
)
from shoal.report.release.facts._original import Original
from shoal.report.release.facts._recount import Recount
from shoal.report.release.facts._release_file import ReleaseFile
from shoal.schema import Schema
from shoal.tables import open_table
from shoal.tables.engines._spark_engine import SparkEngine

MOST_ROWS = 2_000_000  # an attack holds the released rows in memory
_MOST_PAIRS = 200_000_000  # people times groups, a byte each
_MOST_LOOKS = 3_000_000  # people times values of a column that is released as it is
_FEWEST = 50


@dataclass(frozen=True)
class Attacks:
    """The attacks carried out, and their results.

    Parameters
    ----------
    main : tuple of ColumnAttack
        The attacker of the promise, who knows the quasi-identifiers; one for each sensitive column.
    wider : tuple of ColumnAttack
        One who also knows the columns that are called insensitive.
    n_rows : int
        Rows of the raw table.
    seed : int
        For drawing people.
    alike : tuple of int
        For each attack, groups whose rows all have one value.
    alone : str
        Why nobody was linked and the released rows have to do; empty when people were.
    """

    main: tuple[ColumnAttack, ...] = ()
    wider: tuple[ColumnAttack, ...] = ()
    n_rows: int = 0
    seed: int = 0
    alike: tuple[int, ...] = ()
    alone: str = ""


def find_attacks(
    release: ReleaseFile,
    seen: Recount | None,
    original: Original | None,
    n_people: int,
    seed: int,
    *,
    tells_few: bool = False,
) -> Attacks:
    """Link people of the raw table where there is one; else read the rows alone.

    With `tells_few` few rows were left out.  Figures of everybody, or of people drawn by whatever
    lot, less those of the people in the release would be theirs: the released rows have to do.
    """
    if seen is None or release.table is None:
        return Attacks(
            alone="The released table was not beside its manifest: nothing was attacked."
        )
    if not seen.risk.inference:
        return Attacks(
            alone="The schema calls no column sensitive, so there is nothing to guess. The chances "
            "to find a person are above."
        )
    alike = tuple(alike_groups(seen, column) for column in seen.risk.inference)
    alone = _why_alone(seen, original)
    if not alone and tells_few:
        alone = (
            "Few people were left out, and figures of everybody would tell what they have: nobody "
            "was linked."
        )
    if not alone and original is not None:
        try:
            return _link(release.table, seen, original, n_people, seed, alike)
        except MissingExtraError:
            alone = "Linking needs pandas or Polars, which are not installed: nobody was linked."
        except SchemaError:
            alone = (
                "Released labels could not be matched to raw values, for want of their "
                "hierarchies: nobody was linked."
            )
    rows = tuple(attack_rows(seen, release.schema.quasi_identifiers))
    return Attacks(main=rows, alike=alike, alone=alone)


def _why_alone(seen: Recount, original: Original | None) -> str:
    if original is None:
        return (
            "The raw table was not given (--original), so nobody was linked: no person of it was "
            "looked for in the release."
        )
    if not seen.belongs:
        return "The table is not the one that its manifest speaks of, so nobody was linked."
    if isinstance(original.engine, SparkEngine):
        return _why_far(original.engine, original.schema) or _why_large(seen)
    return _why_large(seen)


def _why_far(engine: SparkEngine, schema: Schema) -> str:
    if schema.subject is not None:
        return (
            "The raw table is on a cluster and has several rows of a person, all of which would "
            "have to come here: nobody was linked."
        )
    if any(engine.estimate_distinct([name]) > MOST_PRIVATE for name in schema.sensitive):
        return (
            f"The raw table is on a cluster, and a sensitive column has more than {MOST_PRIVATE:,} "
            "values, of which a row each would have to come here: nobody was linked."
        )
    return ""


def _why_large(seen: Recount) -> str:
    if seen.groups.n_rows + seen.n_starred > MOST_ROWS:
        return (
            f"The release has more than {MOST_ROWS:,} rows, more than this report links: use "
            "shoal.attacks.linking_attack with the memory it needs."
        )
    return ""


def _link(
    table: Path, seen: Recount, original: Original, n_people: int, seed: int, alike: tuple[int, ...]
) -> Attacks:
    n_main = min(n_people, max(_FEWEST, _MOST_PAIRS // max(1, seen.groups.n_groups)))
    main = attack_people(table, original, n_main, seed)
    wider: list[ColumnAttack] = []
    schema = original.schema
    others = [name for name in schema.having("insensitive") if name != schema.target]
    if others:
        engine = open_table(table)
        most = max(len(engine.distinct(name)[0]) for name in others)
        n_wider = int(np.clip(_MOST_LOOKS // max(1, most), _FEWEST, n_main))
        wider = attack_people(table, original, n_wider, seed, insensitive=True)
    return Attacks(tuple(main), tuple(wider), original.n_rows, seed, alike)
