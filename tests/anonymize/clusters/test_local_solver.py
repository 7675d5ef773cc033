from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from shoal.anonymize import LocalRecoding, Mondrian
from shoal.anonymize._anonymizer import no_progress
from shoal.anonymize.clusters import _improve, _local_recoding, _local_solver, _starts
from shoal.anonymize.clusters._group_loss import is_range_column, pair_loss
from shoal.anonymize.clusters._local_problem import make_local_problem
from shoal.anonymize.clusters._refine_kernels import open_groups
from shoal.anonymize.cuts._grown_hierarchies import grow_hierarchies
from shoal.privacy import KAnonymity
from shoal.privacy.compiled._compile import compile_model
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize import group_cases
from tests.reference.partitions import least_loss

LEVELS = {"hierarchy": {"tree": {"L": [*"abc"], "R": {"S": [*"de"], "T": ["f"]}}}}


def random_table(seed, n_columns, n_rows):
    rng = np.random.default_rng(seed)
    table, columns = {}, {}
    for number in range(n_columns):
        name = f"c{number}"
        columns[name] = {"role": "quasi-identifier"}
        if number % 2:
            columns[name] |= {"kind": "numeric"}
            table[name] = rng.integers(0, rng.integers(3, 400), n_rows).tolist()
        else:
            columns[name] |= LEVELS
            table[name] = rng.choice([*"abcdef"], n_rows, p=rng.dirichlet(np.ones(6))).tolist()
    return table, Schema(columns)


WIDTHS = [(2, 3, 300), (4, 60, 300), (5, 20, 300), (9, 4, 300), (16, 10, 300), (25, 2, 300)]


@pytest.mark.parametrize(
    ("n_columns", "k", "n_rows", "ranges"),
    [
        *((*width, ranges) for width in WIDTHS for ranges in ("lines", "exact")),
        (4, 60, 300, "nodes"),
        (3, 510, 1_600, "lines"),
        (3, 510, 1_600, "nodes"),
        (25, 700, 1_500, "lines"),
    ],
)
def test_no_single_way_loses_less(monkeypatch, n_columns, k, n_rows, ranges):
    table, schema = random_table(n_columns, n_columns, n_rows)
    loss = LocalRecoding(schema, KAnonymity(k), ranges=ranges).fit(table).release_.metrics.loss
    for preferences in ({}, {"spread": 0, "priority": 0, "loss": 1}):
        if ranges != "nodes":  # Mondrian releases ranges, which lose less than nodes
            regions = Mondrian(schema, KAnonymity(k), ranges=ranges, **preferences).fit(table)
            assert loss <= regions.release_.metrics.loss + 1e-12
    for name in _starts.STARTS:
        monkeypatch.setattr(_local_solver, "_ways", lambda *_, name=name: (name,))
        alone = LocalRecoding(schema, KAnonymity(k), ranges=ranges, refine=False).fit(table)
        assert loss <= alone.release_.metrics.loss + 1e-12


def test_no_release_of_a_small_table_is_below_the_optimum_and_some_reach_it():
    reached = 0
    for seed in range(12):
        cells = group_cases.cells(200 + seed, 8)
        columns, *_ = group_cases.columns_of(cells)

        def loss_of(keys, columns=columns):
            low, high = keys.min(axis=0), keys.max(axis=0)
            return sum(pair_loss(columns, j, low[j], high[j]) for j in range(len(low)))

        method = LocalRecoding(group_cases.SCHEMA, KAnonymity(3), ranges="exact")
        group_of = method._solve(cells, KAnonymity(3), lambda *done: None).group_of
        own = sum(
            cells.sizes[group_of == group].sum() * loss_of(cells.keys[group_of == group])
            for group in range(int(group_of.max()) + 1)
        )
        optimum = least_loss(cells.keys, cells.sizes, 3, loss_of)
        assert own >= optimum - 1e-9
        reached += own <= optimum + 1e-9
    assert reached >= 1


def test_a_table_too_large_to_try_everything_goes_by_a_part_of_it(monkeypatch):
    table, schema = random_table(1, 4, 300)
    tried = []
    for name, way in _starts.STARTS.items():

        def find(problem, deadline, name=name, way=way):
            tried.append((name, len(problem.keys)))
            return way(problem, deadline)

        monkeypatch.setitem(_starts.STARTS, name, find)
    monkeypatch.setattr(_local_solver, "BLOCK", 200)
    monkeypatch.setattr(_local_recoding, "block_size", lambda problem: 1000)
    monkeypatch.setattr(_local_solver, "_PART_ON_TRIAL", 100)
    LocalRecoding(schema, KAnonymity(4)).fit(table)
    largest = max(n for _, n in tried)
    whole = {name for name, n in tried if n == largest}
    assert {"regions", "loss"} < whole
    assert len(whole) == 3
    assert {name for name, n in tried if n < largest} == {"price", "walk", "regions", "loss"}


