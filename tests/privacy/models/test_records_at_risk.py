import pytest

from shoal.errors import ParameterError
from shoal.privacy import KAnonymity, RecordsAtRisk, RiskThresholds
from tests.privacy.models.test_presence import people
from tests.reference import risk as twin

WHOLE_CASES = [
    (RecordsAtRisk(0.3, 0.3), lambda groups: twin.records_at_risk(groups, 0.3, 0.3)),
    (RecordsAtRisk(0, 0.25), lambda groups: twin.records_at_risk(groups, 0, 0.25)),
    (
        RecordsAtRisk(0.2, 0.1, fraction=0.3),
        lambda groups: twin.records_at_risk(groups, 0.2, 0.1, fraction=0.3),
    ),
    (RiskThresholds(0.4, 0.35, 0.3), lambda groups: twin.thresholds(groups, 0.4, 0.35, 0.3)),
]


def test_a_share_of_none_is_a_limit_on_the_highest_risk():
    for sizes in ([3, 5], [5, 5], [4, 9]):
        groups = people([(age, "f") for age, n in enumerate(sizes) for _ in range(n)])
        assert RecordsAtRisk(0, 0.2).holds(groups).all() == KAnonymity(5).holds(groups).all()


def test_a_marketer_has_a_success_rate_only():
    with pytest.raises(ParameterError, match="marketer looks at the mean"):
        RiskThresholds(0.1, 0.2, 0.1, fraction=0.5, attacker="marketer")
    (part,) = RiskThresholds(success=0.1, fraction=0.5, attacker="marketer").parts
    assert part.describe().startswith("the mean risk of all rows to a marketer")


def test_thresholds_come_together():
    with pytest.raises(ParameterError, match="together"):
        RiskThresholds(at_risk=0.1)
    with pytest.raises(ParameterError, match="give at_risk and highest, or success"):
        RiskThresholds()
