"""Clusterings as files: equal after loading, audited from there, and nothing private in them."""

import copy
import functools
import json
import pickle
import random

import numpy as np
import pytest
from typer.testing import CliRunner

from shoal.audit import audit, load_model
from shoal.cli import app
from shoal.errors import ParameterError, ShoalError, TableError
from shoal.models import KAnonymousClustering
from shoal.models._json import seal
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Schema
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "job": {"role": "quasi-identifier", "hierarchy": {"tree": {"hand": ["a", "b"], "c": []}}},
        "pay": {"role": "sensitive", "kind": "numeric"},
    }
)

pytestmark = pytest.mark.usefixtures("quick_audits")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "age": rng.integers(20, 60, 120) * 1.0,
            "job": rng.choice(["a", "b", "c"], 120),
            "pay": rng.normal(3000, 400, 120).round(3),
        }
    )


@pytest.fixture(scope="module")
def model(table):
    found = KAnonymousClustering(SCHEMA, 5, min_rows=5).fit(table)
    assert len(found.cluster_centers_) > 1
    assert not found.spans_.is_single.all()
    return found


def test_round_trip(model, table, tmp_path):
    path = tmp_path / "clusters.json"
    text = model.to_json(path)
    back = KAnonymousClustering.from_json(path)
    assert np.array_equal(back.predict(table), model.labels_)
    assert back.to_json() == text
    assert back.guarantee() == model.guarantee()
    assert back.privacy_ == KAnonymity(5)
    one = audit(back, table, SCHEMA, k=5)
    assert one.is_safe
    assert one.to_dict() == audit(model, table, SCHEMA, k=5).to_dict()
    assert not audit(back, table, SCHEMA, k=len(table)).is_safe


def test_without_column_names():
    points = np.random.default_rng(0).normal(size=(30, 2))
    model = KAnonymousClustering(n_clusters=3).fit(points)
    back = KAnonymousClustering.from_dict(json.loads(model.to_json()))
    assert np.array_equal(back.predict(points), model.labels_)
    assert not hasattr(back, "feature_names_in_")


def test_the_command_reads_it(model, table, tmp_path):
    model.to_json(tmp_path / "clusters.json")
    table.to_csv(tmp_path / "table.csv", index=False)
    SCHEMA.to_toml(tmp_path / "schema.toml")
    asked = [str(tmp_path / name) for name in ("clusters.json", "table.csv")]
    asked = ["audit", *asked, "-s", str(tmp_path / "schema.toml")]
    assert CliRunner().invoke(app, [*asked, "-k", "5"]).exit_code == 0
    assert CliRunner().invoke(app, [*asked, "-k", "100"]).exit_code == 1
    loaded = load_model(tmp_path / "clusters.json")
    with pytest.raises(TableError, match="not the training table"):
        audit(loaded, table.iloc[:-3], SCHEMA, k=5)
    assert audit(loaded, table.iloc[:-3], SCHEMA, k=1, check_table=False).n_rows == 117


def test_no_value_of_a_person_is_written(model, table):
    """The least and largest pay, and everybody else's, are in no file unless declared."""
    written = json.loads(model.to_json())
    numbers = set(_numbers({**written, "centers": []}))
    assert numbers.isdisjoint(table["pay"])
    assert "labels" not in written
    assert model.center_rows_.min() >= 5
    low, high = written["space"][2]["range"]  # round numbers around everybody's
    assert low <= table["pay"].min() <= table["pay"].max() <= high
    declared = KAnonymousClustering(SCHEMA, 5, min_rows=5, domain={"pay": (0, 9000)}).fit(table)
    assert json.loads(declared.to_json())["space"][2]["range"] == [0, 9000]
    back = KAnonymousClustering.from_dict(json.loads(declared.to_json()))
    assert audit(back, table, SCHEMA, k=5).is_safe


def _numbers(part):
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list):
        return [number for one in part for number in _numbers(one)]
    return [part] if isinstance(part, float) else []


