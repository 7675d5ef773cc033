"""Nobody is in a small span, and no split is refused without need: brute force on small tables."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from shoal.errors import GuaranteeError, InfeasibleError
from shoal.models import KAnonymousTreeClassifier
from shoal.models._groups import one_group_per_row
from shoal.models._input import Input
from shoal.models.tree._attributes import describe_attributes
from shoal.models.tree._tree import CRITERIA
from shoal.models.tree.growth._grow import grow
from shoal.models.tree.growth._kernel_types import Settings
from shoal.models.tree.growth._training import code_target, code_training
from shoal.privacy import (
    ConfidenceLimit,
    DistinctDiversity,
    EntropyDiversity,
    KAnonymity,
    RecursiveDiversity,
    TCloseness,
)
from shoal.privacy.compiled._compile import compile_model
from shoal.privacy.spans._spans import count_groups
from shoal.schema import Schema
from shoal.schema._coding import Coding
from tests.models.tables import as_array, tables
from tests.reference import tree_spans

SPLITS = st.sampled_from(["multiway", "binary"])
KINDS = st.sampled_from(["gain", "gain_ratio", "gini"])
PLANS = st.fixed_dictionaries(
    {
        "splits": SPLITS,
        "look_ahead": st.booleans(),
        "max_leaves": st.sampled_from([None, None, 2, 3, 5]),
    }
)


def span_by_apply(tree, rows, row, schema, domains):
    """Stops over all private values (and all values where a public one is missing)."""
    free = [
        domains[place] if schema[f"x{place}"].role == "sensitive" or value is None else [value]
        for place, value in enumerate(row)
    ]
    return frozenset(tree.apply(as_array([list(values) for values in product(*free)])).tolist())


@settings(max_examples=100, deadline=None)
@given(
    table=tables(),
    k=st.integers(2, 6),
    criterion=KINDS,
    unseen=st.sampled_from(["node", "majority"]),
    plan=PLANS,
)
def test_no_small_span_through_apply_alone(table, k, criterion, unseen, plan):
    rows, classes, schema = table
    tree = KAnonymousTreeClassifier(schema, k, criterion=criterion, unseen=unseen, **plan)
    try:
        tree.fit(as_array(rows), classes)
    except InfeasibleError:
        assert schema["class"].role == "sensitive" or np.bincount(classes).min() < k
        return
    domains = [list(dict.fromkeys(row[place] for row in rows)) for place in range(len(rows[0]))]
    class_is_public = schema["class"].role != "sensitive"
    groups = {}
    for place, row in enumerate(rows):
        stops = span_by_apply(tree, rows, row, schema, domains)
        groups.setdefault((stops, classes[place] if class_is_public else None), []).append(place)
    for (stops, _), members in groups.items():
        assert len(members) >= k or (class_is_public and len(stops) == 1)
    assert sorted(map(len, groups.values())) == sorted(tree.spans_.population.tolist())
    assert tree.bins_.population.sum() == len(rows)
    assert tree.get_n_leaves() <= (plan["max_leaves"] or np.inf)


@settings(max_examples=60, deadline=None)
@given(
    table=tables(missing=False),
    k=st.integers(2, 6),
    unseen=st.sampled_from(["node", "majority"]),
    plan=PLANS,
)
def test_no_test_names_a_label_of_fewer_than_k_who_may_be_there(table, k, unseen, plan):
    rows, classes, schema = table
    X, model = as_array(rows), KAnonymousTreeClassifier(schema, k, unseen=unseen, **plan)
    try:
        tree = model.fit(X, classes).tree_
    except InfeasibleError:
        return
    domains = [list(dict.fromkeys(row[place] for row in rows)) for place in range(len(rows[0]))]
    stops = [span_by_apply(model, rows, row, schema, domains) for row in rows]
    reached = [{node for stop in found for node in above(tree, stop)} for found in stops]
    for node in np.flatnonzero(tree.nodes.slot >= 0).tolist():
        branches = [tree.labels(node, child) for child in tree.children(node)]
        attribute, view = tree.attribute(node), tree.views[tree.nodes.slot[node]]
        if attribute.ordered:
            continue
        values = [
            row[view.attribute] for row, own in zip(rows, reached, strict=True) if node in own
        ]
        labels = [own[view.level] for own in attribute.labels(values)]
        for label in (label for branch in branches for label in branch):
            assert labels.count(label) >= k


@pytest.mark.parametrize("role", ["sensitive", "quasi-identifier"])
@pytest.mark.parametrize(
    "options",
    [{}, {"splits": "multiway"}, {"criterion": "gini"}, {"look_ahead": True, "max_leaves": 9}],
)
def test_no_tree_names_the_job_that_one_person_has(role, options):
    for seed in range(4):
        generator = np.random.default_rng(seed)
        table = {
            "age": generator.integers(18, 80, 120),
            "pay": generator.integers(2000, 4000, 120),
            "job": np.where(np.arange(120) == 1, "astronaut", np.tile(["smith", "clerk"], 60)),
        }
        classes = generator.choice(["flu", "gout"], 120)
        schema = Schema(
            {
                "age": {"role": "quasi-identifier", "kind": "numeric"},
                "pay": {"role": "sensitive", "kind": "numeric"},
                "job": {"role": role},
                "ill": {"role": "sensitive", "target": True},
            }
        )
        tree = KAnonymousTreeClassifier(schema, 10, **options).fit(table, classes)
        assert "astronaut" not in tree.to_json()


def test_a_tree_that_names_a_rare_value_is_not_returned(monkeypatch):
    rare = {"job": np.array(["smith"] * 6 + ["clerk"] * 5 + ["astronaut"])}
    schema = Schema({"job": {"role": "sensitive"}, "ill": {"role": "sensitive", "target": True}})
    classes = ["gout"] * 6 + ["flu"] * 6

    def forgetful(model, cells):
        return compile_model(model, cells)._replace(minimum_size=1)

    monkeypatch.setattr("shoal.models.tree._tree.compile_model", forgetful)
    with pytest.raises(GuaranteeError, match="names values that too few people have"):
        KAnonymousTreeClassifier(schema, 3, splits="multiway").fit(rare, classes)


def above(tree, node):
    """A node and those it is under."""
    found = [node]
    while tree.nodes.parent[found[-1]] >= 0:
        found.append(tree.nodes.parent[found[-1]])
    return found


MODELS = (
    DistinctDiversity(2, "class"),
    EntropyDiversity(1.4, "class"),
    RecursiveDiversity(2.0, 2, "class"),
    ConfidenceLimit(0.8, "class"),
    TCloseness(0.3, "class"),
    KAnonymity(3) & DistinctDiversity(2, "class"),
)


@settings(max_examples=60, deadline=None)
@given(table=tables(), which=st.integers(0, len(MODELS) - 1), criterion=KINDS, plan=PLANS)
def test_every_model_holds_through_apply_alone(table, which, criterion, plan):
    rows, classes, schema = table
    schema = schema.replace(**{"class": {"role": "sensitive", "target": True}})
    model = MODELS[which]
    tree = KAnonymousTreeClassifier(schema, model, criterion=criterion, **plan)
    try:
        tree.fit(as_array(rows), classes)
    except InfeasibleError:
        return
    domains = [list(dict.fromkeys(row[place] for row in rows)) for place in range(len(rows[0]))]
    spans = [span_by_apply(tree, rows, row, schema, domains) for row in rows]
    number = {span: place for place, span in enumerate(dict.fromkeys(spans))}
    group_of_row = np.array([number[span] for span in spans])
    coding = Coding("class", "categorical", ("0", "1"), np.full(2, np.nan))
    private = {"class": (coding, classes.astype(np.int32))}
    assert model.holds(count_groups(group_of_row, len(number), private)).all()


def grown(rows, classes, schema, model, criterion, unseen):
    table = Input(tuple(f"x{i}" for i in range(len(rows[0]))), as_array(rows))
    attributes = describe_attributes(table, schema, "class")
    training, coded = code_training(table, attributes, list(range(len(attributes))))
    class_is_public = schema["class"].role != "sensitive"
    tree, _ = grow(
        training.columns,
        code_target(classes, 2, None),
        Settings(CRITERIA[criterion], 1e-12, 1.0, unseen == "majority"),
        compile_model(model, one_group_per_row(model, {}, len(rows))),
        class_is_public=class_is_public,
    )
    return tree, attributes, coded, class_is_public


def plain_test(column, groups, children, attribute, one, level, threshold, other):
    """A split as a function of the value."""
    if attribute.ordered:
        side = dict(zip(groups, children, strict=True))

        def branch(value):
            return side.get(2 if value is None else 0 if value <= threshold else 1)

    else:
        labels = [one.labels[level][group] for group in groups]
        child_of = dict(zip(labels, children, strict=True))

        def branch(value):
            label = None if value is None else attribute.labels([value])[0][level]
            return child_of.get(label)

    return tree_spans.Test(
        column, attribute.public, branch, tuple(children), other, not attribute.ordered
    )


def made_test(tree, attributes, coded, rows, node, column, level, threshold, first, unseen):
    """The test that a refused split would have been, made from the rows of its node."""
    one, attribute = coded[column], attributes[column]
    here = [
        place for place in range(len(rows)) if lands(tree, attributes, coded, rows[place], node)
    ]
    groups, sizes = [], []
    for group in range(3 if attribute.ordered else len(one.labels[level])):
        size = 0
        for place in here:
            value = rows[place][column]
            if attribute.ordered:
                own = 2 if value is None else 0 if value <= threshold else 1
            else:
                own = one.maps[level][one.codes[place]]
            size += own == group
        if size:
            groups.append(group)
            sizes.append(size)
    children = list(range(first, first + len(groups)))
    other = None
    if unseen == "majority":
        lost = (
            2 if attribute.ordered else (one.maps[level][one.missing] if one.missing >= 0 else -1)
        )
        known = [-1 if g == lost else s for g, s in zip(groups, sizes, strict=True)]
        other = children[int(np.argmax(known))]
    return plain_test(column, groups, children, attribute, one, level, threshold, other)


def lands(tree, attributes, coded, row, node):
    """Whether a row's own values lead it to a node."""
    path = []
    while node:
        path.append((tree.parent[node], node))
        node = tree.parent[node]
    for parent, child in path:
        split = tree.split[parent]
        test = plain_test(
            split.column,
            split.groups.tolist(),
            list(split.children),
            attributes[split.column],
            coded[split.column],
            split.level,
            split.threshold,
            None,
        )
        if test.branch(row[split.column]) != child:
            return False
    return True


