import pytest

from shoal.anonymize._registry import METHODS
from tests.fuzz import risk
from tests.judge.judge import Claim, judge


@pytest.mark.parametrize("kind", risk.KINDS)
def test_random_releases_keep_conditions_on_risk(kind):
    outcomes, findings = risk.run_many(kind, range(5))
    assert not findings
    assert outcomes["judged"] > 2 * len(METHODS)


@pytest.mark.parametrize("kind", risk.KINDS)
def test_the_judge_refuses_raw_tables(kind):
    """It can fail: released as they are, few tables keep such a condition."""
    refused = 0
    for seed in range(8):
        columns, _, facts, model, population = risk.draw(kind, seed)
        shown = {name: cells for name, cells in columns.items() if name != "home"}
        claim = Claim(columns, facts, [model.to_dict()], population=population)
        refused += bool(judge(risk.pd.DataFrame(shown).astype(str), claim))
    assert refused > 4
