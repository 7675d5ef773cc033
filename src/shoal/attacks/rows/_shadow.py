"""Membership by shadow tables: who has the program makes releases with and without a person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shoal._checks import check_integer
from shoal.anonymize._anonymizer import no_progress
from shoal.attacks._attack_result import AttackResult, percentiles
from shoal.attacks._membership import area
from shoal.attacks.rows._match_kernels import Scales, share_right
from shoal.attacks.rows._row_tables import read_row_tables
from shoal.audit._training_table import read_frame
from shoal.errors import TableError
from shoal.frames._frame import Frame
from shoal.schema import Schema
from shoal.typing import Flags, Floats, Native, Progress

_RESAMPLES = 400


def shadow_attack(
    make: Callable[[Native], Native],
    people: Native,
    *,
    schema: Schema | None = None,
    n_shadows: int = 16,
    n_attacks: int = 200,
    n_people: int = 5_000,
    random_state: int = 0,
    progress: Progress | None = None,
) -> AttackResult:
    """Test who is behind a release with releases that a program makes with and without each person.

    Parameters
    ----------
    make : callable
        The program: takes a table and returns what it would publish.
    people : table or path
        Rows that the attacker has, the targets among them.
    schema : Schema, optional
        Hierarchies behind labels.  With a subject all rows of a person are in a release or none.
    n_shadows : int, default=16
        Number of releases, even and at least 6; each has half of the people.
    n_attacks : int, default=200
        Targets, drawn at random if there are more people.
    n_people : int, default=5_000
        People whose rows releases are made from, drawn at random if there are more.
    random_state : int, default=0
        Seed.
    progress : callable, optional
        Called as ``progress(done, total, what)``.

    Returns
    -------
    AttackResult
        `risk` is the chance of telling a member from somebody who is not (0.5 by guessing), with an
        interval over pairs of releases.

    Notes
    -----
    Every person is in one release of each pair.  A target's row is looked up in a release by the
    distance of the nearest rows and by their number; for each target both are taken to be normally
    distributed, with a mean for being in and one for being out and variances that all targets
    share, learned from all pairs but the one
    that is attacked, as in [CCN22]_.  For attacks on synthetic tables see [SOT22]_.

    A program that is not random is attacked, too: it is the other people who change.  An attacker
    with more than two figures of a release may achieve more.

    References
    ----------
    .. [CCN22] N. Carlini, S. Chien, M. Nasr, S. Song, A. Terzis, F. Tramer.  Membership inference
       attacks from first principles.  IEEE S&P 2022.
    .. [SOT22] T. Stadler, B. Oprisanu, C. Troncoso.  Synthetic data: anonymisation groundhog day.
       USENIX Security 2022.

    Examples
    --------
    >>> people = {"age": list(range(40)), "pay": list(range(40))}
    >>> shadow_attack(lambda table: table, people, n_shadows=6).risk
    1.0
    """
    check_integer("n_shadows", n_shadows, 6)
    check_integer("n_attacks", n_attacks, 1)
    check_integer("n_people", n_people, 4)
    rng = np.random.default_rng(random_state)
    tell = progress or no_progress
    frame, person = _people(read_frame(people, schema), schema, n_people, rng)
    first = np.unique(person, return_index=True)[1]  # a row of each person
    n = len(first)
    if n < 4:
        raise TableError("shadow tables need at least 4 people.")
    targets = np.sort(rng.permutation(n)[:n_attacks])
    asked = frame.take(first[targets])
    inside: list[Flags] = []
    seen: list[Floats] = []
    for _ in range(n_shadows // 2):
        half = np.zeros(n, np.bool_)
        half[rng.permutation(n)[: n // 2]] = True
        for kept in (half, ~half):
            tell(len(seen), n_shadows // 2 * 2, "shadow tables")
            release = make(frame.keep(kept[person]).native)
            seen.append(_look_up(release, asked, schema))
            inside.append(kept[targets])
    areas = tell_members(np.array(seen), np.array(inside))
    risk = float(areas.mean())
    draws = rng.integers(len(areas), size=(_RESAMPLES, len(areas)))
    low, high = percentiles(areas[draws].mean(axis=1))
    return AttackResult(
        "membership, shadow tables",
        "chance of telling a member from an outsider",
        risk,
        min(low, risk),
        max(high, risk),
        0.5,
        2 * len(areas) * len(targets),
        {"releases": 2 * len(areas), "people": len(targets)},
    )


def _people(
    frame: Frame, schema: Schema | None, most: int, rng: np.random.Generator
) -> tuple[Frame, NDArray[np.int64]]:
    """Rows of at most `most` people, and the number of the person behind each."""
    name = None if schema is None else schema.subject or schema.pseudonym
    person = np.arange(frame.n_rows)
    if name is not None and name in frame.names:
        person = np.unique(frame.factorize(name)[0], return_inverse=True)[1]
    n = int(person.max()) + 1 if len(person) else 0
    if n <= most:
        return frame, person
    drawn = np.zeros(n, np.bool_)
    drawn[rng.permutation(n)[:most]] = True
    kept = drawn[person]
    return frame.keep(kept), np.unique(person[kept], return_inverse=True)[1]


def _look_up(release: Native, targets: Frame, schema: Schema | None) -> Floats:
    """Distance of the rows nearest to each target, and how many there are (logarithm)."""
    tables = read_row_tables(release, targets.native, None, schema)
    scales = Scales(np.arange(len(tables.names), dtype=np.int64), tables.scale, tables.covers)
    guess, truth = np.zeros(len(tables.released.low)), np.zeros(len(tables.people.low))
    _, distance, ties = share_right(tables.people, tables.released, scales, guess, truth, 0.0)
    return np.column_stack([distance / len(tables.names), np.log(ties)])


def tell_members(seen: Floats, inside: Flags) -> Floats:
    """For every pair of releases, the chance of telling members by what all other pairs teach.

    Parameters
    ----------
    seen : ndarray, shape (n_releases, n_targets, n_figures)
        What a release shows of each target; releases 2i and 2i + 1 are a pair.
    inside : ndarray of bool, shape (n_releases, n_targets)
        Who is in which release: each target in one of every pair.
    """
    areas = []
    for pair in range(0, len(seen), 2):
        others = np.delete(np.arange(len(seen)), [pair, pair + 1])
        both, score = seen[pair : pair + 2], np.zeros((2, seen.shape[1]))
        least = 1e-6 * seen[others].var(axis=(0, 1)) + 1e-12
        for member, sign in ((inside[others], 1), (~inside[others], -1)):
            mean = np.where(member[:, :, None], seen[others], 0).sum(axis=0) / (len(others) // 2)
            away = np.where(member[:, :, None], (seen[others] - mean) ** 2, 0)
            spread = np.maximum(away.sum(axis=(0, 1)) / member.sum(), least)
            score -= sign * ((both - mean) ** 2 / spread + np.log(spread)).sum(axis=2)
        is_in = inside[pair : pair + 2]
        areas.append(area(-score[is_in], -score[~is_in]))
    return np.array(areas)
