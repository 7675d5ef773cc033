import numpy as np
import pytest

from shoal.anonymize import Mondrian
from shoal.attacks import shadow_attack
from shoal.attacks.rows._shadow import tell_members
from shoal.errors import ParameterError, TableError
from shoal.schema import Schema
from tests.attacks.rows.people import draw


def published(table):
    return table


def example_shadow():
    return (published, draw(40, 0)), {"n_shadows": 6, "n_attacks": 20}


def slow_areas(seen, inside):
    """One target, one figure and one pair of people after the other."""
    areas = []
    n_releases, n_targets, n_figures = seen.shape
    for pair in range(0, n_releases, 2):
        others = [j for j in range(n_releases) if j not in (pair, pair + 1)]
        means = {}
        for i in range(n_targets):
            for f in range(n_figures):
                for side in (True, False):
                    means[i, f, side] = np.mean(
                        [seen[j, i, f] for j in others if inside[j, i] == side]
                    )
        spread = {
            (f, side): np.mean(
                [
                    (seen[j, i, f] - means[i, f, side]) ** 2
                    for j in others
                    for i in range(n_targets)
                    if inside[j, i] == side
                ]
            )
            for f in range(n_figures)
            for side in (True, False)
        }

        def likely(j, i, side, means=means, spread=spread):
            return -sum(
                (seen[j, i, f] - means[i, f, side]) ** 2 / spread[f, side] + np.log(spread[f, side])
                for f in range(n_figures)
            )

        score = {
            (j, i): likely(j, i, True) - likely(j, i, False)
            for j in (pair, pair + 1)
            for i in range(n_targets)
        }
        wins = [
            (score[a] > score[b]) + (score[a] == score[b]) / 2
            for a in score if inside[a] for b in score if not inside[b]
        ]  # fmt: skip
        areas.append(np.mean(wins))
    return areas


@pytest.mark.parametrize("seed", range(5))
def test_members_are_told_as_plain_loops_tell_them(seed):
    rng = np.random.default_rng(seed)
    first = rng.random((4, 7)) < 0.5
    inside = np.stack([part for half in first for part in (half, ~half)])
    seen = rng.normal(size=(8, 7, 2)) + 0.5 * inside[:, :, None]
    np.testing.assert_allclose(tell_members(seen, inside), slow_areas(seen, inside))


def test_a_table_published_as_it_is_tells_all_and_a_fixed_one_nobody():
    people = draw(60, 0)
    assert shadow_attack(published, people, n_shadows=6).risk > 0.95
    fixed = draw(30, 1)
    nobody = shadow_attack(lambda table: fixed, people, n_shadows=6)
    assert (nobody.risk, nobody.low, nobody.high) == (0.5, 0.5, 0.5)


def test_groups_hide_members_better_than_copies():
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "pay": {"role": "quasi-identifier", "kind": "numeric"},
        }
    )
    rng = np.random.default_rng(0)
    people = {"age": rng.integers(18, 90, 200), "pay": rng.integers(1, 100, 200)}

    def grouped(table):
        return Mondrian(schema, 10).fit(table).release_.table

    found = shadow_attack(grouped, people, schema=schema, n_shadows=8, n_attacks=50)
    copied = shadow_attack(published, people, schema=schema, n_shadows=8, n_attacks=50)
    assert found.risk < 0.75 < copied.risk


def test_too_little_to_learn_from_is_said():
    with pytest.raises(ParameterError, match="n_shadows"):
        shadow_attack(published, draw(9, 0), n_shadows=4)
    with pytest.raises(TableError, match="at least 4 people"):
        shadow_attack(published, draw(3, 0))


def test_all_rows_of_a_person_are_in_a_release_or_none():
    schema = Schema({"who": {"role": "subject"}, "age": {"role": "quasi-identifier"}})
    people = {"who": np.repeat(np.arange(20), 3), "age": np.arange(60)}
    sizes = []

    def program(table):
        sizes.append(len(table))
        assert set(np.unique(table["who"], return_counts=True)[1]) == {3}
        return table

    found = shadow_attack(program, people, schema=schema, n_shadows=6, n_people=10)
    assert sizes == [15] * 6
    assert found.details["people"] == 10
