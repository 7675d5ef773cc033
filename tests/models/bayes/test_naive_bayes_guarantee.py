"""Nobody is in a small span, and exchanged secrets change nothing: brute force on small tables."""

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import InfeasibleError
from shoal.models import KAnonymousNaiveBayes
from shoal.models._input import Input
from shoal.models.bayes._bayes_parts import draw_parts
from shoal.privacy import (
    ConfidenceLimit,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    TCloseness,
)
from shoal.privacy.spans._spans import count_groups
from shoal.schema import Schema
from shoal.schema._coding import Coding
from tests.models.tables import as_array, tables

SEEDS = st.integers(0, 5)


def counted_as(bayes, part, value, own_class):
    """The cell of the published counts that a person is in: column, label and class, or none."""
    labels = bayes.columns_[part].labels
    cell = np.empty((1, 1), object)
    cell[0, 0] = value
    label = int(labels.codes(Input((labels.attribute.name,), cell), 0)[0])
    return None if label < 0 else (part, label, own_class)


def spans_by_definition(bayes, rows, classes, schema, parts):
    """Cells that each person can be in over all private values, one by one."""
    class_is_public = schema["class"].role != "sensitive"
    found = []
    for row, own_class, part in zip(rows, classes.tolist(), parts.tolist(), strict=True):
        is_private = schema[f"x{part}"].role == "sensitive"
        values = {other[part] for other in rows} | {None} if is_private else {row[part]}
        every = [own_class] if class_is_public else sorted(set(classes.tolist()))
        cells = {counted_as(bayes, part, value, c) for value, c in product(values, every)}
        if is_private and len(bayes.columns_[part].labels):
            # values that nobody has may have no label, and labels may be of values elsewhere
            n_labels = len(bayes.columns_[part].labels)
            cells |= {None} | {(part, label, c) for label, c in product(range(n_labels), every)}
        # whom no column can count is told from nobody
        found.append(frozenset(cells))
    return found


def fitted(rows, classes, schema, model, seed):
    bayes = KAnonymousNaiveBayes(schema, model, random_state=seed, ranges=4)
    try:
        return bayes.fit(as_array(rows), classes)
    except InfeasibleError:
        return None


@settings(max_examples=150, deadline=None)
@given(table=tables(), k=st.integers(1, 6), seed=SEEDS)
def test_no_small_span_by_the_definition_alone(table, k, seed):
    rows, classes, schema = table
    bayes = fitted(rows, classes, schema, k, seed)
    if bayes is None:
        return
    parts = draw_parts(len(rows), len(rows[0]), seed)
    spans = spans_by_definition(bayes, rows, classes, schema, parts)
    sizes = Counter(spans)
    assert all(len(span) == 1 or size >= k for span, size in sizes.items())
    assert sorted(sizes.values()) == sorted(bayes.spans_.population.tolist())
    # every count is what it says
    cells = Counter(
        counted_as(bayes, part, row[part], own_class)
        for row, own_class, part in zip(rows, classes.tolist(), parts.tolist(), strict=True)
    )
    for part, column in enumerate(bayes.columns_):
        for (label, own_class), count in np.ndenumerate(column.counts):
            assert cells[part, label, own_class] == count
    assert bayes.bins_.population[0] == cells[None]


MODELS = (
    DistinctDiversity(2, "class"),
    EntropyDiversity(1.4, "class"),
    RecursiveDiversity(2.0, 2, "class"),
    ConfidenceLimit(0.8, "class"),
    TCloseness(0.3, "class"),
    KAnonymity(3) & DistinctDiversity(2, "class"),
)


@settings(max_examples=100, deadline=None)
@given(table=tables(), which=st.integers(0, len(MODELS) - 1), seed=SEEDS)
def test_every_model_holds_by_the_definition_alone(table, which, seed):
    rows, classes, schema = table
    schema = schema.replace(**{"class": {"role": "sensitive", "target": True}})
    bayes = fitted(rows, classes, schema, MODELS[which], seed)
    if bayes is None:
        return
    parts = draw_parts(len(rows), len(rows[0]), seed)
    spans = spans_by_definition(bayes, rows, classes, schema, parts)
    number = {span: place for place, span in enumerate(dict.fromkeys(spans))}
    group_of_row = np.array([number[span] for span in spans])
    coding = Coding("class", "categorical", ("0", "1"), np.full(2, np.nan))
    private = {"class": (coding, classes.astype(np.int32))}
    held = MODELS[which].holds(count_groups(group_of_row, len(number), private))
    assert all(ok or len(span) == 1 for ok, span in zip(held, number, strict=True))


