"""Candidates that are pinned, and pages that wait for a decision."""

import pytest

from shoal.errors import ParameterError
from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from tests.studio.desks import Bureau


def test_a_tab_that_is_behind_does_not_pin_again_what_it_lets_go(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    for said, pinned in (("yes", ("local:5",)), ("yes", ("local:5",)), ("no", ()), ("no", ())):
        bureau.act("explore", "pin", candidate="local:5", pinned=said)
        assert bureau.desk.project.settings.pinned == pinned


def test_the_promised_k_is_among_those_that_are_tried(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    bureau.act("promise", "set", recipient="public")  # which proposes 11
    assert bureau.show("explore")["grid"] == [2, 5, 10, 11, 20, 50]
    bureau.act("promise", "set", k=10)
    assert bureau.show("explore")["grid"] == [2, 5, 10, 20, 50]


def test_a_page_that_waits_for_a_decision_is_no_failure(tmp_path):
    room, explore = Bureau(tmp_path).room, SCREENS["explore"]
    waits = page_of(room, explore, None, {}, "decide first")
    assert '<p class="locked" role="status">Decide first</p>' in waits
    assert "<strong>" not in waits
    shown = Bureau(tmp_path).show("columns")
    failed = page_of(room, SCREENS["columns"], shown, {}, "no such column")
    assert '<div id="failed" class="alert" role="alert"><strong>' in failed


@pytest.mark.parametrize("k", ["0" * 8 + "1" + "0" * 5000, "0" * 8 + "12", "-1", "٣", "", "0"])
def test_a_candidate_of_an_impossible_k_is_refused_in_words(tmp_path, k):
    """Zeros in front hid five thousand digits, which ended in an error of Python."""
    bureau = Bureau(tmp_path).with_roles()
    with pytest.raises(ParameterError, match="METHOD:K"):
        bureau.act("explore", "choose", candidate=f"local:{k}")
