import math
import pickle
from collections import Counter

import numpy as np
import pytest
from sklearn.base import clone

from shoal.anonymize import BottomUpGeneralization, TopDownSpecialization
from shoal.anonymize.cuts._cut_problem import make_problem
from shoal.anonymize.greedy._bottom_up_search import BottomUpSearch
from shoal.errors import InfeasibleError, ParameterError, SchemaError
from shoal.privacy import DistinctDiversity, EntropyDiversity, KAnonymity, TCloseness
from shoal.schema import Schema
from shoal.tables import open_table
from tests.anonymize.people import (
    PARENTS,
    SCHEMA,
    as_columns,
    random_rows,
    relation,
    worked_rows,
)
from tests.engines import rows as rows_of
from tests.reference import cuts as reference

SEEDS = range(25)


def fit(rows, k, **parameters):
    parameters = {"metric": "information"} | parameters
    return BottomUpGeneralization(SCHEMA, KAnonymity(k), **parameters).fit(as_columns(rows))


def released(method):
    return Counter(row[:3] for row in rows_of(method.release_.table))


def test_the_papers_example_reaches_k_3_in_one_step():
    method = fit(worked_rows(), 3)
    (step,) = method.steps_
    assert (step.column, step.node, step.children) == ("Race", "f2", ("c2", "d2"))
    assert (step.privacy, step.anonymity) == (1, 3)
    groups = released(method)
    assert groups["d1", "f2", "b3"] == 7
    assert groups["d1", "f2", "e3"] == 4
    assert groups["c1", "f2", "a3"] == 3
    assert groups["c1", "f2", "b3"] == 4


def test_only_the_generalization_to_f2_is_critical_in_the_papers_example():
    cells = open_table(as_columns(worked_rows())).compress(SCHEMA).cells
    problem = make_problem(
        cells, KAnonymity(3), target="Class", metric=None, max_suppression=0, weights=[1, 1, 1]
    )
    search = BottomUpSearch(problem)
    assert search.state.anonymity == 2
    gains = {
        problem.columns[move.column].tree.labels[move.node]: search.score(move).privacy
        for move in search.open
    }
    assert gains == {"e1": 0, "f1": 0, "e2": 0, "f2": 1, "f3": 0}


@pytest.mark.parametrize("prune", [True, False])
@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_is_a_generalization_of_least_score_among_all_valid_ones(seed, prune):
    rng = np.random.default_rng(seed)
    rows, k = random_rows(rng), int(rng.integers(2, 8))
    method = fit(rows, k, prune=prune)
    trees = [reference.Tree(parent) for parent in PARENTS]
    cuts = [set(tree.parent) - set(tree.children) for tree in trees]
    current, classes = [row[:3] for row in rows], [row[3] for row in rows]
    for step in method.steps_:
        column = list(SCHEMA).index(step.column)
        table = reference.scores(trees, current, classes, cuts, k)
        score, lost, gain = table[column, step.node]
        least = min(table.values())
        assert score == pytest.approx(least[0], abs=1e-9)
        if math.isinf(least[0]):
            assert lost == pytest.approx(least[1], abs=1e-9)
        assert (step.information, step.privacy) == pytest.approx((lost, gain), abs=1e-9)
        children = trees[column].children[step.node]
        current = reference.replace(current, column, children, step.node)
        cuts[column] = cuts[column] - set(children) | {step.node}
        assert step.anonymity == reference.anonymity(current)
        assert step.groups == len(set(current))
    assert reference.anonymity(current) >= k
    assert released(method) == Counter(current)


