import numpy as np
import polars as pl
import pytest

from shoal.errors import ParameterError, ProtocolError, SchemaError
from shoal.federated import RandomKernel, RandomKernelCox, RandomKernelSVC, make_share
from shoal.federated.kernels._shares import share_from_facts


def test_a_site_with_one_class_or_no_event_is_refused(kernel, sites):
    one_class = sites["gent"].filter(pl.col("dead"))
    with pytest.raises(SchemaError, match="one class only"):
        make_share(kernel, one_class, "gent", label="dead")
    share = make_share(kernel, one_class, "gent", label="dead", allow_uniform_outcome=True)
    assert len(share.projection) == len(one_class)
    no_event = sites["gent"].filter(pl.col("event") == 0)
    with pytest.raises(SchemaError, match="no events"):
        make_share(kernel, no_event, "gent", time="time", event="event")
    asked = {"time": "time", "event": "event"}
    everybody = sites["gent"].with_columns(event=pl.lit(1))
    with pytest.raises(SchemaError, match="events only"):
        make_share(kernel, everybody, "gent", **asked)
    share = make_share(kernel, everybody, "gent", **asked, allow_uniform_outcome=True)
    assert share.target["event"].all()


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("event", 0.5, "must be 0 or 1"),
        ("event", float("nan"), "missing"),
        ("time", float("inf"), "missing"),
        ("time", -1.0, "not negative"),
        ("event", "yes", "must be 0 or 1"),
    ],
)
def test_outcomes_are_told_as_they_are_or_refused(kernel, sites, column, value, told):
    kind = pl.String if isinstance(value, str) else pl.Float64
    column_of = pl.col(column).cast(kind)
    wrong = pl.when(pl.int_range(pl.len()) == 3).then(pl.lit(value)).otherwise(column_of)
    table = sites["gent"].with_columns(wrong.alias(column))
    with pytest.raises(SchemaError, match=told):
        make_share(kernel, table, "gent", time="time", event="event")


def test_a_label_that_is_no_number_is_missing(kernel, sites):
    wrong = pl.when(pl.int_range(pl.len()) == 3).then(float("nan")).otherwise(pl.col("event"))
    with pytest.raises(SchemaError, match="missing"):
        make_share(kernel, sites["gent"].with_columns(dead=wrong), "gent", label="dead")


@pytest.mark.parametrize(
    "labels", [[float("nan"), 1.0], [object(), object()], [1j, 2j], [None, "a"]]
)
def test_labels_of_another_site_are_numbers_or_words(kernel, sites, labels):
    made = make_share(kernel, sites["gent"], "gent", label="dead")
    label = np.resize(np.array(labels), len(made.projection))
    with pytest.raises(ProtocolError, match="neither numbers nor words"):
        share_from_facts(made.to_dict(), made.projection, {"label": label})


@pytest.mark.parametrize("name", ["a/b", "..", "gent\x1b[2J", "gent\n"])
def test_a_sites_name_is_plain(kernel, sites, name):
    with pytest.raises(ParameterError, match="plain name"):
        make_share(kernel, sites["gent"], name, label="dead")


def test_a_feature_constant_at_a_site_is_refused(kernel, sites):
    table = sites["gent"].with_columns(dose=pl.lit(60.0))
    with pytest.raises(SchemaError, match="constant at this site: 'dose'"):
        make_share(kernel, table, "gent", label="dead")


def _rows(n, **more):
    rng = np.random.default_rng(7)
    age, dose = rng.uniform(20, 80, n), rng.uniform(0, 50, n)
    sex = rng.random(n) < 0.5
    columns = {"age": age, "dose": dose, **{k: f(age, dose, sex) for k, f in more.items()}}
    return pl.DataFrame({**columns, "dead": rng.random(n) < 0.5})


@pytest.mark.parametrize(
    ("more", "involved"),
    [
        ({"f": lambda a, d, s: s * 1.0, "m": lambda a, d, s: 1.0 - s}, "'f', 'm'"),
        ({"total": lambda a, d, s: a + 2 * d}, "'age', 'dose', 'total'"),
        ({"months": lambda a, d, s: a * 12, "sex": lambda a, d, s: s * 1.0}, "'age', 'months'"),
    ],
)
def test_features_that_follow_from_one_another_are_refused(more, involved):
    table = _rows(50, **more)
    names = [name for name in table.columns if name != "dead"]
    kernel = RandomKernel(dict.fromkeys(names, (0, 1000))).fit()
    # with B and the equation there is one row to a projection
    scaled = kernel.scaled(table)
    centre = scaled.mean(axis=0)
    null = np.linalg.svd(scaled - centre)[2][-1]
    system = np.vstack([kernel.basis_, null])
    known = np.column_stack([kernel.project(scaled), np.full(50, null @ centre)])
    np.testing.assert_allclose(np.linalg.solve(system, known.T).T, scaled, atol=1e-8)
    with pytest.raises(SchemaError, match=f"follow from one another at this site: {involved}\\."):
        make_share(kernel, table, "gent", label="dead")
    if len(names) > 3:
        fewer = RandomKernel(dict.fromkeys(names, (0, 1000)), len(names) - 2).fit()
        make_share(fewer, table, "gent", label="dead")