def test_slow_ways_are_left_out_where_regions_begin_far_better_on_a_part(monkeypatch):
    table, schema = random_table(1, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, 4)
    block, regions = np.arange(len(problem.keys)), _starts.REGIONS
    for times, kept in ((1.1, 1), (1.2, 0)):

        def starts(problem, names, deadline, times=times):
            group_of = np.zeros(len(problem.keys), np.int64)
            losses = {"price": times, "walk": 2.0, "regions": 1.0, "loss": 1.1}
            found = [_starts.FirstGroups(n, group_of, True, losses[n], losses[n]) for n in names]
            return sorted(found, key=lambda start: start.loss)

        monkeypatch.setattr(_local_solver, "first_groups", starts)
        slow = _local_solver._better_on_trial(problem, block, np.inf, regions)
        assert slow == ("price",) * kept


def problem_of(cells, k):
    is_range = np.array([is_range_column(coding) for coding in cells.codings])
    grown = grow_hierarchies(cells, None, k)
    compiled = compile_model(KAnonymity(k), cells)
    return make_local_problem(grown, grown.codings, is_range, np.ones(4), compiled)


@pytest.mark.parametrize("k", [1, 5, 40])
def test_blocks_are_cut_between_nodes_and_each_may_be_a_group(k):
    table, schema = random_table(3, 4, 400)
    cells = open_table(table).compress(schema).cells
    problem = problem_of(cells, k)
    blocks = _local_solver.cut_blocks(problem, np.arange(len(cells.keys)), 60)
    assert sorted(np.concatenate(blocks).tolist()) == list(range(len(cells.keys)))
    assert len(blocks) > 1
    assert min(cells.sizes[block].sum() for block in blocks) >= k
    small = all(len(block) <= 60 for block in blocks)
    assert small or k > 1


def test_blocks_of_a_large_table_are_as_large_as_they_may_be(monkeypatch):
    table, schema = random_table(4, 4, 3_000)
    problem = problem_of(open_table(table).compress(schema).cells, 2)
    everything = np.arange(len(problem.keys))
    many = _local_solver.cut_blocks(problem, everything, 150)
    monkeypatch.setattr(_local_solver, "BLOCK", 150)
    few = _local_solver.cut_blocks(problem, everything, 150)
    assert max(map(len, few)) <= 150
    assert len(few) < len(many)
    assert sorted(np.concatenate(few).tolist()) == everything.tolist()


def test_blocks_are_small_only_where_there_are_groups_enough():
    table, schema = random_table(3, 4, 400)
    cells = open_table(table).compress(schema).cells
    few, many = (problem_of(cells, k) for k in (300, 2))
    assert _local_solver.block_size(few) == _local_solver.BLOCK
    assert _local_solver.block_size(many) == _local_solver.SMALL_BLOCK


def starts_of(problem):
    return _starts.first_groups(problem, tuple(_starts.STARTS), np.inf)


def test_the_best_start_of_each_kind_has_a_round_and_the_better_goes_on(monkeypatch):
    table, schema = random_table(5, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, 4)
    starts = starts_of(problem)
    monkeypatch.setattr(_local_solver, "_NEAR", 1e9)
    group_of, n_rounds = _local_solver._raced(problem, starts, np.inf)
    assert n_rounds == 1
    assert _starts.all_allowed(problem, group_of)
    regions = _starts.REGIONS + _starts.ALPHABET
    kinds = [[s for s in starts if (s.name in regions) == region] for region in (0, 1)]
    refined = [
        loss_of(problem, _local_solver.refine_in_parts(problem, kind[0].group_of, np.inf, end=1))
        for kind in kinds
    ]
    assert loss_of(problem, group_of) == pytest.approx(min(refined))


@pytest.mark.parametrize(("near", "rounds"), [(0.5, 8), (1e9, 1)])
def test_a_start_far_behind_and_one_of_a_single_round_have_no_race(monkeypatch, near, rounds):
    table, schema = random_table(5, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, 4)
    starts = starts_of(problem)
    monkeypatch.setattr(_local_solver, "_NEAR", near)
    effort = _improve.effort_of(problem)._replace(rounds=rounds)
    monkeypatch.setattr(_local_solver, "effort_of", lambda problem: effort)
    group_of, n_rounds = _local_solver._raced(problem, starts, np.inf)
    assert n_rounds == 0
    assert group_of is starts[0].group_of


def loss_of(problem, group_of):
    return open_groups(problem.loss, problem.compiled, problem.keys, group_of, False)[1]


