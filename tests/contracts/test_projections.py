"""Models about some of the columns: definition, monotonicity, and every method, by plain counts."""

from collections import Counter

import numpy as np
import pytest

from shoal.anonymize import check_table
from shoal.anonymize._registry import METHODS, method_class
from shoal.privacy import DistinctDiversity, KAnonymity, LKCPrivacy, PrivacyModel, Requirement
from shoal.privacy._projection import ProjectionModel
from shoal.privacy._registry import MODELS
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from tests.reference import projections as twin

NAMES = ("age", "town", "job")
SCHEMA = Schema(
    {
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [5, 10, 20]},
        },
        "town": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"L": ["a", "b", "c"], "R": ["d", "e"]}},
        },
        "job": {
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"X": ["p", "q"], "Y": ["r", "s"]}},
        },
        "ill": {"role": "sensitive"},
    }
)


def two_ills(rows):
    return len(rows) >= 3 and len({row[3] for row in rows}) >= 2


def enough(k):
    return lambda rows: len(rows) >= k


def shares(k, c):
    def allowed(rows):
        most = max(Counter(row[3] for row in rows).values())
        return len(rows) >= k and most <= c * len(rows) + 1e-9

    return allowed


PAIRS = ((0, 1), (0, 2), (1, 2))
SINGLES = ((0,), (1,), (2,))
CASES = [  # what is asked, and the same as pairs of columns and a condition on rows
    (Requirement(("age", "town"), 6), [((0, 1), enough(6))]),
    (
        Requirement(("age", "town"), 5) & Requirement(("town", "job"), 12),
        [((0, 1), enough(5)), ((1, 2), enough(12))],
    ),
    (
        Requirement(("age",), 20) & Requirement(("job", "town"), 8),
        [((0,), enough(20)), ((1, 2), enough(8))],
    ),
    (
        KAnonymity(2) & Requirement(("town", "age"), KAnonymity(3) & DistinctDiversity(2)),
        [((0, 1, 2), enough(2)), ((0, 1), two_ills)],
    ),
    (LKCPrivacy(1, 15), [(one, enough(15)) for one in SINGLES]),
    (LKCPrivacy(2, 6), [(pair, enough(6)) for pair in PAIRS]),
    (LKCPrivacy(2, 4, 0.7), [(pair, shares(4, 0.7)) for pair in PAIRS]),
    (LKCPrivacy(9, 5), [((0, 1, 2), enough(5))]),
]
IDS = [model.describe() for model, _ in CASES]


def people(rng, n):
    return list(
        zip(
            rng.integers(20, 60, n).tolist(),
            rng.choice(list("abcde"), n).tolist(),
            rng.choice(list("pqrs"), n).tolist(),
            rng.choice(["flu", "cold", "none"], n, p=[0.3, 0.2, 0.5]).tolist(),
            strict=True,
        )
    )


def as_table(rows):
    return dict(zip((*NAMES, "ill"), map(list, zip(*rows, strict=True)), strict=True))


def small(rng):
    """Few values, many rows or few: sets that hold and sets that fail."""
    n = int(rng.choice([12, 80, 240]))
    ages = rng.choice([20, 30, 40], n, p=rng.dirichlet([5, 5, 5])).tolist()
    towns = rng.choice(list("ab"), n, p=rng.dirichlet([5, 5])).tolist()
    jobs = rng.choice(list("pq"), n, p=rng.dirichlet([5, 5])).tolist()
    ills = rng.choice(["flu", "cold", "none"], n).tolist()
    return list(zip(ages, towns, jobs, ills, strict=True))


@pytest.mark.parametrize("case", range(len(CASES)), ids=IDS)
def test_groups_are_judged_by_the_definition(case):
    model, asked = CASES[case]
    model = model.bind(("ill",))
    rng, seen = np.random.default_rng(case), Counter()
    for _ in range(40):
        rows = small(rng)
        cells = open_table(as_table(rows)).compress(SCHEMA).cells
        holds = model.holds(cells)
        failing = sum(twin.failing(rows, asked))
        assert int(cells.sizes[~holds].sum()) == failing
        seen[failing == 0] += 1
    assert seen[True] >= 1 <= seen[False]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("l", "k", "c"), [(1, 20, 1.0), (2, 6, 1.0), (2, 4, 0.6), (3, 2, 0.8)])
def test_sets_of_exactly_l_columns_decide_for_all_smaller_ones(seed, l, k, c):  # noqa: E741
    """The lemma: fewer columns are known of a union of sets, which is larger and no surer."""
    rng, seen = np.random.default_rng(seed), Counter()
    model = LKCPrivacy(l, k, c).bind(("ill",))
    for _ in range(25):
        rows = small(rng)
        cells = open_table(as_table(rows)).compress(SCHEMA).cells
        expected = twin.lkc(rows, 3, l, k, c, sensitive=3)
        assert model.holds(cells).all() == expected
        seen[expected] += 1
    assert seen[True] >= 1 <= seen[False]


@pytest.mark.parametrize("case", range(len(CASES)), ids=IDS)
def test_what_is_allowed_stays_so_when_a_column_is_made_coarser(case):
    """The lemma: to recode a column alike in all rows joins sets of rows and splits none."""
    model, asked = CASES[case]
    model = model.bind(("ill",))
    assert model.is_monotone
    rng, tried = np.random.default_rng(10 + case), 0
    for _ in range(400):
        rows = small(rng)
        if any(twin.failing(rows, asked)):
            continue
        tried += 1
        column = int(rng.integers(3))
        values = sorted({row[column] for row in rows})
        coarser = [
            tuple(values[-1] if j == column and v == values[0] else v for j, v in enumerate(row))
            for row in rows
        ]
        assert not any(twin.failing(coarser, asked))
        cells = open_table(as_table(coarser)).compress(SCHEMA).cells
        assert model.holds(cells).all()
        if tried == 12:
            break
    assert tried >= 3


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("case", range(len(CASES)), ids=IDS)
def test_released_rows_keep_the_promise(method, case):
    model, asked = CASES[case]
    rows = people(np.random.default_rng(case), 240)
    # means of groups are refused: they are of all columns, and the promise is of some
    output = RowOptions(form="labels")
    estimator = method_class(method)(SCHEMA, model)
    release = estimator.fit(as_table(rows), output=output).release_
    table = release.table
    released = list(zip(*(table[name] for name in (*NAMES, "ill")), strict=True))
    assert len(released) == len(rows) - release.n_suppressed
    assert not any(twin.failing(released, asked))
    assert all(part.holds for part in release.reached)
    assert check_table(table, SCHEMA, model).holds


@pytest.mark.parametrize("case", range(len(CASES)), ids=IDS)
def test_models_are_written_and_read(case):
    model, _ = CASES[case]
    assert PrivacyModel.from_dict(model.to_dict()) == model
    bound = model.bind(("ill",))
    assert PrivacyModel.from_dict(bound.to_dict(private=True)) == bound


def test_every_model_about_some_columns_is_here():
    found = {type(part) for model, _ in CASES for part in model.parts}
    assert {model for model in MODELS if issubclass(model, ProjectionModel)} <= found
    assert len(CASES) * len(METHODS) >= 48
