import math

import pytest

from reproduce import Evidence, Finding
from shoal.errors import ParameterError


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


@pytest.mark.parametrize(
    ("published", "bounds", "kind"),
    [
        (None, {}, None),
        (5, {}, None),
        (None, {"low": 1}, "guard"),
        (5, {"low": 1}, "number"),
        ("above 0", {"low": 0}, "number"),
        ("comparable", {"low": 0.9, "high": 1.1}, "words"),
        (5, {"low": 8, "high": 9, "guard": True}, "guard"),
    ],
)
def test_bounds_agree_with_the_paper_or_guard_our_own_number(published, bounds, kind):
    assert finding(8, published=published, **bounds).kind == kind


def test_bounds_drawn_around_ours_do_not_pass_for_agreement():
    with pytest.raises(ParameterError, match="do not agree with the published 127831"):
        finding(450_463, published=127_831, low=440_000, high=460_000)


def test_a_stated_difference_is_no_failure_but_never_agreement():
    known = finding(98, published=106, low=106, high=106, differs="Other trees.")
    broken = finding(98, low=106, differs="Other trees.")
    found = Evidence([known, broken], "")
    assert known.holds is False
    assert found.failures == [broken]
    assert found.differences == [known]


def test_nothing_is_not_above_zero():
    assert finding(0, published="above 0", low=0).holds is False
    assert finding(0, published="0 or above", low=0).holds is True
    assert finding(1e-9, published="above 0", low=0).holds is True
