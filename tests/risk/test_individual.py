import numpy as np
import pytest
from scipy.stats import nbinom

from shoal.errors import ParameterError, SchemaError
from shoal.risk import individual_risk, read_survey
from shoal.risk._individual import row_risks
from shoal.schema import Schema
from tests.reference import risk as twin

SCHEMA = Schema(
    {
        "a": {"role": "quasi-identifier"},
        "b": {"role": "quasi-identifier"},
        "c": {"role": "quasi-identifier"},
        "w": {"role": "insensitive", "kind": "numeric"},
        "home": {"role": "insensitive"},
    }
)
ROWS = {
    "a": [2, 3, 2, 2, 3, 3, 1, 2],
    "b": [3, 3, 3, 3, 3, 3, 4, 3],
    "c": [1, 3, 1, 2, 1, 1, 1, 1],
    "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 51],
    "home": ["x", "x", "y", "y", "z", "x", "z", "z"],
}
# what indivRisk(method = "exact") of sdcMicro 5.8.1 expects of these rows in its own tests
SDCMICRO = [
    0.01355297,
    0.08579129,
    0.01355297,
    0.17707583,
    0.01877883,
    0.01877883,
    0.03931625,
    0.01355297,
]


def risk_of_rows(found, groups):
    key_of = {tuple(key): risk for key, risk in zip(groups.keys.tolist(), found.risks, strict=True)}
    texts = [coding.code_of for coding in groups.codings]
    return [
        key_of[tuple(code[str(ROWS[name][i])] for name, code in zip("abc", texts, strict=True))]
        for i in range(8)
    ]


def test_agrees_with_sdcmicro():
    groups = read_survey(ROWS, SCHEMA, ["w"])
    found = individual_risk(groups, weight="w")
    np.testing.assert_allclose(risk_of_rows(found, groups), SDCMICRO, atol=5e-9)
    assert found.expected == pytest.approx(sum(SDCMICRO), abs=1e-7)


@pytest.mark.parametrize("rows", [1, 2, 3, 10, 19, 20, 21, 150, 400])
@pytest.mark.parametrize("p", [0.02, 0.3, 0.9])
def test_the_risk_is_the_mean_of_one_over_the_people(rows, p):
    people = np.arange(rows, 60_000)
    chance = nbinom.pmf(people - rows, rows, p)
    expected = float((chance / people).sum())
    found = row_risks(np.array([float(rows)]), np.array([rows / p]))
    assert found[0] == pytest.approx(expected, rel=1e-6)
    assert row_risks(np.array([4.0, 0.0]), np.array([4.0, 9.0])).tolist() == [0.25, 0.0]


def test_large_groups_have_a_risk_however_small_the_sample():
    rows, people = np.array([99.0, 100.0, 5_000.0, 10**6]), 10.0**9
    found = row_risks(rows, np.full(4, people))
    # 1 / mean of F is below the mean of 1 / F, which is below that of 1 / (F - 1): p / (f - 1)
    assert (found > 1 / people).all()
    assert (found < rows / (rows - 1) / people).all()


def test_one_of_a_household_is_enough():
    groups = read_survey(ROWS, SCHEMA, ["w", "home"])
    found = individual_risk(groups, weight="w", household="home")
    expected = twin.household_risk(risk_of_rows(found, groups), ROWS["home"])
    assert found.n_households == 3
    assert found.highest_household == pytest.approx(max(expected))
    assert found.average_household == pytest.approx(sum(expected) / 8)
    assert found.average_household > found.average


def test_a_row_stands_for_itself_at_least():
    for wrong in (0.5, None):
        rows = ROWS | {"w": [wrong, *ROWS["w"][1:]]}
        with pytest.raises(SchemaError, match="'w' holds weights"):
            individual_risk(read_survey(rows, SCHEMA, ["w"]), weight="w")


def test_weights_or_a_fraction():
    groups = read_survey(ROWS, SCHEMA)
    with pytest.raises(ParameterError, match="one of them"):
        individual_risk(groups)
    with pytest.raises(SchemaError, match="not counted"):
        individual_risk(groups, weight="w")
    assert "risks" not in individual_risk(groups, fraction=0.5).to_dict()
