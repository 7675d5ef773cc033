import re
from collections import Counter, defaultdict
from itertools import combinations

import numpy as np
import pytest

from shoal.anonymize import BottomUpGeneralization, ConstrainedKMember, LocalRecoding
from shoal.anonymize.clusters._constrained import (
    cut_into_pieces,
    make_member_problem,
    solve_piece,
)
from shoal.errors import InfeasibleError, ParameterError
from shoal.metrics._limits import limit_violations
from shoal.privacy import DistinctDiversity, EntropyDiversity, KAnonymity, PSensitive, TCloseness
from shoal.privacy.compiled._compile import compile_model
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from tests.anonymize.people import LEAVES, SCHEMA, as_columns, random_rows
from tests.engines import rows as rows_of

LOCATION = {
    "West Coast": {"California": ["San Diego", "Los Angeles"]},
    "Midwest": {"Kansas": ["Wichita", "Kansas City"], "Nebraska": ["Lincoln"]},
}
LIMITED = Schema(
    {
        "Age": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "Location": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": LOCATION},
            "limit": ["California", "Kansas", "Midwest"],
        },
        "Sex": {"role": "quasi-identifier", "hierarchy": "flat"},
        "Race": {"role": "quasi-identifier", "hierarchy": "flat"},
    }
)
ROWS = [
    ("32", "San Diego", "M", "W"),
    ("30", "Los Angeles", "M", "W"),
    ("42", "Wichita", "M", "W"),
    ("30", "Kansas City", "M", "W"),
    ("35", "Lincoln", "F", "W"),
    ("20", "Lincoln", "M", "B"),
    ("25", "Wichita", "F", "B"),
]


def people(rows=ROWS):
    return as_columns(rows, tuple(LIMITED))


def test_the_papers_example_needs_no_suppression_at_k_2_and_mixes_no_limits():
    in_order = RowOptions(keep_order=True)
    method = ConstrainedKMember(LIMITED, KAnonymity(2)).fit(people(), output=in_order)
    assert method.n_outside_ == 0
    rows = rows_of(method.release_.table)
    assert rows[0] == rows[1]
    assert rows[2] == rows[3] == rows[6]
    assert rows[4] == rows[5]
    assert {row[1] for row in rows} == {"California", "Kansas", "Lincoln"}
    assert limit_violations(method.release_.recoded) == {"Location": 0}


def test_figure_4b_cell_by_cell():
    schema = Schema({**LIMITED, "Age": {"role": "quasi-identifier", "kind": "numeric"}})
    rows = [(int(age), *rest) for age, *rest in ROWS]
    method = ConstrainedKMember(schema, KAnonymity(2), ranges="exact")
    method.fit(as_columns(rows, tuple(schema)), output=RowOptions(keep_order=True))
    assert rows_of(method.release_.table) == [
        ("[30-32]", "California", "M", "W"),
        ("[30-32]", "California", "M", "W"),
        ("[25-42]", "Kansas", "*", "*"),
        ("[25-42]", "Kansas", "*", "*"),
        ("[20-35]", "Lincoln", "*", "*"),
        ("[20-35]", "Lincoln", "*", "*"),
        ("[25-42]", "Kansas", "*", "*"),
    ]


@pytest.mark.parametrize(("k", "kept"), [(3, {2, 3, 6}), (4, set())])
def test_the_papers_example_suppresses_exactly_the_small_parts(k, kept):
    method = ConstrainedKMember(LIMITED, KAnonymity(k))
    if not kept:
        with pytest.raises(InfeasibleError, match="limit of 'Location', which binds"):
            method.fit(people())
        return
    release = method.fit(people()).release_
    assert release.n_suppressed == method.n_outside_ == 7 - len(kept)
    assert {row[1] for row in rows_of(release.table)} == {"Kansas"}


def limited(seed):
    """The worked example's hierarchies with random limits."""
    rng = np.random.default_rng(seed)
    limits = [["e1", "f1"], ["e1"], ["e2", "f2"], ["f2"], ["g3"], ["f3", "g3"]]
    chosen = {}
    for name, options in zip(SCHEMA.quasi_identifiers, np.split(np.arange(6), 3), strict=True):
        pick = rng.integers(-1, 2)
        if pick >= 0:
            chosen[name] = {
                **SCHEMA[name].to_toml(),
                "limit": limits[options[pick]],
            }
    return SCHEMA.replace(**chosen)


def parts_at_the_limits(schema, rows):
    """Rows by the limits of their values, found by walking up the hierarchies."""
    from tests.anonymize.people import PARENTS

    parts = defaultdict(list)
    for number, row in enumerate(rows):
        key = []
        for column, name in enumerate(schema.quasi_identifiers):
            node = row[column]
            while node not in schema[name].limit and node != "*":
                node = PARENTS[column][node]
            key.append(node)
        parts[tuple(key)].append(number)
    return parts