PUT = [None, True, -1, 0, 2**70, 1e308, float("nan"), float("inf"), "", "x", [], {}, [1], [[1]]]


def _places(part, way=()):
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, below in items:
        yield (*way, key)
        if isinstance(below, dict | list):
            yield from _places(below, (*way, key))


def test_changed_files_are_refused_or_work(model, table):
    """Sealed again by whoever changed them: a digest is no signature."""
    rng, plain = random.Random(6), json.loads(model.to_json())
    places = [way for way in _places(plain) if way[0] != "digest"]
    refused = 0
    for _ in range(400):
        changed = copy.deepcopy(plain)
        *way, last = rng.choice(places)
        part = functools.reduce(lambda whole, key: whole[key], way, changed)
        if rng.random() < 0.3:
            del part[last]
        else:
            part[last] = rng.choice(PUT)
        try:
            loaded = KAnonymousClustering.from_dict(seal(changed))
        except ShoalError:
            refused += 1
            continue
        loaded.predict(table)
        assert json.loads(loaded.to_json()) | {"shoal": "", "digest": ""} == changed | {
            "shoal": "",
            "digest": "",
        }
    assert refused > 250


def test_a_mean_of_few_people_is_not_written(table):
    model = KAnonymousClustering(SCHEMA, KAnonymity(5) & DistinctDiversity(2)).fit(table)
    model.center_rows_ = np.minimum(model.center_rows_, 4)
    with pytest.raises(ParameterError, match="Fit with min_rows=5"):
        model.to_json()


def test_what_is_not_a_clustering(model, tmp_path):
    with pytest.raises(TableError, match="not a clustering"):
        KAnonymousClustering.from_dict({"format": "shoal-tree"})
    with pytest.raises(TableError, match="version 9"):
        KAnonymousClustering.from_dict(model.to_dict() | {"version": 9})
    (tmp_path / "no.json").write_text("{")
    with pytest.raises(TableError, match="not JSON"):
        KAnonymousClustering.from_json(tmp_path / "no.json")


def test_the_guarantee_is_a_sentence_without_values(model):
    said = model.guarantee()
    assert said.startswith("Of 120 people")
    silent = KAnonymousClustering(n_clusters=2).fit(np.arange(20.0)[:, None])
    assert silent.guarantee().endswith("nothing private.")


@pytest.mark.parametrize("way", [pickle.dumps, copy.copy, copy.deepcopy])
def test_no_file_or_copy_has_a_centroid_that_is_one_person(table, way):
    alone = table.copy()
    alone.loc[7, ["age", "pay"]] = [300.0, 98_765.0]
    model = KAnonymousClustering(SCHEMA, 5).fit(alone)
    told = model.cluster_centers_[:, -1] * model.space_.axes[-1].spread
    away = np.abs(told + model.space_.axes[-1].origin - 98_765.0)
    assert away.min() < 20_000  # the others have 3,000 or so
    with pytest.raises(ParameterError, match="Fit with min_rows=5") as refused:
        way(model)
    assert "98" not in str(refused.value)
    way(KAnonymousClustering(SCHEMA, 5, min_rows=5).fit(alone))
    way(KAnonymousClustering(SCHEMA, 5))


@pytest.mark.parametrize("scale", [True, False])
def test_what_private_columns_are_scaled_by_is_no_sum_over_people(scale):
    """Of the one person who has anything, or of the one whom somebody does not know."""
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"age": rng.integers(20, 60, 300) * 1.0, "pay": np.zeros(300)})
    rows.loc[17, "pay"] = 52_311.0
    schema = Schema({name: SCHEMA[name] for name in ("age", "pay")})

    def said(pay):
        one = rows.assign(pay=rows["pay"].where(rows["pay"] == 0, pay))
        model = KAnonymousClustering(schema, 5, min_rows=5, scale=scale, domain={"pay": (0, 1e5)})
        data = model.fit(one).to_dict()
        return data["space"][1], data["tie"]

    axis, tie = said(52_311.0)
    near = [said(52_311.0 + more) for more in (-12_000, -900, -1, 1, 300, 2_000)]
    assert all(found == (axis, tie) for found in near)
    for told in (axis["origin"], axis["spread"], axis["spread"] ** 2, tie / 1e-9):
        assert abs(told * 300 - 52_311) > 500
    assert (axis["origin"], axis["spread"]) == ((0.0, 2000.0) if scale else (0.0, 1.0))
    public = KAnonymousClustering(n_clusters=2).fit(rows[["age"]]).space_.axes[0]
    assert public.origin == rows["age"].mean()  # which anybody knows


