import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from shoal.anonymize.mondrian import _partition
from shoal.anonymize.mondrian._partition import partition
from shoal.anonymize.mondrian._preferences import Preferences
from shoal.anonymize.mondrian._region_recoding import RegionRecoding
from shoal.privacy import EntropyDiversity, KAnonymity
from shoal.privacy.compiled._compile import compile_model
from tests.anonymize.strategies import PEOPLE, compress, twin_cells, twin_columns
from tests.reference import mondrian as twin


def quiet(done, total, what, /):
    pass


def run(cells, model, **settings):
    settings.setdefault("weight", np.ones(len(cells.codings)))
    regions, low, high, leaf = partition(
        cells, compile_model(model, cells), Preferences(**settings), quiet
    )
    recoding = RegionRecoding(cells.codings, regions, low, high)
    # where the search has put a cell is where the tree leads it
    assert leaf.tolist() == recoding.find(2 * cells.keys.T.astype(np.int64)).tolist()
    return recoding, leaf


def groups_of(cells, leaf):
    listed = twin_cells(cells)
    return [[listed[i] for i in np.flatnonzero(leaf == node)] for node in np.unique(leaf)]


def as_sets(groups):
    return {frozenset(group) for group in groups}


def size_rule(k):
    return lambda part: twin.rows(part) >= k


def entropy_rule(k, least):
    def allowed(part):
        counts = [sum(column) for column in zip(*(c for _, c in part), strict=True)]
        return sum(counts) >= k and twin.entropy(counts) >= np.log2(least) - 1e-9

    return allowed


MODELS = [
    (KAnonymity(1), size_rule(1)),
    (KAnonymity(3), size_rule(3)),
    (KAnonymity(2) & EntropyDiversity(1.6, "ill"), entropy_rule(2, 1.6)),
]
SCORES = [(1, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 1), (1, 1, 1, 1)]


TIED = [  # two columns gain the same information, up to rounding
    *[(20, "a", "u", "yes"), (20, "a", "u", "no"), (20, "a", "u", "no")],
    *[(20, "a", "v", "yes"), (20, "a", "v", "no"), (20, "a", "v", "no")],
    *[(20, "a", "w", "yes")] * 4,
    *[(20, "a", "w", "no")] * 3,
    *[(20, "d", "u", "yes")] * 3,
    *[(20, "d", "v", "no"), (20, "d", "w", "no"), (20, "d", "w", "no")],
    *[(20, "g", "u", "yes"), (20, "g", "u", "yes"), (20, "g", "u", "no"), (20, "g", "w", "no")],
]


@pytest.mark.parametrize("which", range(len(MODELS)))
@given(people=PEOPLE, scores=st.sampled_from(SCORES), partial=st.booleans())
@example(people=TIED, scores=(0, 1, 0, 0), partial=False)
def test_regions_are_those_of_the_plain_twin(which, people, scores, partial):
    model, allowed = MODELS[which]
    cells = compress(people)
    if not allowed(twin_cells(cells)):
        return
    weight = np.array([0.5, 1.0, 0.0])
    spread, gain, priority, loss = map(float, scores)
    _, leaf = run(
        cells, model, weight=weight, spread=spread, gain=gain, priority=priority, loss=loss,
        partial=partial, target=cells.histograms["ill"],
    )  # fmt: skip
    expected = twin.partition(
        twin_cells(cells), twin_columns(cells), allowed, weight, scores, partial
    )
    assert as_sets(groups_of(cells, leaf)) == as_sets(expected)


@pytest.mark.parametrize("which", range(len(MODELS)))
@given(people=PEOPLE, partial=st.booleans(), relaxed=st.booleans())
def test_no_allowed_cut_is_left_and_every_group_is_allowed(which, people, partial, relaxed):
    model, allowed = MODELS[which]
    cells = compress(people)
    if not allowed(twin_cells(cells)):
        return
    _, leaf = run(cells, model, partial=partial, relaxed=relaxed)
    for group in groups_of(cells, leaf):
        assert allowed(group)
        for parts in twin.every_cut(group, twin_columns(cells), partial):
            assert not all(allowed(part) for part in parts)