@pytest.mark.parametrize("seed", range(20))
def test_suppressed_rows_are_those_that_brute_force_finds_and_no_limit_is_crossed(seed):
    rng = np.random.default_rng(seed)
    rows, k = random_rows(rng, 40), int(rng.integers(2, 6))
    schema = limited(seed)
    expected = sum(
        len(part) for part in parts_at_the_limits(schema, rows).values() if len(part) < k
    )
    if expected == len(rows):
        return
    method = ConstrainedKMember(schema, KAnonymity(k), refine=bool(seed % 2)).fit(as_columns(rows))
    assert method.n_outside_ == method.release_.n_suppressed == expected
    assert not any(limit_violations(method.release_.recoded).values())
    sizes = Counter(row[:3] for row in rows_of(method.release_.table))
    assert min(sizes.values()) >= k


@pytest.mark.parametrize("model", [DistinctDiversity(2), PSensitive(2, 3)])
@pytest.mark.parametrize("seed", range(6))
def test_no_subset_of_a_suppressed_part_could_be_released(seed, model):
    rows = random_rows(np.random.default_rng(seed), 24)
    schema = limited(seed + 100)
    try:
        method = ConstrainedKMember(schema, model).fit(as_columns(rows))
    except InfeasibleError:
        return
    released = 0
    for part in parts_at_the_limits(schema, rows).values():
        best = 0
        for size in range(1, min(len(part), 8) + 1):
            for chosen in combinations(part, size):
                labels = [rows[i][3] for i in chosen]
                if size >= model.minimum_size and len(set(labels)) >= 2:
                    best = len(part)  # the whole part is then allowed as well
        released += best
    assert len(rows) - method.release_.n_suppressed == released


@pytest.mark.parametrize(
    "model", [EntropyDiversity(1.6) & KAnonymity(2), TCloseness(0.25) & KAnonymity(3)]
)
@pytest.mark.parametrize("seed", range(6))
def test_other_models_hold_within_the_limits(seed, model):
    rows = random_rows(np.random.default_rng(seed), 80)
    schema = limited(seed + 50)
    release = ConstrainedKMember(schema, model).fit(as_columns(rows)).release_
    assert len(rows_of(release.table)) == len(rows) - release.n_suppressed
    assert not any(limit_violations(release.recoded).values())
    assert all(part.holds for part in release.reached)


def test_limits_never_save_more_than_greedy_noise_and_refining_never_costs():
    for seed in range(8):
        rows = random_rows(np.random.default_rng(seed), 120)
        free = ConstrainedKMember(SCHEMA, KAnonymity(4)).fit(as_columns(rows)).release_
        bound = ConstrainedKMember(limited(seed), KAnonymity(4)).fit(as_columns(rows)).release_
        better = (
            ConstrainedKMember(SCHEMA, KAnonymity(4), refine=True).fit(as_columns(rows)).release_
        )
        assert free.metrics.information_loss <= 1.15 * bound.metrics.information_loss
        assert better.metrics.information_loss <= free.metrics.information_loss + 1e-9


def test_pieces_cover_every_cell_once_and_keep_the_promise():
    rng = np.random.default_rng(0)
    rows = [
        (f"{rng.integers(1000):03d}", LEAVES[1][rng.integers(4)], LEAVES[2][rng.integers(5)], "Y")
        for _ in range(600)
    ]
    schema = SCHEMA.replace(
        Relationship={"role": "quasi-identifier", "hierarchy": {"prefix": [2, 1]}}
    )
    cells = open_table(as_columns(rows)).compress(schema).cells
    problem = make_member_problem(cells, compile_model(KAnonymity(5), cells))
    pieces = cut_into_pieces(problem, np.arange(cells.n_groups), 100)
    assert sorted(np.concatenate(pieces).tolist()) == list(range(cells.n_groups))
    assert len(pieces) > 3
    for piece in pieces:
        groups = solve_piece(problem, piece, refine=False)
        assert np.bincount(groups, weights=cells.sizes[piece]).min() >= 5


def test_an_approximation_is_said_in_the_manifest(monkeypatch):
    from shoal.anonymize.clusters import _constrained

    monkeypatch.setattr(_constrained, "PIECE", 20)
    monkeypatch.setattr(_constrained, "_SAMPLE", 60)
    rows = random_rows(np.random.default_rng(1), 300)
    method = ConstrainedKMember(SCHEMA, KAnonymity(3), neighbours="pieces").fit(as_columns(rows))
    release = method.release_
    note = release.to_dict()["notes"][0]
    assert "comparing all of them may lose less" in note
    assert "%" not in note  # how much is a figure of raw values
    assert -1 < method.pieces_cost_ < 1
    assert release.recoded.groups.sizes.min() >= 3


