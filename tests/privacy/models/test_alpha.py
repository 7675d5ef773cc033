import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import AlphaKAnonymity, KAnonymity, PSensitive, check
from tests.reference import privacy as twin
from tests.reference.rows import table

CASES = [
    (AlphaKAnonymity(0.4, 2), lambda g, w: twin.alpha_k(g, w, 0.4, 2)),
    (AlphaKAnonymity(0.3, 4, "s", ("2", "5")), lambda g, w: twin.alpha_k(g, w, 0.3, 4, (2, 5))),
    (PSensitive(2, 3), lambda g, w: twin.p_sensitive(g, w, 2, 3)),
    (PSensitive(2, 4), lambda g, w: twin.p_sensitive(g, w, 2, 4)),
]


def groups_of(*groups):
    return table([[{"disease": value} for value in rows] for rows in groups])


def test_size_and_share_are_reported_apart():
    groups = groups_of("aab", "abcd")
    size, share = check(AlphaKAnonymity(0.7, 4), groups)
    assert (size.holds, size.reached) == (False, 3)
    assert share.holds
    assert share.reached == pytest.approx(2 / 3)
    assert AlphaKAnonymity(0.7, 4).parts == (KAnonymity(4), AlphaKAnonymity(0.7, 1))
    assert [part.holds for part in check(PSensitive(2, 4), groups)] == [False, True]
    assert [part.holds for part in check(PSensitive(3, 3), groups)] == [True, False]


def test_only_protected_values_are_bounded():
    groups = groups_of("aaab", "abbb")
    model = AlphaKAnonymity(0.5, 2, "disease", ("a",))
    np.testing.assert_array_equal(model.holds(groups), [False, True])


def test_protected_values_appear_in_no_message():
    model = AlphaKAnonymity(0.5, 2, "disease", ("canary",))
    groups = groups_of("ab")
    with pytest.raises(SchemaError, match="1 of the protected values") as caught:
        model.conditions(groups)
    for text in (str(caught.value), repr(model), model.describe()):
        assert "canary" not in text


def test_a_value_that_no_released_row_has_breaks_nothing():
    """Its people may all be suppressed; a search is where a wrong spelling is told."""
    model = AlphaKAnonymity(0.5, 2, "disease", ("canary", "a"))
    np.testing.assert_array_equal(model.holds(groups_of("aaab", "abbb")), [False, True])


@pytest.mark.parametrize(
    "make",
    [
        lambda: AlphaKAnonymity(0, 2),
        lambda: AlphaKAnonymity(1.5, 2),
        lambda: AlphaKAnonymity(0.5, 0),
        lambda: AlphaKAnonymity(0.5, 2, values=("a",)),
        lambda: PSensitive(3, 2),
        lambda: PSensitive(0, 2),
    ],
)
def test_parameters_are_checked_when_the_model_is_made(make):
    with pytest.raises(ParameterError):
        make()
