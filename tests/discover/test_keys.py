import json

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.discover import _sizes, find_key, minimal_keys, separation_ratio
from shoal.errors import InfeasibleError, ParameterError, TableError
from tests.discover.tables import EXAMPLE, coded, distinct_arrays, random_table
from tests.reference import discover as slow

RUNS = 200


def _columns(result):
    return [int(name[1:]) for name in result.attributes]


def _success(search, holds):
    return np.mean([holds(search(seed)) for seed in range(RUNS)])


def test_the_worked_example_has_two_minimum_keys():
    found = find_key(EXAMPLE)
    assert found.attributes == ("age", "sex")
    assert found.ratios == (0.8, 1.0)
    assert found.distinct_ratios == (0.6, 1.0)
    assert (found.sample_size, found.sample_unit, found.probability) == (5, "rows", 1.0)
    proved = find_key(EXAMPLE, search="minimum")
    assert proved.proved_minimum
    assert (proved.cost, proved.lower_bound) == (2, 2)
    assert minimal_keys(EXAMPLE, 3).keys == (("age", "sex"), ("age", "state"))
    assert minimal_keys(EXAMPLE, 1).keys == ()


@settings(deadline=None, max_examples=50)
@given(codes=distinct_arrays(max_columns=8), data=st.data())
def test_minimum_keys_cost_what_trying_all_subsets_finds(codes, data):
    prices = st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=len(codes), max_size=len(codes))
    costs = data.draw(prices)
    beta = data.draw(st.sampled_from([0.5, 0.9, 1.0]))
    weights = {f"c{j}": cost for j, cost in enumerate(costs)}
    best = slow.cheapest(codes, costs, beta)
    greedy = find_key(coded(codes), beta=beta, weights=weights)
    proved = find_key(coded(codes), beta=beta, weights=weights, search="minimum")
    assert proved.proved_minimum
    assert proved.cost == pytest.approx(best)
    assert greedy.lower_bound <= best + 1e-9
    assert best <= greedy.cost + 1e-9
    for result in (greedy, proved):
        assert slow.separation_ratio(codes, _columns(result)) >= beta - 1e-12
        assert result.ratios == tuple(
            pytest.approx(slow.separation_ratio(codes, _columns(result)[: i + 1]))
            for i in range(len(result.attributes))
        )


# -- sampled forms: the guarantee in at least a 1 - delta share of seeded runs ----------------


@pytest.fixture(scope="module")
def people():
    """A wide, short table on which several sets of attributes come close to the bound."""
    return random_table(5, 5, 400, 6)


@pytest.mark.parametrize("search", ["greedy", "minimum"])
def test_separation_keys_hold_with_the_stated_probability(people, search):
    eps, delta = 0.05, 0.1

    def run(seed):
        return find_key(
            coded(people), "separation", eps=eps, delta=delta, search=search, random_state=seed
        )

    assert run(0).sample_size == _sizes.pairs_for_key(5, eps, delta) == 113
    assert (run(0).sample_unit, run(0).probability) == ("pairs", 0.9)
    assert _success(run, lambda r: separation_ratio(coded(people), r.attributes) >= 1 - eps) >= 0.9


def test_fewer_pairs_than_the_theorem_asks_for_break_the_guarantee(people, monkeypatch):
    monkeypatch.setattr(_sizes, "pairs_for_key", lambda *_: 10)
    share = _success(
        lambda seed: find_key(coded(people), "separation", eps=0.05, delta=0.1, random_state=seed),
        lambda r: separation_ratio(coded(people), r.attributes) >= 0.95,
    )
    assert share < 0.9


def test_quasi_identifiers_of_a_given_separation_hold_with_the_stated_probability(people):
    beta, eps, delta = 0.8, 0.2, 0.1
    best = slow_least(people, beta)

    def run(seed):
        return find_key(
            coded(people), "separation", beta=beta, eps=eps, delta=delta, random_state=seed
        )

    k = _sizes.pairs_for_quasi_identifier(5, beta, eps, delta)
    assert run(0).sample_size == k
    bound = (1 + np.log((2 - eps) * beta * k / 2)) * best
    assert (
        _success(
            run,
            lambda r: (
                separation_ratio(coded(people), r.attributes) >= (1 - eps) * beta
                and len(r.attributes) <= bound
            ),
        )
        >= 0.9
    )


