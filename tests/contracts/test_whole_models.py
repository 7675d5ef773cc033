"""Models about the whole table: their definition, what implies them, and every method."""

from collections import Counter, defaultdict
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from shoal.anonymize._registry import METHODS, method_class
from shoal.privacy import KAnonymity, PrivacyModel
from shoal.privacy._registry import MODELS as REGISTERED
from shoal.privacy._words import read_condition, write_condition
from shoal.privacy.compiled._compile import allowed_groups, compile_model
from tests.contracts.test_models_in_releases import SCHEMA, people, table_of
from tests.contracts.test_privacy_models import as_table
from tests.engines import rows as rows_of
from tests.privacy.columns import VALUES

FOUND = sorted((Path(__file__).parent.parent / "privacy" / "models").glob("test_*.py"))
CASES = [
    case
    for path in FOUND
    for case in getattr(import_module(f"tests.privacy.models.{path.stem}"), "WHOLE_CASES", ())
]
IDS = [repr(model) for model, _ in CASES]
WHOLE = {type(model) for model, _ in CASES}


def random_tables(rng, n):
    for _ in range(n):
        sizes = rng.integers(1, rng.choice([3, 6, 12]), rng.integers(1, 9))
        yield [[VALUES[0]] * int(size) for size in sizes]


@pytest.mark.parametrize(("model", "twin"), CASES, ids=IDS)
def test_the_table_is_judged_by_the_definition(model, twin):
    seen = Counter()
    for groups in random_tables(np.random.default_rng(0), 150):
        counted = as_table(groups)
        expected = twin(groups)
        assert model.holds(counted).all() == expected
        assert all(part.holds(counted).all() for part in model.parts) == expected
        seen[expected] += 1
    assert min(seen[True], seen[False]) > 5


@pytest.mark.parametrize(("model", "twin"), CASES, ids=IDS)
def test_joining_groups_keeps_what_held(model, twin):
    """The lemma: no row's score rises when two groups are joined, so the mean does not."""
    rng, tried = np.random.default_rng(1), 0
    for groups in random_tables(rng, 300):
        if len(groups) > 1 and twin(groups):
            tried += 1
            one, other = rng.choice(len(groups), 2, replace=False)
            rest = [rows for i, rows in enumerate(groups) if i not in (one, other)]
            joined = [groups[one] + groups[other], *rest]
            assert twin(joined)
            assert model.holds(as_table(joined)).all()
    assert tried > 10


@pytest.mark.parametrize(("model", "twin"), CASES, ids=IDS)
def test_the_last_rung_implies_the_model_and_is_what_kernels_ask(model, twin):
    rng, held = np.random.default_rng(2), 0
    for groups in random_tables(rng, 100):
        grown = [rows * int(rng.integers(1, 8)) for rows in groups]
        counted = as_table(grown)
        rungs = model.rungs(counted.n_rows)
        last = rungs[-1].holds(counted)
        for lower, upper in pairwise(rungs):
            assert not (upper.holds(counted) & ~lower.holds(counted)).any()
        found = allowed_groups(compile_model(model, counted), np.arange(len(grown)), len(grown))
        np.testing.assert_array_equal(found, last)
        if last.all():
            held += 1
            assert twin(grown)
    assert held > 5


@pytest.mark.parametrize("model", [model for model, _ in CASES], ids=IDS)
def test_models_are_written_and_read(model):
    assert PrivacyModel.from_dict(model.to_dict()) == model
    said = write_condition(model.to_dict())
    assert said is not None
    assert read_condition(said) == model
    assert model.bind(("s",)) is model


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("model", "twin"), CASES, ids=IDS)
def test_released_tables_keep_the_promise(method, model, twin):
    table = table_of(people(np.random.default_rng(3), 200))
    release = method_class(method)(SCHEMA, model & KAnonymity(2)).fit(table).release_
    groups = defaultdict(list)
    for age, city, s in rows_of(release.table):
        groups[age, city].append(s)
    assert twin(list(groups.values()))
    assert min(map(len, groups.values())) >= 2


def test_less_is_lost_than_with_what_implies_the_model():
    """A ladder that always took its last rung would be k-anonymity under another name."""
    model = CASES[0][0]
    groups = []
    for asked in (model, model.rungs(200)[-1]):
        table = table_of(people(np.random.default_rng(3), 200))
        groups.append(method_class("mondrian")(SCHEMA, asked).fit(table).release_.metrics.n_groups)
    assert groups[0] > groups[1]


def test_every_model_about_the_whole_is_here():
    local = [model for model in REGISTERED if model not in WHOLE]
    assert len(WHOLE) == 5
    assert all("rungs" not in vars(model) for model in local)
