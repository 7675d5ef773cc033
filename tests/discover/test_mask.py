import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.discover import _mask, distinct_ratio, mask, separation_ratio
from shoal.errors import InfeasibleError, ParameterError
from tests.discover.tables import EXAMPLE, code_arrays, coded, random_table
from tests.reference import discover as slow

RUNS = 200


def test_the_worked_example():
    found = mask(EXAMPLE, 0.8)
    assert found.published == ("sex", "state")
    assert found.withheld == ("age",)
    assert found.ratios == (0.4, 0.8)
    assert found.beta_used == 0.8
    assert found.guarantee == "exact: distinct ratio of the published attributes at most 0.8"
    assert len(mask(EXAMPLE, 0.8, "separation").published) == 1
    assert json.loads(json.dumps(found.to_dict()))["published"] == ["sex", "state"]


@settings(deadline=None)
@given(
    codes=code_arrays(max_columns=8),
    beta=st.sampled_from([0.3, 0.5, 0.8]),
    kind=st.sampled_from(["distinct", "separation"]),
)
def test_no_published_set_exceeds_beta_and_nothing_more_would_fit(codes, beta, kind):
    ratio = slow.distinct_ratio if kind == "distinct" else slow.separation_ratio
    try:
        found = mask(coded(codes), beta, kind)
    except InfeasibleError:
        assert all(ratio(codes, [j]) > beta for j in range(len(codes)))
        return
    columns = [int(name[1:]) for name in found.published]
    assert ratio(codes, columns) <= beta + 1e-12
    assert found.ratios[-1] == pytest.approx(ratio(codes, columns))
    assert all(ratio(codes, [*columns, int(name[1:])]) > beta for name in found.withheld)


@pytest.mark.parametrize(("kind", "sample"), [("distinct", 300), ("separation", 600)])
def test_a_sample_keeps_beta_with_the_stated_probability(kind, sample, monkeypatch):
    codes = random_table(2, 6, 2_000, 9)
    table = coded(codes)
    ratio = distinct_ratio if kind == "distinct" else separation_ratio
    # a limit just below what some set reaches, so that a careless search oversteps it
    whole = mask(table, 0.7 if kind == "separation" else 0.2, kind)
    beta = ratio(table, whole.published) - 1e-6

    def success(check=True):
        kept = []
        for seed in range(RUNS):
            try:
                found = mask(table, beta, kind, sample=sample, delta=0.1, random_state=seed)
            except InfeasibleError:
                kept.append(True)  # nothing published keeps every limit
                continue
            kept.append(ratio(table, found.published) <= beta)
            assert found.beta_used < beta or not check
            assert found.sample_size == sample
            assert found.guarantee.startswith("with probability 0.9")
        return np.mean(kept)

    assert success() >= 0.9
    # the test can fail: without the slack of theorem 3.1 it does, and for distinct values, of
    # which a sample has more per row than the table, with the limit raised
    careless = 0.999999 if kind == "separation" else 5
    monkeypatch.setattr(_mask, "sampled_beta", lambda beta, *_: beta * careless)
    assert success(check=False) < 0.9


def test_more_is_published_from_a_larger_sample():
    table = coded(random_table(4, 9, 5_000, 6))
    sizes = [
        len(mask(table, 0.9, "separation", sample=k, random_state=0).published)
        for k in (100, 20_000)
    ]
    assert sizes[0] < sizes[1] <= len(mask(table, 0.9, "separation").published)


def test_value_decides_what_is_published():
    table = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "c": [0, 1, 1, 0]}
    assert mask(table, 0.7, "separation").published == ("a",)
    found = mask(table, 0.7, "separation", weights={"c": 3})
    assert (found.published, found.value) == (("c",), 3.0)


def test_a_sample_of_everything_is_exact():
    assert mask(EXAMPLE, 0.8, sample=5).probability == 1
    assert mask(EXAMPLE, 0.8, "separation", sample=10).probability == 1


def test_a_beta_that_every_attribute_exceeds_is_an_error_that_says_so():
    with pytest.raises(InfeasibleError, match=r"needs 0.3, best reachable is 0.4\. Every single"):
        mask(EXAMPLE, 0.3)
    with pytest.raises(InfeasibleError, match="take a larger one"):
        mask(coded(random_table(0, 3, 900, 9)), 0.5, "separation", sample=100, delta=0.5)


@pytest.mark.parametrize("beta", [0, 1, -1, 2, "all"])
def test_beta_outside_its_range_is_refused(beta):
    with pytest.raises(ParameterError, match=r"beta must lie in \(0, 1\)"):
        mask(EXAMPLE, beta)


def test_other_parameters_are_checked():
    with pytest.raises(ParameterError, match="kind must be one of"):
        mask(EXAMPLE, 0.5, "exact")
    with pytest.raises(ParameterError, match="sample must be a whole number"):
        mask(EXAMPLE, 0.5, sample=0)
    with pytest.raises(ParameterError, match="delta must lie"):
        mask(EXAMPLE, 0.5, delta=0)


def test_without_time_one_attribute_is_published_and_the_rest_is_undecided():
    table = {f"c{j}": [0, 0, 1, 1] for j in range(4)}
    cut = mask(table, 0.5, time_limit=1e-9)
    assert len(cut.published) == 1
    assert any("undecided" in note for note in cut.notes)
    assert len(mask(table, 0.5).published) == 4