def test_a_start_that_promises_more_and_ends_worse_gives_way_to_the_best(monkeypatch):
    table, schema = random_table(5, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, 4)
    starts = starts_of(problem)
    assert starts[-1].loss > starts[0].loss
    starts[-1] = starts[-1]._replace(promise=0.0)
    monkeypatch.setattr(
        _local_solver, "refine_in_parts", lambda problem, group_of, *rest, **given: group_of
    )
    for refine in (True, "quick", "long"):
        refined = _local_solver._refined(problem, starts, refine, np.inf, None)
        assert loss_of(problem, refined) <= starts[0].loss + 1e-12


def test_what_leaves_more_to_refine_goes_on_although_it_begins_worse(monkeypatch):
    table, schema = random_table(5, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, 4)
    starts = starts_of(problem)
    starts[1] = starts[1]._replace(promise=0.0)
    refined_from = []

    def refine(problem, group_of, *rest, **given):
        refined_from.append(group_of)
        return starts[0].group_of

    monkeypatch.setattr(_local_solver, "refine_in_parts", refine)
    _local_solver._refined(problem, starts, "quick", np.inf, None)
    assert refined_from[0] is starts[1].group_of


@pytest.mark.parametrize(("k", "n_rows"), [(4, 300), (60, 300)])
def test_a_quick_search_looks_in_fewer_ways_and_loses_no_more_than_any_of_them(k, n_rows):
    table, schema = random_table(5, 4, n_rows)
    problem = problem_of(open_table(table).compress(schema).cells, k)
    everything = [np.arange(len(problem.keys))]
    names = _local_solver._ways(problem, everything, "quick", np.inf)
    assert set(names) == {"walk", "regions", "loss"} | ({"price"} if k >= 50 else set())
    group_of, in_time = _local_solver.solve_blocks(
        problem, everything, refine="quick", deadline=np.inf, exact=True, progress=no_progress
    )
    assert in_time
    assert _starts.all_allowed(problem, group_of)
    starts = _starts.first_groups(problem, names, np.inf)
    assert loss_of(problem, group_of) <= min(start.loss for start in starts) + 1e-9


def test_all_ways_compete_unless_the_table_is_large_or_time_counts(monkeypatch):
    table, schema = random_table(5, 4, 300)
    problem = problem_of(open_table(table).compress(schema).cells, 4)
    everything = [np.arange(len(problem.keys))]
    ways = set(_starts.STARTS) - set(_starts.ALPHABET)
    assert set(_local_solver._ways(problem, everything, True, np.inf)) == ways
    texts = replace(problem, by_alphabet=problem.codings)  # which have no tree of their own
    assert set(_local_solver._ways(texts, everything, True, np.inf)) == set(_starts.STARTS)
    monkeypatch.setattr(_local_solver, "BLOCK", 30)
    some = set(_local_solver._ways(problem, everything, True, np.inf))
    assert {"regions", "loss"} < some < ways


def nodes_of(problem, ordered=True):
    """The same problem with all columns released as nodes."""
    codings = tuple(
        coding if ordered else replace(coding, kind="categorical") for coding in problem.codings
    )
    return replace(problem, is_range=np.zeros(4, np.bool_), axis=-1, codings=codings)


@pytest.mark.parametrize(("k", "n_rows"), [(4, 300), (60, 3_000)])
def test_a_quick_search_goes_by_a_walk_alone_where_that_comes_by_all_nodes(monkeypatch, k, n_rows):
    table, schema = random_table(5, 4, n_rows)
    ranges = problem_of(open_table(table).compress(schema).cells, k)
    problem = nodes_of(ranges)
    blocks = [np.arange(len(problem.keys))]
    assert _local_solver._ways(problem, blocks, "quick", np.inf) == ("walk",)
    ways = set(_starts.STARTS) - set(_starts.ALPHABET)
    assert set(_local_solver._ways(problem, blocks, True, np.inf)) == ways
    # Mondrian has a release of its own where there are ranges, or trees alone
    for other in (ranges, nodes_of(ranges, ordered=False)):
        assert {"loss", "regions"} <= set(_local_solver._ways(other, blocks, "quick", np.inf))
    # a walk may have to end before all cells have a group, or leave some that no group may take
    assert "loss" in _local_solver._ways(problem, blocks, "quick", 1e9)
    any_model = replace(problem, compiled=problem.compiled._replace(size_only=False))
    assert "loss" in _local_solver._ways(any_model, blocks, "quick", np.inf)
    solve = partial(
        _local_solver.solve_blocks, problem, blocks, deadline=np.inf, exact=True,
        progress=no_progress, refine="quick",
    )  # fmt: skip
    group_of, _ = solve()
    assert _starts.all_allowed(problem, group_of)
    walk = _starts.first_groups(problem, ("walk",), np.inf)[0]
    found = loss_of(problem, group_of)
    assert found < walk.loss if k == 60 else found == pytest.approx(walk.loss)
    assert (solve()[0] == group_of).all()
    monkeypatch.setattr(_local_solver, "MOST_NODES", 1)  # the walk leaves nodes out
    assert "loss" in _local_solver._ways(problem, blocks, "quick", np.inf)