def exchanged(rows, classes, schema, spans, rng):
    """Private values, and the class where it is private, shuffled among people of one span."""
    private = [p for p in range(len(rows[0])) if schema[f"x{p}"].role == "sensitive"]
    moved, new_classes = [list(row) for row in rows], classes.copy()
    for span in set(spans):
        members = [place for place, own in enumerate(spans) if own == span]
        for to, source in zip(members, rng.permutation(members).tolist(), strict=True):
            for place in private:
                moved[to][place] = rows[source][place]
            if schema["class"].role == "sensitive":
                new_classes[to] = classes[source]
    return moved, new_classes


@settings(max_examples=100, deadline=None)
@given(table=tables(), k=st.integers(1, 5), seed=SEEDS)
def test_exchanged_secrets_leave_the_whole_release_as_it_is(table, k, seed):
    """The theorem of docs/theory/spans.md: labels, counts and all, byte by byte."""
    rows, classes, schema = table
    bayes = fitted(rows, classes, schema, k, seed)
    if bayes is None:
        return
    parts = draw_parts(len(rows), len(rows[0]), seed)
    spans = spans_by_definition(bayes, rows, classes, schema, parts)
    silent = {span for span in spans if len(span) == 1}
    # of those who are in no count nothing is said, so that they may have anything
    told = [place if own in silent else own for place, own in enumerate(spans)]
    moved, new_classes = exchanged(rows, classes, schema, told, np.random.default_rng(seed))
    again = fitted(moved, new_classes, schema, k, seed)
    assert again.to_json() == bayes.to_json()


def test_all_worlds_that_fit_the_counts_treat_a_group_alike():
    """2 ** 10 ways to deal classes: whoever shares a span has each class in as many of them."""
    rng = np.random.default_rng(3)
    X = np.column_stack([rng.integers(0, 2, 10), rng.integers(0, 2, 10)]).astype(float)
    y = rng.integers(0, 2, 10)
    bayes = KAnonymousNaiveBayes(privacy=2).fit(X, y)
    spans, span_of_row, counted = bayes.find_spans(X, y)
    assert spans.largest_k >= 2
    worlds = []
    for world in product([0, 1], repeat=10):
        own = type(counted)(counted.part_of_row, counted.label_of_row, np.array(world))
        counts = [own.count(p, len(c.labels), 2) for p, c in enumerate(bayes.columns_)]
        same = all((a == c.counts).all() for a, c in zip(counts, bayes.columns_, strict=True))
        worlds += [world] if same else []
    ones = np.array(worlds).mean(axis=0)
    assert tuple(y.tolist()) in worlds
    assert len(worlds) > 1
    for span in range(spans.n_spans):
        assert len(set(ones[span_of_row == span].tolist())) == 1


def test_counts_of_one_table_for_two_columns_would_single_somebody_out():
    """Why people are dealt to columns: two groups of at least k, one person apart."""
    old = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0])
    tall = np.array([1, 1, 1, 0, 0, 0, 0, 0, 1])
    ill = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0])
    k = 3
    every = [np.bincount(column[ill == 1], minlength=2) for column in (old, tall)]
    assert min(np.bincount(old).min(), np.bincount(tall).min()) >= k
    worlds = [
        world
        for world in product([0, 1], repeat=9)
        if all(
            (np.bincount(column[np.array(world) == 1], minlength=2) == told).all()
            for column, told in zip((old, tall), every, strict=True)
        )
    ]
    by_person = np.array(worlds).mean(axis=0)
    assert by_person[3] != pytest.approx(by_person[0])  # old and not tall: a group of one


def test_too_few_rows_for_the_columns_is_an_error():
    X, y = np.arange(60.0).reshape(20, 3), np.arange(20) % 2
    with pytest.raises(InfeasibleError, match="20 rows are dealt to 3 columns") as caught:
        KAnonymousNaiveBayes(privacy=10).fit(X, y)
    assert (caught.value.required, caught.value.achieved) == (10, 6)


def test_a_public_class_is_no_secret_but_a_private_column_is():
    schema = Schema(
        {
            "x0": {"role": "sensitive"},
            "class": {"role": "quasi-identifier", "target": True},
        }
    )
    X = as_array([["a"], ["b"]] * 10)
    few = np.array([0] * 17 + [1] * 3)
    with pytest.raises(InfeasibleError):
        KAnonymousNaiveBayes(schema, 5).fit(X, few)
    bayes = KAnonymousNaiveBayes(schema, 5).fit(X, np.array([0] * 10 + [1] * 10))
    assert bayes.spans_.population.tolist() == [10, 10]
    assert bayes.exposure_ is None
