"""Searches over cuts that ask something of some columns, against trying everything on rows."""

import math
from collections import Counter

import numpy as np
import pytest

from shoal.anonymize import BottomUpGeneralization, FullDomain, TopDownSpecialization
from shoal.anonymize.cuts._cut_problem import leaf_cut, make_problem
from shoal.errors import InfeasibleError
from shoal.privacy import DistinctDiversity, KAnonymity, LKCPrivacy, Requirement
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize import group_cases
from tests.anonymize.greedy.test_top_down import split
from tests.anonymize.people import PARENTS, SCHEMA, as_columns, random_rows
from tests.engines import rows as rows_of
from tests.reference import cuts as reference, lattice, projections as twin

NAMES = ("Relationship", "Race", "Workclass")
PAIRS = ((0, 1), (0, 2), (1, 2))


def two_classes(rows):
    return len(rows) >= 3 and len({row[3] for row in rows}) == 2


def drawn(rng):
    """Something asked of some columns, as a model and as pairs of columns and a condition."""
    a, b, c = (int(k) for k in rng.integers(3, 12, 3))
    return [
        (
            Requirement(NAMES[:2], a) & Requirement(NAMES[1:], b),
            [((0, 1), lambda rows: len(rows) >= a), ((1, 2), lambda rows: len(rows) >= b)],
        ),
        (
            Requirement(NAMES[2:], c)
            & Requirement(NAMES[:2], KAnonymity(3) & DistinctDiversity(2)),
            [((2,), lambda rows: len(rows) >= c), ((0, 1), two_classes)],
        ),
        (LKCPrivacy(2, a), [(pair, lambda rows: len(rows) >= a) for pair in PAIRS]),
        (
            KAnonymity(2) & LKCPrivacy(1, 2 * c),
            [((0, 1, 2), lambda rows: len(rows) >= 2)]
            + [((i,), lambda rows: len(rows) >= 2 * c) for i in range(3)],
        ),
    ][int(rng.integers(4))]


def fit(kind, rows, model, **parameters):
    return kind(SCHEMA, model, metric="information", **parameters).fit(as_columns(rows))


def with_class(current, rows):
    return [(*now, row[3]) for now, row in zip(current, rows, strict=True)]


@pytest.mark.parametrize("seed", range(16))
def test_bottom_up_takes_the_step_of_least_score_of_all(seed):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 60)
    model, asked = drawn(rng)
    method = fit(BottomUpGeneralization, rows, model)
    trees = [reference.Tree(parent) for parent in PARENTS]
    cuts = [set(tree.parent) - set(tree.children) for tree in trees]
    current, classes = [row[:3] for row in rows], [row[3] for row in rows]

    def failing(now):
        return sum(twin.failing(with_class(now, rows), asked))

    for step in method.steps_:
        options = {}
        for column, node in reference.valid(trees, cuts):
            children = trees[column].children[node]
            won = failing(current) - failing(reference.replace(current, column, children, node))
            lost = reference.information(current, classes, column, children)
            options[column, node] = (lost / won if won > 0 else math.inf, lost, won)
        column = NAMES.index(step.column)
        score, lost, won = options[column, step.node]
        least = min(options.values())
        assert score == pytest.approx(least[0], abs=1e-9)
        if math.isinf(score):
            assert lost == pytest.approx(least[1], abs=1e-9)
        assert (step.information, step.privacy) == pytest.approx((lost, won), abs=1e-9)
        children = trees[column].children[step.node]
        current = reference.replace(current, column, children, step.node)
        cuts[column] = cuts[column] - set(children) | {step.node}
        assert step.failing == failing(current)
    assert failing(current) == 0
    released = Counter(row[:3] for row in rows_of(method.release_.table))
    assert released == Counter(current)


@pytest.mark.parametrize("share", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_pruning_changes_no_step(seed, share):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 60)
    model, _ = drawn(rng)
    taken = []
    for prune in (True, False):
        options = {"prune": prune, "max_suppression": share, "partial": bool(seed % 2)}
        taken.append(fit(BottomUpGeneralization, rows, model, **options).steps_)
    assert taken[0] == taken[1]


