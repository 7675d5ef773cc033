from math import exp, log

import numpy as np
import pytest

from shoal.errors import ParameterError, SchemaError
from shoal.privacy import ConfidenceLimit, DistinctDiversity, EntropyDiversity, RecursiveDiversity
from shoal.privacy.compiled._compile import compile_model
from shoal.privacy.models._diversity import confidence_to_l
from tests.reference import privacy as twin
from tests.reference.rows import table

CASES = [
    (DistinctDiversity(2), lambda g, w: twin.distinct_diversity(g, w, 2)),
    (DistinctDiversity(4, "s"), lambda g, w: twin.distinct_diversity(g, w, 4)),
    (EntropyDiversity(1.5), lambda g, w: twin.entropy_diversity(g, w, 1.5)),
    (EntropyDiversity(3), lambda g, w: twin.entropy_diversity(g, w, 3)),
    (RecursiveDiversity(1.5, 2), lambda g, w: twin.recursive_diversity(g, w, 1.5, 2)),
    (RecursiveDiversity(0.4, 1), lambda g, w: twin.recursive_diversity(g, w, 0.4, 1)),
    (RecursiveDiversity(3, 3), lambda g, w: twin.recursive_diversity(g, w, 3, 3)),
]
TWO_VALUED_CASES = [
    (ConfidenceLimit(0.7), lambda g, w: twin.confidence_limit(g, w, 0.7)),
    (ConfidenceLimit(0.7), lambda g, w: twin.entropy_diversity(g, w, confidence_to_l(0.7))),
    (ConfidenceLimit(1.0), lambda g, w: True),
]


def groups_of(*groups):
    return table([[{"disease": value} for value in rows] for rows in groups])


def test_confidence_of_85_percent_is_an_entropy_of_0_61_bits():
    l = confidence_to_l(0.85)  # noqa: E741
    assert l == pytest.approx(1.526, abs=5e-4)
    assert log(l) == pytest.approx(0.4227, abs=5e-5)
    assert log(l, 2) == pytest.approx(0.61, abs=5e-3)
    assert confidence_to_l(1.0) == 1.0
    assert confidence_to_l(0.5) == pytest.approx(2.0)


def test_confidence_limit_and_entropy_diversity_are_the_same_for_two_values():
    tables = [groups_of("a" * n + "b" * (20 - n)) for n in range(1, 20)]
    for c in (0.5, 0.6, 0.85, 0.95):
        by_share = [ConfidenceLimit(c).holds(t)[0] for t in tables]
        by_entropy = [EntropyDiversity(confidence_to_l(c)).holds(t)[0] for t in tables]
        assert by_share == by_entropy


def test_confidence_limit_refuses_a_third_value():
    groups = groups_of("ab", ["a", "b", None])
    with pytest.raises(SchemaError, match=r"'disease' has 3 .* Use AlphaKAnonymity"):
        ConfidenceLimit(0.8).holds(groups)
    with pytest.raises(SchemaError, match="two values"):
        compile_model(ConfidenceLimit(0.8), groups)


def test_rounding_does_not_refuse_equally_frequent_values():
    for n in range(1, 40):
        letters = [str(i) for i in range(n)]
        assert EntropyDiversity(n).holds(groups_of(letters * 3)).all()
        assert EntropyDiversity(n).minimum_size == n


def test_recursive_diversity_is_strict():
    # r1 = 3, the rest 30: 3 < 0.1 * 30 is false, in floating point as on paper
    groups = groups_of("a" * 3 + "bcd" * 2 + "".join(map(chr, range(200, 224))))
    assert not RecursiveDiversity(0.1, 2).holds(groups)[0]
    assert RecursiveDiversity(0.11, 2).holds(groups)[0]


def test_missing_sensitive_values_are_values_of_their_own():
    groups = groups_of(["a", None], ["a", "a"], [None, None])
    np.testing.assert_array_equal(DistinctDiversity(2).holds(groups), [True, False, False])


def test_every_sensitive_column_is_checked_unless_one_is_named():
    groups = table([[{"a": "x", "b": "u"}, {"a": "y", "b": "u"}]])
    assert not DistinctDiversity(2).holds(groups)[0]
    assert DistinctDiversity(2, "a").holds(groups)[0]
    assert DistinctDiversity(2).bind(("a",)) == DistinctDiversity(2, "a")
    assert DistinctDiversity(2, "b").bind(("a",)) == DistinctDiversity(2, "b")
    assert DistinctDiversity(2).value(groups) == 1
    assert EntropyDiversity(2, "a").value(groups) == pytest.approx(exp(log(2)))


def test_a_sensitive_column_is_needed():
    with pytest.raises(SchemaError, match="the schema has none"):
        EntropyDiversity(2).bind(())
    with pytest.raises(SchemaError, match="the table has none"):
        EntropyDiversity(2).holds(table([[{}]]))
    with pytest.raises(SchemaError, match="'b' is not counted as sensitive"):
        EntropyDiversity(2, "b").holds(groups_of("ab"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: DistinctDiversity(0),
        lambda: DistinctDiversity(1.5),
        lambda: DistinctDiversity(2, 3),
        lambda: EntropyDiversity(0.9),
        lambda: EntropyDiversity(float("nan")),
        lambda: EntropyDiversity(float("inf")),
        lambda: EntropyDiversity("2"),
        lambda: RecursiveDiversity(0, 2),
        lambda: RecursiveDiversity(2, 0),
        lambda: ConfidenceLimit(0.4),
        lambda: ConfidenceLimit(1.1),
        lambda: confidence_to_l(0.2),
    ],
)
def test_parameters_are_checked_when_the_model_is_made(make):
    with pytest.raises(ParameterError, match=r"(must be|column)"):
        make()