@settings(max_examples=60, deadline=None)
@given(
    table=tables(),
    k=st.integers(2, 6),
    criterion=KINDS,
    unseen=st.sampled_from(["node", "majority"]),
)
def test_every_refused_split_would_have_broken_k_or_named_a_rare_value(table, k, criterion, unseen):
    rows, classes, schema = table
    if min(np.bincount(classes)) < k and schema["class"].role != "sensitive":
        return
    if len(rows) < k:
        return
    tree, attributes, coded, public_class = grown(
        rows, classes, schema, KAnonymity(k), criterion, unseen
    )

    def enough(members):
        return len(members) >= k

    def made(count):
        tests = {}
        for node in tree.taken[:count]:
            split = tree.split[node]
            tests[node] = made_test(
                tree, attributes, coded, rows, node, split.column, split.level,
                split.threshold, split.children.start, unseen,
            )  # fmt: skip
        return tests

    for count in range(len(tree.taken) + 1):  # every tree on the way is safe
        assert not tree_spans.breaks(made(count), rows, classes, public_class, enough)
    for node in tree.taken:
        assert not tree_spans.names_rare(made(len(tree.taken)), rows, node, k)
    for count, node, column, level, threshold in tree.refused:
        tests = made(count)
        level = 0 if attributes[column].ordered else level
        if attributes[column].ordered and np.isnan(threshold):
            continue
        tests[node] = made_test(
            tree, attributes, coded, rows, node, column, level, threshold, 10_000, unseen
        )
        assert tree_spans.breaks(
            tests, rows, classes, public_class, enough
        ) or tree_spans.names_rare(tests, rows, node, k)


