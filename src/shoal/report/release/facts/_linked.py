"""Attacks on a release: linking people of the raw table, or what its rows alone tell."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.attacks import linking_attack
from shoal.attacks._linking import LinkingAttack
from shoal.metrics._wilson import wilson
from shoal.report.release.facts._original import Original
from shoal.report.release.facts._recount import Recount
from shoal.schema import Schema
from shoal.schema._text import text


@dataclass(frozen=True)
class ColumnAttack:
    """How well an attacker guesses one sensitive column.

    Parameters
    ----------
    column : str
        The sensitive column.
    known : tuple of str
        Columns of every person that the attacker knows.
    n_people : int
        People who were attacked.
    risk, low, high : float
        Share of them whose value is guessed, with a 95 % interval.
    baseline : float
        The same for somebody who bets on the most frequent value.
    certain : int
        People whose value is certain: all rows that may be theirs agree.
    smallest : int
        Fewest rows that anybody found may be in.
    found : float
        Chance to pick the right row of a person, on average.
    several, none : int
        People who fit more than one group, and who fit none.
    """

    column: str
    known: tuple[str, ...]
    n_people: int
    risk: float
    low: float
    high: float
    baseline: float
    certain: int
    smallest: int
    found: float
    several: int
    none: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def attack_people(
    table: Path, original: Original, n_people: int, seed: int, *, insensitive: bool = False
) -> list[ColumnAttack]:
    """Link people of the raw table to the released groups, for every sensitive column.

    Parameters
    ----------
    table : Path
        The released table.
    original : Original
        The raw one.
    n_people : int
        How many to attack; drawn at random where there are more.
    seed : int
        For drawing them.
    insensitive : bool
        The attacker also knows the columns that are called insensitive.
    """
    schema = original.schema
    known = [*schema.quasi_identifiers]
    if insensitive:
        known += [name for name in schema.having("insensitive") if name != schema.target]
    return [_attack(table, original, known, column, n_people, seed) for column in schema.sensitive]


def _attack(
    table: Path, original: Original, known: list[str], column: str, n_people: int, seed: int
) -> ColumnAttack:
    if original.schema.subject is not None:
        return _attack_subjects(table, original, known, column)
    rows, n_drawn = original.sample([*known, column], column, n_people, seed)
    roles = Schema({name: original.schema[name] for name in (*known, column)})
    values = rows.project(f'"{column.replace(chr(34), chr(34) * 2)}"').fetchall()
    attack = linking_attack(str(table), rows, roles, column=column)
    truth = [attack.coding.code_of[text(value)] for (value,) in values[:n_drawn]]
    return _sum_up(attack, np.array(truth, np.intp), tuple(known))


def _attack_subjects(
    table: Path, original: Original, known: list[str], column: str
) -> ColumnAttack:
    """Every person once, with all their rows: a sample of rows would be none of people."""
    schema = original.schema
    names = [str(schema.subject), *known, column]
    roles = Schema({name: schema[name] for name in names})
    attack = linking_attack(str(table), original.engine.view(names, {}), roles, column=column)
    fits = attack.groups > 0
    chance = np.divide(1.0, attack.hides_among, out=np.zeros(len(fits)), where=fits)
    summary = attack.summary
    return ColumnAttack(
        column=column,
        known=tuple(known),
        n_people=summary.trials,
        risk=summary.risk,
        low=summary.low,
        high=summary.high,
        baseline=summary.baseline,
        certain=int(summary.details["certain"]),
        smallest=int(attack.hides_among[fits].min()) if fits.any() else 0,
        found=float(chance.mean()),
        several=int((attack.groups > 1).sum()),
        none=int((~fits).sum()),
    )


def _sum_up(attack: LinkingAttack, truth: Any, known: tuple[str, ...]) -> ColumnAttack:
    """The summary over those who were drawn; rows beyond them only made their values known."""
    n = len(truth)
    left, groups, hides = attack.left[:n], attack.groups[:n], attack.hides_among[:n]
    best = left == left.max(axis=1, keepdims=True)
    hits = best[np.arange(n), truth] / best.sum(axis=1)  # ties are broken by luck
    low, high = wilson(float(hits.sum()), n)
    fits = groups > 0
    chance = np.divide(1.0, hides, out=np.zeros(n), where=fits)
    return ColumnAttack(
        column=attack.column,
        known=known,
        n_people=n,
        risk=float(hits.mean()),
        low=low,
        high=high,
        baseline=float(np.bincount(truth).max() / n),
        certain=int((fits & (left.max(axis=1) > 1 - 1e-12)).sum()),
        smallest=int(hides[fits].min()) if fits.any() else 0,
        found=float(chance.mean()),
        several=int((groups > 1).sum()),
        none=int((~fits).sum()),
    )


def attack_rows(seen: Recount, known: tuple[str, ...]) -> list[ColumnAttack]:
    """The same for the people in the release, each of whom is taken to be found in his group."""
    attacks = []
    for column, guess in seen.risk.inference.items():
        n = seen.groups.n_rows
        if not n:
            continue
        histogram = seen.groups.histograms[column]
        low, high = wilson(guess.average_confidence * n, n)
        attacks.append(
            ColumnAttack(
                column=column,
                known=known,
                n_people=n,
                risk=guess.average_confidence,
                low=low,
                high=high,
                baseline=float(histogram.totals.max() / n),
                certain=guess.certain_rows,
                smallest=int(seen.sizes.min()),
                found=seen.risk.prosecutor.average,
                several=0,
                none=0,
            )
        )
    return attacks


def alike_groups(seen: Recount, column: str) -> int:
    """Groups whose rows all have one value of a sensitive column."""
    histogram = seen.groups.histograms[column]
    kinds = np.bincount(histogram.group_of_entry, histogram.counts > 0, seen.groups.n_groups)
    return int(((kinds == 1) & (seen.groups.sizes > 0)).sum())
