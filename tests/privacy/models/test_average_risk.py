import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import AverageRisk, CorrectGuesses, KAnonymity, KMap
from tests.privacy.models.test_presence import people
from tests.reference import risk as twin

WHOLE_CASES = [
    (AverageRisk(0.3), lambda groups: twin.average_risk(groups, 0.3)),
    (AverageRisk(0.05, fraction=0.2), lambda g: twin.average_risk(g, 0.05, fraction=0.2)),
    (CorrectGuesses(3.5), lambda groups: twin.correct_guesses(groups, 3.5)),
    (CorrectGuesses(1.2, fraction=0.25), lambda g: twin.correct_guesses(g, 1.2, fraction=0.25)),
]


def test_the_mean_over_rows_is_groups_per_row():
    model = AverageRisk(0.5)
    groups = people([(0, "f")] + [(1, "f")] * 3)
    assert model.value(groups) == 0.5
    assert model.holds(groups).all()
    np.testing.assert_array_equal(AverageRisk(0.4).holds(groups), [False, True])  # the one alone


@pytest.mark.parametrize("seed", range(5))
def test_a_journalist_looks_at_the_population(seed):
    rng = np.random.default_rng(seed)
    inside = [(int(a), "f") for a in rng.integers(0, 4, 10)]
    everybody = inside + [(int(a), "f") for a in rng.integers(0, 4, 30)]
    cells = KMap(1, population=people(everybody)).prepare(people(inside))
    groups = [[row for row in inside if row[0] == age] for age in range(4)]
    behind = [sum(row[0] == age for row in everybody) for age in range(4)]
    groups, behind = zip(*((g, n) for g, n in zip(groups, behind, strict=True) if g), strict=True)
    for limit in (0.05, 0.1, 0.2, 0.4):
        expected = twin.average_risk(groups, limit, people=behind)
        model = AverageRisk(limit, attacker="journalist")
        assert model.holds(cells).all() == expected
        few = twin.correct_guesses(groups, 10 * limit, people=behind)
        assert CorrectGuesses(10 * limit, attacker="marketer").holds(cells).all() == few


def test_who_attacks_follows_from_what_is_given():
    assert AverageRisk(0.1).attacker == "prosecutor"
    assert AverageRisk(0.1, fraction=0.2).attacker == "journalist"
    with pytest.raises(ParameterError, match="prosecutor knows"):
        AverageRisk(0.1, fraction=0.2, attacker="prosecutor")
    with pytest.raises(SchemaError, match="needs a population"):
        AverageRisk(0.1, attacker="marketer").prepare(people([(0, "f")]))


def test_the_ladder_ends_where_every_row_is_safe_enough():
    assert AverageRisk(0.1).rungs(100)[-1] == KAnonymity(10)
    assert AverageRisk(0.1, attacker="journalist").rungs(100)[-1] == KMap(10)
    assert AverageRisk(0.1, fraction=0.2).rungs(100)[-1] == KAnonymity(2)
    assert CorrectGuesses(4).rungs(100)[-1] == KAnonymity(25)
    assert AverageRisk(0.001).rungs(100)[0] == KAnonymity(1)
    assert len(AverageRisk(0.001).rungs(100)) < 70  # halved, not walked
