import math

import pytest

from reproduce import Evidence, Finding


def finding(ours, **bounds):
    return Finding("Table 1", "k = 10", ours, **bounds)


@pytest.mark.parametrize(
    ("ours", "bounds", "holds"),
    [
        (5, {}, None),
        (5, {"low": 5, "high": 5}, True),
        (5.1, {"low": 5, "high": 5}, False),
        (4, {"low": 5}, False),
        (6, {"high": 5}, False),
        (6, {"low": 5}, True),
        (math.nan, {"low": 0, "high": 1}, False),
        (math.nan, {"high": 1}, False),
    ],
)
def test_a_finding_holds_within_its_bounds(ours, bounds, holds):
    assert finding(ours, **bounds).holds is holds


def test_findings_without_bounds_cannot_fail():
    bad = finding(9, high=5)
    assert Evidence([finding(5), finding(9), bad], "").failures == [bad]