def test_features_that_are_alike_and_few_rows_are_shared():
    noise = np.random.default_rng(1).normal(0, 0.01, 50)
    table = _rows(50, like=lambda a, d, s: a + noise, sex=lambda a, d, s: s * 1.0)
    kernel = RandomKernel(dict.fromkeys(["age", "dose", "like", "sex"], (0, 100))).fit()
    assert len(make_share(kernel, table, "gent", label="dead").projection) == 50
    few = table[:4].with_columns(dead=pl.Series([True, False, True, False]))
    few = few.with_columns(sex=pl.Series([0.0, 1.0, 0.0, 1.0]))
    assert len(make_share(kernel, few, "gent", label="dead").projection) == 4


def test_outcomes_are_checked(kernel, sites):
    table = sites["gent"]
    with pytest.raises(ParameterError, match="either label, or both"):
        make_share(kernel, table, "gent", label="dead", time="time", event="event")
    with pytest.raises(ParameterError, match="either label, or both"):
        make_share(kernel, table, "gent", time="time")
    with pytest.raises(SchemaError, match="'died' is missing"):
        make_share(kernel, table, "gent", label="died")
    bad = table.with_columns(event=pl.lit(2))
    with pytest.raises(SchemaError, match="must be 0 or 1"):
        make_share(kernel, bad, "gent", time="time", event="event")
    gap = table.with_columns(dead=pl.lit(None, pl.Boolean))
    with pytest.raises(SchemaError, match="has missing values"):
        make_share(kernel, gap, "gent", label="dead")


@pytest.mark.parametrize("site", ["", "../gent", ".gent", "a/b"])
def test_a_site_name_must_be_plain(kernel, sites, site):
    with pytest.raises(ParameterError, match="plain name"):
        make_share(kernel, sites["gent"], site, label="dead")


@pytest.mark.parametrize("outcome", [{"label": "dead"}, {"time": "time", "event": "event"}])
def test_the_rows_of_a_share_do_not_tell_where_they_were_in_the_table(kernel, sites, outcome):
    by_outcome = sites["gent"].sort(*outcome.values(), "age")
    shuffled = by_outcome.sample(fraction=1, shuffle=True, seed=3)
    one, two = (make_share(kernel, table, "gent", **outcome) for table in (by_outcome, shuffled))
    np.testing.assert_array_equal(one.projection, two.projection)
    for name, values in one.target.items():
        np.testing.assert_array_equal(values, two.target[name])
    of_table = by_outcome[next(iter(outcome.values()))].to_numpy()
    assert (next(iter(one.target.values())) != of_table).any()
    # everybody keeps the outcome that is theirs
    pairs = np.column_stack([kernel.transform(by_outcome), by_outcome.select(outcome.values())])
    kept = np.column_stack([one.projection, *one.target.values()])
    np.testing.assert_array_equal(np.unique(kept, axis=0), np.unique(pairs, axis=0))


def test_people_with_equal_features_do_not_tell_where_they_were_either(kernel, sites):
    table = pl.concat([sites["gent"]] * 2).with_columns(dead=pl.Series([True] * 60 + [False] * 60))
    one, two = (make_share(kernel, t, "gent", label="dead") for t in (table, table.reverse()))
    np.testing.assert_array_equal(one.projection, two.projection)
    np.testing.assert_array_equal(one.target["label"], two.target["label"])


@pytest.mark.parametrize("weighted", [False, True])
def test_models_are_the_same_to_the_last_bit_whatever_the_order_of_the_rows(
    kernel, sites, weighted
):
    stacked = pl.concat(sites.values())
    weights = np.arange(len(stacked)) % 3 + 1.0 if weighted else None
    order = np.random.default_rng(5).permutation(len(stacked))
    other = None if weights is None else weights[order]
    for model, columns in ((RandomKernelSVC, "dead"), (RandomKernelCox, ["time", "event"])):
        y = stacked[columns].to_numpy()
        one = model(kernel).fit(stacked, y, weights)
        two = model(kernel).fit(stacked[order], y[order], other)
        np.testing.assert_array_equal(one.coef_, two.coef_)