@settings(max_examples=40, deadline=None)
@given(table=tables(missing=False), k=st.integers(2, 6))
def test_what_is_left_cannot_be_split(table, k):
    """At the end, every split of a leaf gains nothing, or would break k or name a rare value."""
    rows, classes, schema = table
    public_class = schema["class"].role != "sensitive"
    if len(rows) < k or (public_class and min(np.bincount(classes)) < k):
        return
    tree, attributes, coded, _ = grown(rows, classes, schema, KAnonymity(k), "gain", "node")
    tests = {
        node: made_test(
            tree, attributes, coded, rows, node, tree.split[node].column, tree.split[node].level,
            tree.split[node].threshold, tree.split[node].children.start, "node",
        )
        for node in tree.taken
    }  # fmt: skip
    for node, split in enumerate(tree.split):
        here = [
            p
            for p in range(len(rows))
            if split is None and lands(tree, attributes, coded, rows[p], node)
        ]
        for column, attribute in enumerate(attributes) if here else ():
            if attribute.ordered:
                values = sorted({row[column] for row in rows})
                options = [(0, (a + b) / 2) for a, b in pairwise(values)]
            else:
                options = [(level, np.nan) for level in range(len(coded[column].maps))]
            for level, cut in options:
                test = made_test(
                    tree, attributes, coded, rows, node, column, level, cut, 10_000, "node"
                )
                if information_gain(test, rows, classes, here) <= 1e-9:
                    continue
                assert tree_spans.breaks(
                    tests | {node: test}, rows, classes, public_class, lambda m: len(m) >= k
                ) or tree_spans.names_rare(tests | {node: test}, rows, node, k)