def slow_least(codes, beta):
    return min(
        len(s)
        for s in slow.subsets(len(codes))
        if s and separation_ratio(coded(codes), [f"c{j}" for j in s]) >= beta
    )


@pytest.fixture(scope="module")
def crowd():
    """Rows enough that a sample of them is smaller; the last column is half a key."""
    codes = random_table(7, 3, 3_000, 40)
    return np.vstack([codes, np.arange(codes.shape[1], dtype=np.int32)[None] // 2])


def test_distinct_keys_hold_with_the_stated_probability(crowd):
    n = crowd.shape[1]
    eps, delta = 0.2, 0.1

    def run(seed):
        return find_key(coded(crowd), "distinct", eps=eps, delta=delta, random_state=seed)

    first = run(0)
    assert first.sample_size == _sizes.rows_for_key(n, 4, eps, delta) < n
    assert first.distinct_ratios[-1] == 1.0
    assert _success(run, lambda r: slow.distinct_ratio(crowd, _columns(r)) >= 1 - eps) >= 0.9


def test_fewer_rows_than_the_theorem_asks_for_break_the_guarantee(crowd, monkeypatch):
    monkeypatch.setattr(_sizes, "rows_for_key", lambda *_: 15)
    share = _success(
        lambda seed: find_key(coded(crowd), "distinct", eps=0.2, delta=0.1, random_state=seed),
        lambda r: slow.distinct_ratio(crowd, _columns(r)) >= 0.8,
    )
    assert share < 0.9


def test_a_sample_as_large_as_the_table_is_the_table():
    for kind in ("separation", "distinct"):
        found = find_key(EXAMPLE, kind, eps=0.01)
        assert found.guarantee.startswith("exact")
        assert (found.sample_size, found.probability) == (5, 1.0)
        assert found.attributes == find_key(EXAMPLE).attributes


def test_the_same_seed_gives_the_same_result(people):
    def run(seed):
        found = find_key(coded(people), "separation", eps=0.3, delta=0.5, random_state=seed)
        return found.attributes, found.ratios

    assert run(3) == run(3)
    assert run(np.random.default_rng(3)) == run(3)
    assert len({run(seed) for seed in range(20)}) > 1


# -- costs, bounds, giving up ------------------------------------------------------------------


def test_a_dear_attribute_is_avoided():
    assert find_key(EXAMPLE, weights={"sex": 5}).attributes == ("age", "state")
    costs = {"age": 10.0}
    table = {"age": [1, 2, 3, 4], "sex": [0, 0, 1, 1], "hand": [0, 1, 0, 1]}
    assert find_key(table).attributes == ("age",)
    assert set(find_key(table, weights=costs).attributes) == {"sex", "hand"}
    assert find_key(table, weights=costs, search="minimum").cost == 2


def test_giving_up_is_said():
    rng = np.random.default_rng(4)
    codes = np.ascontiguousarray(np.unique(rng.integers(0, 2, (16, 40), np.int32), axis=1))
    found = find_key(coded(codes), search="minimum", max_nodes=1)
    assert not found.proved_minimum
    assert "gave up" in found.guarantee
    proved = find_key(coded(codes), search="minimum")
    assert proved.proved_minimum
    assert 0 < found.lower_bound <= proved.cost < found.cost
    assert slow.distinct(codes, _columns(found)) == codes.shape[1]
    listed = minimal_keys(coded(codes), 16, max_nodes=2)
    assert not listed.complete
    assert "incomplete" in listed.guarantee


def test_results_are_plain_data():
    for result in (find_key(EXAMPLE), minimal_keys(EXAMPLE)):
        assert json.loads(json.dumps(result.to_dict()))["n_rows"] == 5


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [0, 1, -0.1, 1.5, float("nan"), "much", None])
def test_shares_outside_their_range_are_refused(value):
    for name in ("eps", "delta"):
        with pytest.raises(ParameterError, match=rf"{name} must lie in \(0, 1\)"):
            find_key(EXAMPLE, "separation", **{name: value})


def test_parameters_that_make_no_sense_are_refused():
    with pytest.raises(ParameterError, match="kind must be one of exact"):
        find_key(EXAMPLE, "good")
    with pytest.raises(ParameterError, match="search must be one of"):
        find_key(EXAMPLE, search="luck")
    with pytest.raises(ParameterError, match="beta must lie"):
        find_key(EXAMPLE, beta=1.2)
    with pytest.raises(ParameterError, match="beta does not go with kind='distinct'"):
        find_key(EXAMPLE, "distinct", beta=0.5)
    with pytest.raises(ParameterError, match="weight of column 'age' must be positive"):
        find_key(EXAMPLE, weights={"age": 0})
    with pytest.raises(ParameterError, match="weights name column 'zip'"):
        find_key(EXAMPLE, weights={"zip": 1})
    with pytest.raises(ParameterError, match="duplicates must be one of"):
        find_key(EXAMPLE, duplicates="hide")
    with pytest.raises(ParameterError, match="max_size must be a whole number"):
        minimal_keys(EXAMPLE, 0)
    with pytest.raises(TableError, match="no rows"):
        find_key({"a": []})


@pytest.mark.parametrize("kind", ["exact", "separation", "distinct"])
def test_equal_rows_leave_no_key_and_their_number_is_said(kind):
    twice = {name: [*values, *values[:2]] for name, values in EXAMPLE.items()}
    with pytest.raises(InfeasibleError, match=r"2 rows are equal .*duplicates='drop'") as caught:
        find_key(twice, kind)
    assert (caught.value.required, caught.value.achieved) == (7, 5)
    with pytest.raises(InfeasibleError, match="2 rows are equal"):
        minimal_keys(twice)
    assert find_key(twice, kind, duplicates="drop").attributes == ("age", "sex")
    assert minimal_keys(twice, duplicates="drop").n_rows == 5
    assert find_key(twice, beta=0.9).ratios[-1] >= 0.9


def test_sampled_pairs_of_equal_rows_are_counted():
    codes = coded(np.zeros((2, 5_000)))
    with pytest.raises(InfeasibleError, match="sampled pairs are of rows equal"):
        find_key(codes, "separation", eps=0.01)


def test_constant_and_identical_columns_are_fine():
    table = {"same": [1] * 4, "id": [1, 2, 3, 4], "copy": [1, 2, 3, 4]}
    found = find_key(table)
    assert found.attributes == ("id",)
    assert any("'same' is constant" in note for note in found.notes)
    assert minimal_keys(table).keys == (("id",), ("copy",))
    with pytest.raises(InfeasibleError, match="3 rows are equal"):
        find_key(table, columns=["same"])


def test_one_row_needs_no_attribute():
    found = find_key({"a": [1]})
    assert (found.attributes, found.cost) == ((), 0)
    assert find_key({"a": [1]}, search="minimum").attributes == ()
    assert minimal_keys({"a": [1]}).keys == ((),)


def test_fractions_are_remarked_on_unless_binned():
    table = {"pay": [1.25, 2.5, 2.75, 9.0], "sex": ["F", "M", "F", "M"]}
    assert any("'pay' holds fractions" in note for note in find_key(table).notes)
    assert find_key(table, bins={"pay": 2.0}).notes == ()
    assert find_key({"pay": [1.0, 2.0, np.nan]}).notes == ()


def test_messages_hold_no_cell_values():
    table = {"name": ["Quisling", "Quisling", "Vidkun"]}
    with pytest.raises(InfeasibleError) as caught:
        find_key(table)
    assert "Quisling" not in str(caught.value)
    assert "Vidkun" not in repr(find_key(table, duplicates="drop"))


def test_without_time_the_least_cost_is_bounded_and_not_claimed():
    table = coded(random_table(5, 12, 500, 3))
    whole = find_key(table, search="minimum", time_limit=None)
    cut = find_key(table, search="minimum", time_limit=1e-9)
    assert cut.lower_bound <= whole.cost <= cut.cost
    assert not cut.proved_minimum
    assert f"at most {cut.cost:g}" in cut.guarantee
    listed = minimal_keys(table, 9, time_limit=1e-9)
    assert not listed.complete
    assert "its time was up" in listed.guarantee
    assert set(listed.keys) <= set(minimal_keys(table, 9, time_limit=None).keys)


def test_counting_values_proves_keys_and_that_there_are_none():
    assert find_key({"id": range(9), "sex": [0, 1, 0] * 3}).proved_minimum
    few = coded(random_table(5, 12, 500, 3))
    none = minimal_keys(few, 3, max_nodes=1)  # 27 combinations, 500 rows
    assert none.complete
    assert none.keys == ()
