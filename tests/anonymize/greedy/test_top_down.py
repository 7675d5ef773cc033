from collections import Counter

import numpy as np
import pytest

from shoal.anonymize import BottomUpGeneralization, TopDownSpecialization
from shoal.errors import InfeasibleError, ParameterError
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.anonymize.people import PARENTS, SCHEMA, as_columns, random_rows, worked_rows
from tests.engines import rows as rows_of
from tests.reference import cuts as reference


def fit(rows, k, **parameters):
    parameters = {"metric": "information"} | parameters
    return TopDownSpecialization(SCHEMA, KAnonymity(k), **parameters).fit(as_columns(rows))


def released(method):
    return Counter(row[:3] for row in rows_of(method.release_.table))


def split(trees, raw, current, column, node):
    """Rows after a node's rows go to its children."""
    found = []
    for row, original in zip(current, raw, strict=True):
        if row[column] == node:
            path = trees[column].ancestors(original[column])
            row = (*row[:column], path[path.index(node) - 1], *row[column + 1 :])
        found.append(row)
    return found


@pytest.mark.parametrize("seed", range(20))
def test_every_step_has_the_best_score_among_all_allowed_splits(seed):
    rng = np.random.default_rng(seed)
    rows, k = random_rows(rng, 40), int(rng.integers(2, 8))
    method = fit(rows, k)
    trees = [reference.Tree(parent) for parent in PARENTS]
    raw, classes = [row[:3] for row in rows], [row[3] for row in rows]
    current = [("*", "*", "*")] * len(rows)
    names = list(SCHEMA)

    def score(column, node):
        after = split(trees, raw, current, column, node)
        if reference.anonymity(after) < k:
            return None
        inside = [
            (a[column], c)
            for a, b, c in zip(after, current, classes, strict=True)
            if b[column] == node
        ]
        labels = [c for _, c in inside]
        gain = reference.entropy(labels)
        for child in {v for v, _ in inside}:
            own = [c for v, c in inside if v == child]
            gain -= len(own) / len(labels) * reference.entropy(own)
        lost = reference.anonymity(current) - reference.anonymity(after)
        return gain / (lost + 1)

    def allowed():
        present = {(c, row[c]) for row in current for c in range(3)}
        options = {(c, n): score(c, n) for c, n in present if n in trees[c].children}
        return {key: value for key, value in options.items() if value is not None}

    for step in method.steps_:
        options = allowed()
        column = names.index(step.column)
        assert options[column, step.node] == pytest.approx(max(options.values()), abs=1e-9)
        assert step.score == pytest.approx(options[column, step.node], abs=1e-9)
        current = split(trees, raw, current, column, step.node)
        assert step.anonymity == reference.anonymity(current) >= k
    assert not allowed()
    assert released(method) == Counter(current)


def test_the_papers_example_is_3_anonymous_from_above_too():
    assert min(released(fit(worked_rows(), 3)).values()) >= 3


def test_numeric_columns_split_where_the_class_changes():
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "sick": {"role": "sensitive", "target": True},
        }
    )
    rows = [(age, "y" if age >= 50 else "n") for age in range(20, 80) for _ in range(3)]
    people = as_columns(rows, ("age", "sick"))
    method = TopDownSpecialization(
        schema, KAnonymity(30), metric="information", ranges="exact"
    ).fit(people)
    first = method.steps_[0]
    assert first.children == ("[20-49]", "[50-79]")
    assert min(Counter(row[0] for row in rows_of(method.release_.table)).values()) >= 30


def test_suppressing_a_few_rows_buys_detail():
    rows = [*worked_rows(), ("a1", "a2", "e3", "Y")]
    strict, loose = fit(rows, 3), fit(rows, 3, max_suppression=0.05)
    assert strict.release_.n_suppressed == 0
    assert loose.release_.n_suppressed <= 1
    assert loose.release_.metrics.gcp <= strict.release_.metrics.gcp


def test_other_models_are_kept_at_every_step():
    rows = random_rows(np.random.default_rng(4), 100)
    method = TopDownSpecialization(SCHEMA, KAnonymity(2) & DistinctDiversity(2)).fit(
        as_columns(rows)
    )
    groups = {}
    for *key, label in rows_of(method.release_.table):
        groups.setdefault(tuple(key), set()).add(label)
    assert all(len(labels) >= 2 for labels in groups.values())
    assert method.release_at(0).recoded.groups.n_groups == 1
    for number in range(len(method.steps_) + 1):
        assert method.release_at(number).reached[0].holds


def test_a_limit_is_the_starting_point():
    limited = SCHEMA.replace(
        Race={
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"e2": ["a2", "b2"], "f2": ["c2", "d2"]}},
            "limit_level": 1,
        }
    )
    rows = random_rows(np.random.default_rng(2), 60)
    method = TopDownSpecialization(limited, KAnonymity(10)).fit(as_columns(rows))
    assert "*" not in {row[1] for row in released(method)}
    with pytest.raises(InfeasibleError, match="limit of 'Race', which binds"):
        TopDownSpecialization(limited, KAnonymity(50)).fit(as_columns(rows))


def test_both_directions_release_alike_shaped_tables():
    rows = random_rows(np.random.default_rng(7), 60)
    up = BottomUpGeneralization(SCHEMA, KAnonymity(4)).fit(as_columns(rows)).release_
    down = TopDownSpecialization(SCHEMA, KAnonymity(4)).fit(as_columns(rows)).release_
    assert up.to_dict().keys() == down.to_dict().keys()
    assert list(up.table.columns) == list(down.table.columns)


def test_a_time_limit_releases_the_cut_that_was_reached():
    rows = random_rows(np.random.default_rng(0), 60)
    hurried = fit(rows, 3, time_limit=1e-9)
    assert hurried.steps_ == []
    assert hurried.release_.reached[0].holds
    assert "The time limit ended the search for finer labels." in hurried.release_.notes
    unhurried = fit(rows, 3, time_limit=3600)
    assert unhurried.steps_ == fit(rows, 3).steps_ != []
    assert not any("time limit" in note for note in unhurried.release_.notes)
    with pytest.raises(ParameterError, match="time_limit must be above 0"):
        fit(rows, 3, time_limit=0)