@given(people=PEOPLE, k=st.integers(1, 5), age=st.integers(0, 5))
def test_wanted_cuts_go_first(people, k, age):
    cells = compress(people)
    wanted = np.zeros(cells.codings[0].n_codes, np.bool_)
    wanted[min(age, len(wanted) - 1)] = True
    cuts = {"age": wanted}
    if len(people) < k:
        return
    _, leaf = run(cells, KAnonymity(k), cuts=cuts)
    columns = twin_columns(cells, cuts)
    expected = twin.partition(twin_cells(cells), columns, size_rule(k), np.ones(3), SCORES[0])
    assert as_sets(groups_of(cells, leaf)) == as_sets(expected)


def boxes(recoding, sizes):
    """Combinations of each leaf, by going down the tree with sets."""
    tree = recoding.regions
    every = {tuple(int(x) for x in key) for key in np.ndindex(*sizes)}
    todo, leaves = [(0, every)], {}
    while todo:
        node, here = todo.pop()
        n, first = int(tree.n_children[node]), int(tree.first_child[node])
        if n == 0:
            leaves[node] = here
            continue
        column = tree.column[node]
        for child in range(first, first + n):
            inside = {key for key in here if tree.low[child] <= key[column] <= tree.high[child]}
            if tree.pivot[node] >= 0 and child == first:
                pivot = tuple(tree.pivots[tree.pivot[node]].tolist())
                inside = {k for k in inside if k[column] > tree.low[child] or k >= pivot}
            inside = here if child == first + n - 1 else inside
            todo.append((child, inside))
            here = here - inside
    return leaves, every


@settings(max_examples=25)
@given(people=PEOPLE, k=st.integers(1, 4), relaxed=st.booleans())
def test_regions_cover_every_combination_once(people, k, relaxed):
    cells = compress(people)
    if len(people) < k:
        return
    recoding, leaf = run(cells, KAnonymity(k), relaxed=relaxed)
    leaves, every = boxes(recoding, [coding.n_codes for coding in cells.codings])
    assert sum(map(len, leaves.values())) == len(every)
    assert set().union(*leaves.values()) == every
    keys = np.array(sorted(every), np.int64)
    found = recoding.find(2 * keys.T)
    for key, node in zip(keys.tolist(), found.tolist(), strict=True):
        assert tuple(key) in leaves[node]
    for at in range(3):  # and the fitted cells lie where their region says
        assert (recoding.low[leaf, at] <= cells.keys[:, at]).all()
        assert (cells.keys[:, at] <= recoding.high[leaf, at]).all()


def test_threads_do_not_change_the_regions(monkeypatch):
    rng = np.random.default_rng(0)
    codes = zip(*(rng.integers(0, n, 3000).tolist() for n in (70, 7, 3, 2)), strict=True)
    cells = compress([(a, "abcdefg"[p], "uvw"[s], "yn"[i]) for a, p, s, i in codes])
    _, alone = run(cells, KAnonymity(3))
    monkeypatch.setattr(_partition, "_WORTH_THREADS", 10)
    _, together = run(cells, KAnonymity(3))
    np.testing.assert_array_equal(alone, together)


def test_few_cells_in_a_wide_column_are_cut_alike():
    people = [(10 * i * i, "a", "u", "no") for i in range(60)] + [(None, "b", "v", "no")] * 3
    cells = compress(people)
    _, leaf = run(cells, KAnonymity(2))
    expected = twin.partition(
        twin_cells(cells), twin_columns(cells), size_rule(2), np.ones(3), SCORES[0]
    )
    assert as_sets(groups_of(cells, leaf)) == as_sets(expected)