def test_a_spread_that_many_people_have_is_told_in_two_digits():
    rng = np.random.default_rng(3)
    rows = pd.DataFrame({"age": rng.integers(20, 60, 300) * 1.0, "pay": rng.normal(0, 3333, 300)})
    schema = Schema({name: SCHEMA[name] for name in ("age", "pay")})
    for few in (0, 4):  # of whom two digits would tell about what they have
        rows.loc[: few - 1, "pay"] = 100_000.0
        model = KAnonymousClustering(schema, 5, domain={"pay": (-2e5, 2e5)}).fit(rows)
        told = model.space_.axes[1].spread
        near = rows["pay"].std()
        assert (told == float(f"{near:.1e}")) == (few == 0)
        assert 0.6 < told / near < 1.6


@pytest.mark.parametrize("seed", range(3))
def test_who_is_in_a_cluster_is_not_computed_from_public_coordinates(seed):
    """Ages and weights are known to four digits, and everybody in a span is in one of two clusters.

    Of exact means one choice of people alone has them, and tells of everybody whether the pay is
    high.  Of what is published many a choice at random has the same.
    """
    rng, n, k = np.random.default_rng(seed), 24, 5
    people = {"age": rng.uniform(20, 80, n).round(2), "weight": rng.uniform(50, 100, n).round(2)}
    pay = np.where(rng.random(n) < 0.5, rng.normal(2000, 100, n), rng.normal(9000, 100, n)).round()
    table = pd.DataFrame(people | {"pay": pay})
    roles = {"age": "quasi-identifier", "weight": "quasi-identifier", "pay": "sensitive"}
    schema = Schema({name: {"role": role, "kind": "numeric"} for name, role in roles.items()})
    model = KAnonymousClustering(schema, k, min_rows=k, domain={"pay": (0, 12_000)}).fit(table)
    spans, span_of_row, _ = model.find_spans(table)
    assert not spans.is_single.any()
    data = model.to_dict()
    axes = zip(people.values(), data["space"], strict=False)
    known = np.column_stack([(own - axis["origin"]) / axis["spread"] for own, axis in axes])
    assert len(data["centers"]) > 1
    for cluster, (centre, rows) in enumerate(
        zip(data["centers"], data["center_rows"], strict=True)
    ):
        may = [row for row in range(n) if cluster in spans.bins_of(int(span_of_row[row]))]
        choices = [rng.choice(may, rows, replace=False) for _ in range(1000)]
        sums = known[np.array(choices)].sum(axis=1)
        alike = (
            np.abs(sums - np.array(centre[:2]) * rows) <= k * 0.5 / 2
        )  # as 1.0 is told in halves
        assert alike.all(axis=1).sum() > 5
        told = np.array(centre) * rows / (k * 0.5)
        assert np.allclose(told, np.round(told), atol=1e-9)


def test_a_model_that_tells_nothing_private_has_exact_means():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    model = KAnonymousClustering(n_clusters=2, min_rows=5).fit(rows)
    sums = (model.cluster_centers_ * model.center_rows_[:, None]).sum(axis=0)
    assert np.allclose(sums, 0)  # of all rows, scaled
    assert not np.allclose(model.cluster_centers_, model.cluster_centers_.round(1))