def test_violations_of_a_method_without_limits_are_counted():
    rows = random_rows(np.random.default_rng(3), 60)
    schema = limited(1)
    free = BottomUpGeneralization(SCHEMA, KAnonymity(10)).fit(as_columns(rows))
    cells = open_table(as_columns(rows)).compress(schema).cells
    recoded = free.recoding_.recode(cells)
    counted = limit_violations(recoded)
    expected = {}
    for column, name in enumerate(schema.quasi_identifiers):
        if not schema[name].limit:
            continue
        tree = cells.codings[column].hierarchy
        total = 0
        for cell in range(cells.n_groups):
            node = int(recoded.codes[recoded.group_of[cell], column])
            ceiling = int(cells.codings[column].ceiling[cells.keys[cell, column]])
            total += int(cells.sizes[cell]) * bool(tree.depth[node] < tree.depth[ceiling])
        expected[name] = total
    assert counted == expected


def test_an_unknown_way_of_finding_neighbours_is_refused():
    with pytest.raises(ParameterError, match="neighbours must be auto, exact or pieces"):
        ConstrainedKMember(SCHEMA, KAnonymity(2), neighbours="fast").fit(people())


def test_a_check_of_the_released_table_counts_values_beyond_their_limit():
    from shoal.anonymize import check_table

    fine = ConstrainedKMember(LIMITED, KAnonymity(2)).fit(people()).release_.table
    verdict = check_table(fine, LIMITED, KAnonymity(2))
    assert verdict.beyond_limits == {"Location": 0}
    assert verdict.holds
    mixed = as_columns(
        [("3*", "*", "M", "W")] * 2 + [("3*", "Midwest", "M", "W")] * 2, tuple(LIMITED)
    )
    verdict = check_table(mixed, LIMITED, KAnonymity(2))
    assert verdict.beyond_limits == {"Location": 2}  # Midwest may stand for Lincoln
    assert not verdict.holds


DECADES = Schema(
    {
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [5, 10, 20]},
            "limit_level": 2,
        },
        "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
    }
)


@pytest.mark.parametrize("ranges", ["lines", "exact", "nodes"])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_with_a_limit_are_released_within_it(ranges, seed):
    rng = np.random.default_rng(seed)
    ages, sexes = rng.integers(20, 60, 80).tolist(), rng.choice(["f", "m"], 80).tolist()
    rows = list(zip(ages, sexes, strict=True))
    table = as_columns(rows, tuple(DECADES))
    order = RowOptions(keep_order=True)
    method = ConstrainedKMember(DECADES, KAnonymity(3), ranges=ranges).fit(table, output=order)
    release = method.release_
    assert limit_violations(release.recoded) == {"age": 0}
    ends = [list(map(int, re.findall(r"\d+", row[0]))) for row in rows_of(release.table)]
    for (age, _), (low, *high) in zip(rows, ends, strict=True):
        top = high[0] if high else low
        assert age // 10 * 10 <= low <= age <= top < age // 10 * 10 + 10
    nodes = ConstrainedKMember(DECADES, KAnonymity(3), ranges="nodes").fit(table).release_
    assert release.metrics.gcp <= nodes.metrics.gcp + 1e-9


def test_the_default_is_near_local_recoding_without_limits():
    rng = np.random.default_rng(0)
    ages = np.clip(rng.normal(45, 15, 300), 17, 90).astype(int).tolist()
    rows = list(zip(ages, rng.choice(["f", "m"], 300).tolist(), strict=True))
    free = DECADES.replace(age={"role": "quasi-identifier", "kind": "numeric"})
    table = as_columns(rows, tuple(free))
    local = LocalRecoding(free, KAnonymity(5)).fit(table).release_.metrics.gcp
    ours = ConstrainedKMember(free, KAnonymity(5)).fit(table).release_.metrics.gcp
    assert ours <= 1.1 * local


def test_a_time_limit_leaves_each_part_as_one_group():
    rows = random_rows(np.random.default_rng(1), 80)
    hurried = ConstrainedKMember(SCHEMA, KAnonymity(3), time_limit=1e-9).fit(as_columns(rows))
    assert hurried.release_.reached[0].holds
    assert hurried.release_.table is not None  # judged
    assert "The time limit ended the search for better groups." in hurried.release_.notes
    unhurried = ConstrainedKMember(SCHEMA, KAnonymity(3), time_limit=3600).fit(as_columns(rows))
    assert unhurried.release_.metrics.loss < hurried.release_.metrics.loss
    assert not any("time limit" in note for note in unhurried.release_.notes)
    with pytest.raises(ParameterError, match="time_limit must be above 0"):
        ConstrainedKMember(SCHEMA, KAnonymity(3), time_limit=0).fit(as_columns(rows))