@pytest.mark.parametrize("seed", range(16))
def test_top_down_takes_the_allowed_split_of_best_score(seed):
    """The anonymity lost is the mean over the sets of columns that the split column is in."""
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 60)
    model, asked = drawn(rng)
    method = fit(TopDownSpecialization, rows, model)
    trees = [reference.Tree(parent) for parent in PARENTS]
    raw, classes = [row[:3] for row in rows], [row[3] for row in rows]
    current = [("*", "*", "*")] * len(rows)

    def fewest(now, columns):
        return min(map(len, twin.by_columns(now, columns).values()))

    def score(column, node):
        after = split(trees, raw, current, column, node)
        if any(twin.failing(with_class(after, rows), asked)):
            return None
        inside = [
            (a[column], c)
            for a, b, c in zip(after, current, classes, strict=True)
            if b[column] == node
        ]
        gain = reference.entropy([c for _, c in inside])
        for child in {v for v, _ in inside}:
            own = [c for v, c in inside if v == child]
            gain -= len(own) / len(inside) * reference.entropy(own)
        sets = [columns for columns, _ in asked if column in columns]
        lost = [fewest(current, one) - fewest(after, one) for one in sets]
        return gain / (sum(lost) / max(len(lost), 1) + 1)

    def allowed():
        present = {(c, row[c]) for row in current for c in range(3)}
        options = {(c, n): score(c, n) for c, n in present if n in trees[c].children}
        return {key: value for key, value in options.items() if value is not None}

    for step in method.steps_:
        options = allowed()
        column = NAMES.index(step.column)
        assert options[column, step.node] == pytest.approx(max(options.values()), abs=1e-9)
        assert step.score == pytest.approx(options[column, step.node], abs=1e-9)
        current = split(trees, raw, current, column, step.node)
    assert not allowed()


FULL = Schema({**group_cases.SCHEMA, "s": {"role": "sensitive", "target": True}})
FULL_NAMES = FULL.quasi_identifiers
MODELS = [
    Requirement(FULL_NAMES[:2], 4) & Requirement(FULL_NAMES[1:], 3),
    Requirement(FULL_NAMES[:1], KAnonymity(4) & DistinctDiversity(2)) & KAnonymity(2),
    LKCPrivacy(2, 3),
    LKCPrivacy(1, 5, 0.6),
]


@pytest.mark.parametrize("metric", ["loss", "discernibility"])
@pytest.mark.parametrize("share", [0.0, 0.3])
@pytest.mark.parametrize("index", range(len(MODELS)))
def test_full_domain_finds_the_best_of_all_levels(index, share, metric):
    model = MODELS[index]
    bound = model.bind(["s"])
    for seed in range(4):
        table = group_cases.rows(np.random.default_rng(seed), 40)
        method = FullDomain(FULL, model, metric=metric, max_suppression=share)
        try:
            release = method.fit(table).release_
        except InfeasibleError:
            cells = FullDomain(FULL, KAnonymity(1)).fit(table).release_.recoded.cells
            assert lattice.best_loss(cells, bound, metric, "s", share) is None
            continue
        expected = lattice.best_loss(release.recoded.cells, bound, metric, "s", share)
        assert lattice.measures(release.recoded, metric, "s") == pytest.approx(expected)
        assert method.lattice_.proven


@pytest.mark.parametrize("seed", range(6))
def test_what_is_remembered_of_a_cut_agrees_with_a_recount(seed):
    rng = np.random.default_rng(seed)
    cells = open_table(as_columns(random_rows(rng, 60))).compress(SCHEMA).cells
    model, _ = drawn(rng)
    options = {"target": "Class", "metric": None, "max_suppression": 0, "weights": [1, 1, 1]}
    problem = make_problem(cells, model.bind(["Class"]), **options)
    conditions = problem.projected
    cut = leaf_cut(problem)
    for _ in range(20):
        column = int(rng.integers(3))
        tree = problem.columns[column].tree
        cut[column] = tree.levels[:, int(rng.integers(tree.n_levels))].astype(np.int32)
        fresh = make_problem(cells, model.bind(["Class"]), **options).projected
        found, recount = conditions.judge(cut), fresh.judge(cut)
        np.testing.assert_array_equal(found.failing, recount.failing)
        assert found.smallest == recount.smallest
        if rng.random() < 0.5:
            conditions.settle(cut)


def test_rows_are_left_out_until_no_set_fails():
    rows = [("a1", "a2", "a3", "Y")] * 5 + [("b1", "a2", "b3", "Y")] * 2 + [("b1", "b2", "e3", "N")]
    limited = SCHEMA.replace(
        **{name: {**SCHEMA[name].to_toml(), "limit_level": 0} for name in NAMES}
    )
    model, asked = (
        Requirement(NAMES[:1], 3) & Requirement(NAMES[1:2], 6),
        [
            ((0,), lambda rows: len(rows) >= 3),
            ((1,), lambda rows: len(rows) >= 6),
        ],
    )
    kept = twin.kept(rows, asked)
    assert len(kept) == 0  # one set after the other becomes too small
    method = FullDomain(limited, model, max_suppression=1.0)
    with pytest.raises(InfeasibleError):
        method.fit(as_columns(rows))
    rows += [("a1", "a2", "a3", "Y")] * 3
    release = FullDomain(limited, model, max_suppression=1.0).fit(as_columns(rows)).release_
    assert sorted(rows_of(release.table)) == sorted(twin.kept(rows, asked))