def information_gain(test, rows, classes, here):
    def entropy(members):
        share = np.bincount(classes[members], minlength=2) / len(members)
        return -sum(p * np.log2(p) for p in share if p > 0)

    parts = {}
    for place in here:
        parts.setdefault(test.branch(rows[place][test.column]), []).append(place)
    after = sum(len(part) / len(here) * entropy(part) for part in parts.values())
    return entropy(here) - after


def test_the_smallest_public_class_must_reach_k():
    schema = Schema(
        {"x0": {"role": "sensitive"}, "class": {"role": "quasi-identifier", "target": True}}
    )
    X, y = as_array([["a"], ["b"]] * 10), np.array([0] * 17 + [1] * 3)
    with pytest.raises(InfeasibleError, match="smallest class, which is public") as caught:
        KAnonymousTreeClassifier(schema, 5).fit(X, y)
    assert (caught.value.required, caught.value.achieved) == (5, 3)


def test_missing_values_are_anybody_s():
    """Rows without a public value are told apart by tests in every branch they could be in."""
    rows = [["a", 0]] * 6 + [["b", 0]] * 6 + [["b", 1]] * 6 + [[None, 0]] * 3 + [[None, 1]] * 3
    classes = np.array([0] * 6 + [1] * 6 + [0] * 6 + [2] * 6)
    schema = Schema({f"x{i}": {"role": "quasi-identifier"} for i in range(2)})
    loose = KAnonymousTreeClassifier(schema, 3).fit(as_array(rows), classes)
    assert "x0 is b\n|   x1 is 0" in loose.export_text()
    tight = KAnonymousTreeClassifier(schema, 4).fit(as_array(rows), classes)
    assert "x1" not in tight.export_text()  # it would tell three people without x0 from three


@pytest.mark.parametrize("role", ["sensitive", "quasi-identifier"])
def test_cuts_below_private_tests_are_no_means_of_two_people_of_the_node(role):
    """Whoever knows all incomes would find the two, and what is private of them."""
    draw = np.random.default_rng(1)
    income, ill = draw.lognormal(10, 0.6, 300).round(2), draw.choice(["no", "yes"], 300)
    y = np.where(ill == "yes", 2 + (income > 32_000), income > 18_000).astype(int)
    schema = Schema(
        {"income": {"role": "quasi-identifier", "kind": "numeric"}, "ill": {"role": role}}
    )
    tree = KAnonymousTreeClassifier(schema, privacy=5, max_leaves=4)
    tree.fit({"income": income, "ill": ill}, y)
    assert tree.tree_.attribute(0).name == "ill"
    order, pairs = np.sort(income), (income[:, None] + income) / 2
    cuts = [float(tree.tree_.nodes.threshold[node]) for node in (1, 2)]
    neighbours = [between(order, cut) for cut in cuts]
    middles = [
        between(np.sort(income[ill == own]), cut)
        for own, cut in zip(["no", "yes"], cuts, strict=True)
    ]
    assert neighbours != middles  # of two people of whom one is not there
    assert cuts == (neighbours if role == "sensitive" else middles)
    for cut in cuts:  # many people may be the two between whom the tree looked for a cut
        low, high = order[np.searchsorted(order, cut) - 1], order[np.searchsorted(order, cut)]
        assert ((pairs > low) & (pairs < high)).any(axis=1).sum() > 50


def between(values, cut):
    above = np.searchsorted(values, cut)
    return values[above - 1] + (values[above] - values[above - 1]) / 2