@pytest.mark.parametrize("metric", ["information", "ncp", "discernibility"])
@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_pruned_and_exhaustive_searches_take_the_same_steps(seed, partial, metric):
    rng = np.random.default_rng(seed)
    rows = random_rows(rng, 80)
    models = [KAnonymity(5), KAnonymity(3) & TCloseness(0.4), KAnonymity(2) & EntropyDiversity(1.3)]
    for model in models:
        for share in (0.0, 0.2):
            options = {"partial": partial, "metric": metric, "max_suppression": share}
            taken = []
            for prune in (True, False):
                method = BottomUpGeneralization(SCHEMA, model, prune=prune, **options)
                try:
                    taken.append(method.fit(as_columns(rows)).steps_)
                except InfeasibleError as error:
                    taken.append(str(error))
            assert taken[0] == taken[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_index_agrees_with_a_recount_after_every_step(seed):
    rng = np.random.default_rng(seed)
    cells = open_table(as_columns(random_rows(rng, 60))).compress(SCHEMA).cells
    problem = make_problem(
        cells, KAnonymity(8), target="Class", metric=None, max_suppression=0, weights=[1, 1, 1]
    )
    search = BottomUpSearch(problem, partial=bool(seed % 2))
    number = 0
    while (chosen := search.best()) is not None:
        number += 1
        search.make(chosen, number)
        group_of, n_groups = problem.group(search.cut)
        assert n_groups == len(search.groups.sizes)
        assert len(set(zip(group_of, search.group_of, strict=True))) == n_groups
        recount = np.bincount(search.group_of, weights=cells.sizes)
        assert recount.tolist() == search.groups.sizes.tolist()
    assert len(search.groups.sizes) == 1


@pytest.mark.parametrize("metric", ["ncp", "discernibility", "weighted"])
def test_other_metrics_work_without_a_class(metric):
    schema = SCHEMA.replace(Class={"role": "sensitive"})
    rows = random_rows(np.random.default_rng(1), 60)
    method = BottomUpGeneralization(schema, KAnonymity(5), metric=metric).fit(as_columns(rows))
    assert min(released(method).values()) >= 5


def test_rows_may_be_suppressed_instead_of_generalized():
    rows = worked_rows()
    strict, loose = fit(rows, 4), fit(rows, 4, max_suppression=0.45)
    assert strict.release_.n_suppressed == 0
    assert 0 < loose.release_.n_suppressed <= 0.45 * len(rows)
    assert len(loose.steps_) < len(strict.steps_)
    assert min(released(loose).values()) >= 4
    assert sum(released(loose).values()) == len(rows) - loose.release_.n_suppressed


def test_partial_generalization_moves_only_some_children():
    rows = [("a1", "a2", leaf, "Y") for leaf in ["a3", "a3", "a3", "b3", "b3", "b3", "e3", "c3"]]
    full, partial = fit(rows, 2), fit(rows, 2, partial=True)
    assert partial.release_.metrics.gcp <= full.release_.metrics.gcp
    assert min(released(partial).values()) >= 2
    kept = {row[2] for row in released(partial)}
    assert {"a3", "b3"} <= kept


@pytest.mark.parametrize("seed", range(6))
def test_annealing_never_loses_to_greedy_and_repeats_itself(seed):
    rows = random_rows(np.random.default_rng(seed), 80)
    greedy = fit(rows, 6)
    first = fit(rows, 6, search="anneal", iterations=300, random_state=seed)
    again = fit(rows, 6, search="anneal", iterations=300, random_state=seed)

    def entropy(method):
        by_group = {}
        for *key, label in rows_of(method.release_.table):
            by_group.setdefault(tuple(key), []).append(label)
        return sum(len(g) * reference.entropy(g) for g in by_group.values()) / len(rows)

    assert entropy(first) <= entropy(greedy) + 1e-9
    assert released(first) == released(again)
    assert min(released(first).values()) >= 6


def test_other_privacy_models_hold_in_every_group():
    rows = random_rows(np.random.default_rng(3), 120)
    method = BottomUpGeneralization(
        SCHEMA, KAnonymity(3) & DistinctDiversity(2) & EntropyDiversity(1.5)
    ).fit(as_columns(rows))
    groups = {}
    for *key, label in rows_of(method.release_.table):
        groups.setdefault(tuple(key), []).append(label)
    for labels in groups.values():
        assert len(labels) >= 3
        assert len(set(labels)) >= 2
        assert reference.entropy(labels) >= math.log2(1.5) - 1e-9


def test_a_numeric_column_without_a_hierarchy_grows_one():
    schema = Schema(
        {"age": {"role": "quasi-identifier", "kind": "numeric"}, "sick": {"role": "sensitive"}}
    )
    rng = np.random.default_rng(0)
    rows = [(str(rng.integers(20, 60)), "yn"[rng.integers(2)]) for _ in range(200)]
    import duckdb

    people = relation(rows, ("age", "sick"))
    people = people.project("CAST(age AS INTEGER) AS age, sick")
    assert isinstance(people, duckdb.DuckDBPyRelation)
    method = BottomUpGeneralization(schema, KAnonymity(20), ranges="exact").fit(people)
    sizes = Counter(row[0] for row in rows_of(method.release_.table))
    assert min(sizes.values()) >= 20
    assert len(sizes) > 1


def test_any_step_can_be_released_and_an_unsafe_one_is_refused():
    method = fit(random_rows(np.random.default_rng(5), 60), 5)
    last = len(method.steps_)
    assert method.release_at(last).recoded.groups.sizes.min() >= 5
    with pytest.raises(InfeasibleError, match="choose a step"):
        method.release_at(0)
    with pytest.raises(ParameterError, match="step must be between"):
        method.release_at(last + 1)


def test_new_rows_are_recoded_like_the_fitted_ones():
    method = fit(worked_rows(), 3)
    fresh = as_columns([("c1", "d2", "a3", "Y"), ("a1", "a2", "c3", "N")])
    assert rows_of(method.transform(fresh)) == [
        ("c1", "f2", "a3", "Y"),
        ("a1", "a2", "c3", "N"),
    ]


def test_values_never_seen_follow_the_stated_policy():
    method = fit(worked_rows(), 3)
    fresh = as_columns([("zz", "d2", "a3", "Y"), ("c1", "c2", "a3", "N")])
    assert rows_of(method.transform(fresh))[0] == ("*", "f2", "a3", "Y")
    assert rows_of(method.transform(fresh, unseen="suppress")) == [("c1", "f2", "a3", "N")]
    with pytest.raises(SchemaError, match=r"never saw \('Relationship': 1\)"):
        method.transform(fresh, unseen="error")


def test_a_pickled_method_holds_its_parameters_and_takes_its_recoding_back(tmp_path):
    method = fit(worked_rows(), 3)
    copy = pickle.loads(pickle.dumps(method))
    assert vars(copy).keys() == method.get_params().keys()
    method.save_private(tmp_path / "recoding.json")
    fresh = as_columns([("c1", "d2", "a3", "Y")])
    loaded = copy.load_private(tmp_path / "recoding.json")
    assert rows_of(loaded.transform(fresh)) == [("c1", "f2", "a3", "Y")]


def test_it_is_cloned_and_configured_like_any_estimator():
    method = BottomUpGeneralization(SCHEMA, KAnonymity(3))
    copy = clone(method).set_params(privacy=KAnonymity(5), partial=True)
    assert copy.get_params()["partial"] is True
    assert method.get_params()["partial"] is False
    assert copy.fit(as_columns(worked_rows())).release_.recoded.groups.sizes.min() >= 5


def test_limits_are_not_crossed_and_the_error_names_the_one_that_binds():
    limited = SCHEMA.replace(
        Race={
            "role": "quasi-identifier",
            "hierarchy": {"tree": {"e2": ["a2", "b2"], "f2": ["c2", "d2"]}},
            "limit": ["e2", "f2"],
        }
    )
    rows = random_rows(np.random.default_rng(2), 60)
    method = BottomUpGeneralization(limited, KAnonymity(10)).fit(as_columns(rows))
    assert "*" not in {row[1] for row in released(method)}
    lonely = [("a1", "a2", "a3", "Y")] * 9 + [("a1", "c2", "a3", "N")]
    with pytest.raises(InfeasibleError, match=r"Suppressing 1 rows .* limit of 'Race'"):
        BottomUpGeneralization(limited, KAnonymity(2)).fit(as_columns(lonely))


def test_what_cannot_be_reached_is_said_with_what_can():
    with pytest.raises(InfeasibleError, match=r"k=30 with 29 rows: needs 30, best reachable is 29"):
        fit(worked_rows(), 30)


def test_a_missing_class_column_is_named():
    schema = SCHEMA.replace(Class={"role": "sensitive"})
    with pytest.raises(SchemaError, match="needs a class column"):
        BottomUpGeneralization(schema, KAnonymity(2), metric="information").fit(
            as_columns(worked_rows())
        )


@pytest.mark.parametrize(
    "parameters",
    [{"metric": "nonsense"}, {"max_suppression": 1.5}, {"search": "luck"}, {"iterations": -1}],
)
def test_parameters_out_of_range_are_refused(parameters):
    with pytest.raises(ParameterError):
        fit(worked_rows(), 2, **parameters)


@pytest.mark.parametrize("method", [BottomUpGeneralization, TopDownSpecialization])
@pytest.mark.parametrize("seed", range(8))
def test_suppression_never_makes_a_reachable_model_unreachable(method, seed):
    rows = random_rows(np.random.default_rng(seed), 60)
    model = KAnonymity(2) & TCloseness(0.3)
    for share in (0.0, 0.1, 0.3):
        release = method(SCHEMA, model, max_suppression=share).fit(as_columns(rows)).release_
        assert release.n_suppressed <= share * len(rows)
        assert len(rows_of(release.table)) == len(rows) - release.n_suppressed


def test_it_works_in_a_pipeline_and_is_refused_before_it_is_fitted():
    from sklearn.exceptions import NotFittedError
    from sklearn.pipeline import make_pipeline

    method = BottomUpGeneralization(SCHEMA, KAnonymity(3))
    with pytest.raises(NotFittedError):
        method.transform(as_columns(worked_rows()))
    released = make_pipeline(method).fit_transform(as_columns(worked_rows()))
    assert len(rows_of(released)) == 29
    with pytest.raises(ParameterError, match="has no parameter 'kk'"):
        method.set_params(kk=3)
    assert "KAnonymity" in repr(method)
