"""Releases by regions: their files, their figures, and what they lose against one search."""

import json
import sys

import numpy as np
import pytest
from typer.testing import CliRunner

import shoal
from shoal.anonymize._registry import make_method
from shoal.anonymize.regions._region_solver import RegionSolver
from shoal.cli import app
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.errors import GuaranteeError, InfeasibleError, MissingExtraError, ParameterError
from shoal.privacy import KAnonymity, KMap, LKCPrivacy, Requirement
from shoal.tables import RowOptions
from shoal.tables.forms._label_ends import label_ends
from tests.extras import need


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    path = folder / "people.csv"
    path.write_bytes(census(1500).path().read_bytes())
    census_schema().to_toml(folder / "people.toml")
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small tables are cut here, too: what is tested does not depend on what borders cost."""
    monkeypatch.setattr("shoal.anonymize.regions._release_by_regions.LEAST_GROUPS", 1)


@pytest.mark.parametrize("method", ["mondrian", "local", "constrained"])
def test_eight_regions_lose_at_most_five_per_cent_more(people, method):
    whole = make_method(method, census_schema(), 5).fit(people).release_
    parts = make_method(method, census_schema(), 5).fit(people, regions=8).release_
    assert parts.n_regions >= 6
    assert parts.metrics.loss <= 1.05 * whole.metrics.loss
    assert parts.metrics_before.n_groups == whole.metrics_before.n_groups
    assert parts.risk_before == whole.risk_before


@pytest.mark.parametrize("method", ["mondrian", "local"])
def test_regions_are_not_so_small_that_borders_cost_much(people, method, monkeypatch):
    monkeypatch.undo()
    asked = make_method(method, census_schema(), 5).fit(people, regions=100).release_
    # 1,500 rows: halved as long as a half has room for about a hundred groups of five
    assert 1 < asked.n_regions <= 5
    whole = make_method(method, census_schema(), 5).fit(people).release_
    assert asked.metrics.loss <= 1.05 * whole.metrics.loss


def test_one_region_has_the_figures_of_one_search(people):
    whole = make_method("mondrian", census_schema(), 5).fit(people).release_
    one = make_method("mondrian", census_schema(), 5).fit(people, regions=1).release_
    ours, theirs = one.to_dict(), whole.to_dict()
    assert one.n_regions == 1
    assert ours["risk"] == theirs["risk"]
    assert ours["reached"] == theirs["reached"]
    for when in ("before", "after"):
        for name, value in theirs["metrics"][when].items():
            assert ours["metrics"][when][name] == pytest.approx(value), name


def test_the_command_writes_files_that_may_be_published(people, tmp_path):
    out = tmp_path / "out.csv"
    asked = ["anonymize", str(people), "-s", str(people.with_suffix(".toml")), "-k", "5",
             "-m", "mondrian", "--regions", "4", "-o", str(out), "--json"]  # fmt: skip
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    manifest = json.loads((tmp_path / "out.manifest.json").read_text("utf-8"))
    assert manifest["regions"] == said["regions"] > 1
    assert manifest["released_rows"] == 1500
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.csv", "out.manifest.json", "out.private", "out.schema.toml"
    ]  # fmt: skip
    checked = CliRunner().invoke(
        app, ["check", str(out), "-s", str(people.with_suffix(".toml")), "-k", "5"]
    )
    assert checked.exit_code == 0, checked.output
    assert CliRunner().invoke(app, asked[:-1]).exit_code != 0  # it is there already
    shown = CliRunner().invoke(app, [*asked[:-1], "--force"])
    assert shown.exit_code == 0, shown.output
    assert "regions" in shown.output


def test_a_number_that_is_none_is_refused(people, tmp_path):
    asked = ["anonymize", str(people), "-s", str(people.with_suffix(".toml")), "-k", "5",
             "-o", str(tmp_path / "out.csv"), "--regions"]  # fmt: skip
    for wrong in ("0", "many", "-3"):
        done = CliRunner().invoke(app, [*asked, wrong])
        assert done.exit_code == 2
        assert "auto" in done.output
    for wrong in (0, True, 1.5, "many"):
        with pytest.raises(ParameterError, match="above 0"):
            make_method("mondrian", census_schema(), 5).fit(people, regions=wrong)


@pytest.mark.parametrize(
    ("method", "output"),
    [
        ("tree", RowOptions()),
        ("mondrian", RowOptions(form="means")),
        ("full-domain", RowOptions(form="draws")),
        ("mondrian", RowOptions(ranges=("age",))),
        ("top-down", RowOptions(key=b"0" * 32)),
    ],
)
def test_what_needs_the_whole_table_is_refused_with_advice(people, method, output):
    with pytest.raises(ParameterError, match=r"[Ll]eave regions out"):
        make_method(method, census_schema(), 5).fit(people, regions=4, output=output)


@pytest.mark.parametrize("form", ["intervals", "midpoints"])
def test_forms_are_made_of_the_labels(people, tmp_path, form):
    """The judge makes every cell again from its label, and the groups are counted as written."""
    asked = [make_method("mondrian", census_schema(), 5) for _ in range(2)]
    plain = asked[0].fit(people, regions=4, output=RowOptions(shuffle=1)).release_
    formed = asked[1].fit(people, regions=4, output=RowOptions(shuffle=1, form=form)).release_
    assert formed.n_regions == plain.n_regions > 1
    ages = plain.table.project("age").fetchall()
    ends = [label_ends(label, "numeric") for (label,) in ages]
    if form == "intervals":
        wanted = [(low, high) for low, high, _ in ends]
        assert formed.table.project("age_low, age_high").fetchall() == wanted
    else:
        wanted = [None if low is None else float(low + high) / 2 for low, high, _ in ends]
        assert [age for (age,) in formed.table.project("age").fetchall()] == wanted
    assert formed.groups.sizes == plain.groups.sizes
    paths = formed.write(tmp_path / "out.csv")
    assert json.loads(paths["manifest"].read_text())["form"] == form


def test_the_judge_withholds_middles_that_are_not_those_of_their_labels(people):
    output = RowOptions(form="midpoints")
    made = make_method("mondrian", census_schema(), 5).fit(people, regions=3, output=output)
    rows, plain = made.release_.rows, made.release_.rows._select

    def wrong(output):
        select, witness = plain(output)
        return select.replace("THEN NULL ELSE o.f2 ", "THEN NULL ELSE o.f2 + 1 "), witness

    rows._select = wrong
    with pytest.raises(GuaranteeError, match="'age'"):
        _ = made.release_.table


@pytest.mark.parametrize("method", ["mondrian", "top-down"])
def test_people_with_several_rows_are_refused_with_advice(method):
    schema = shoal.Schema({"who": {"role": "subject"}, "age": {"role": "quasi-identifier"}})
    with pytest.raises(ParameterError, match="'who'"):
        make_method(method, schema, 2).fit({"who": [1, 1, 2], "age": [3, 3, 4]}, regions=2)


@pytest.mark.parametrize("method", ["local", "bottom-up"])
def test_promises_that_count_over_the_whole_are_refused_with_advice(people, method):
    for promise in (LKCPrivacy(2, 5), Requirement(("age", "sex"), 3), KMap(5)):
        with pytest.raises(ParameterError, match="Leave regions out"):
            make_method(method, census_schema(), KAnonymity(5) & promise).fit(people, regions=4)


def test_small_tables_are_not_cut_by_themselves(people):
    release = shoal.release(people, census_schema(), 5, method="mondrian", regions="auto")
    assert not hasattr(release, "n_regions")


def test_large_tables_are_cut_by_themselves(people, monkeypatch):
    monkeypatch.setattr("shoal.anonymize._anonymizer.ROWS_WORTH_A_LOOK", 1000)
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.BYTES_PER_CELL", 4_000_000)
    release = shoal.release(people, census_schema(), 5, method="mondrian")
    assert release.n_regions > 1
    # few combinations: one search will do, however many rows
    monkeypatch.setattr("shoal.tables.engines.regions._open_regions.BYTES_PER_CELL", 1_500_000)
    assert not hasattr(shoal.release(people, _few(), 5, method="mondrian"), "n_regions")
    # what cannot be made in regions is left as it was
    asked = RowOptions(ranges=("age",))
    whole = make_method("mondrian", census_schema(), 5).fit(people, output=asked).release_
    assert not hasattr(whole, "n_regions")


def _few():
    schema = census_schema()
    return type(schema)(
        {
            name: {"role": "insensitive"}
            if schema[name].role == "quasi-identifier" and name not in ("sex", "age")
            else schema[name]
            for name in schema
        }
    )


def test_the_judge_withholds_labels_that_are_not_true(people):
    release = make_method("mondrian", census_schema(), KAnonymity(5)).fit(people, regions=3)
    rows = release.release_.rows
    vocabulary = rows._vocabulary[0]
    first, second = [text for text in vocabulary if text not in (None, "*")][:2]
    vocabulary[first], vocabulary[second] = vocabulary[second], vocabulary[first]
    with pytest.raises(GuaranteeError):
        _ = release.release_.table


def test_tables_in_memory_are_taken_too():
    need("pyarrow")
    table = {"age": list(range(40)) * 3, "sex": ["f", "m", None] * 40}
    schema = shoal.Schema({"age": {"role": "quasi-identifier", "kind": "numeric"},
                           "sex": {"role": "quasi-identifier"}})  # fmt: skip
    release = shoal.release(table, schema, 3, method="local", regions=3)
    assert release.table.aggregate("count(*)").fetchall() == [(120,)]
    assert release.reached[0].holds


def test_without_pyarrow_a_table_in_memory_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="PyArrow"):
        make_method("mondrian", LIMITED, 5).fit(limited_table(), regions=4)


def test_new_rows_cannot_be_recoded_and_it_is_said_why(people, tmp_path):
    out = tmp_path / "out.csv"
    shoal.release(people, census_schema(), 5, method="mondrian", regions=2).write(out)
    done = CliRunner().invoke(app, ["apply", str(out), str(people), "-o", str(tmp_path / "x.csv")])
    assert done.exit_code == 2
    assert "by regions has none" in " ".join(done.output.split())


LIMITED = shoal.Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "city": {
            "role": "quasi-identifier",
            "limit": ["N", "S", "W"],
            "hierarchy": {"tree": {"N": ["Kiel", "Bonn"], "S": ["Ulm", "Hof"], "W": ["Trier"]}},
        },
    }
)
FEW = 3
"""Rows of a limit that has too few: nothing protects them."""


def limited_table():
    ages = [(7 * i) % 60 for i in range(300)]
    cities = [["Kiel", "Bonn", "Ulm", "Hof"][(i * i + i // 3) % 4] for i in range(300)]
    return {"age": [*ages, 5, 30, 55], "city": [*cities, *["Trier"] * FEW]}


def test_limits_are_kept_and_no_more_rows_are_left_out_than_in_one_search():
    need("pyarrow")
    release = make_method("constrained", LIMITED, 5).fit(limited_table(), regions=4).release_
    assert release.n_regions > 1
    assert release.n_suppressed == FEW
    written = release.table.fetchall()
    assert len(written) == 300
    assert {city for _, city in written} <= {"N", "S", "Kiel", "Bonn", "Ulm", "Hof"}


def test_what_no_region_can_mend_is_said():
    need("pyarrow")
    with pytest.raises(InfeasibleError):
        make_method("mondrian", LIMITED, 5).fit(limited_table(), regions=4)


def test_a_time_limit_is_divided_among_regions(people):
    method = make_method("local", census_schema(), 5, {"time_limit": 60.0})
    whole = method.fit(people, regions=3).release_
    assert whole.reached[0].holds
    solver = RegionSolver(method, KAnonymity(5), (), {}, (np.array([1500]),))
    assert solver._with_its_time(500).time_limit == pytest.approx(20.0)
    assert method.time_limit == 60.0


def test_an_order_that_tells_something_is_told(people):
    output = RowOptions(keep_order=True)
    release = make_method("mondrian", census_schema(), 5).fit(people, regions=2, output=output)
    manifest = release.release_.to_dict()
    assert manifest["order"] == "input"
    assert any("order of the input" in note for note in manifest["notes"])
    whole = make_method("mondrian", census_schema(), 5).fit(people, output=output).release_
    counted = [name for name in census_schema() if census_schema()[name].role == "sensitive"]
    rows = release.release_.table.select(*counted).fetchall()
    assert rows == whole.table.select(*counted).fetchall()  # row by row as in the input


@pytest.mark.parametrize("method", ["mondrian", "local", "constrained"])
@pytest.mark.parametrize("regions", [1, 2])
def test_a_value_that_is_written_like_the_root_is_told_from_it(tmp_path, method, regions):
    path = tmp_path / "wards.csv"
    wards = ["*", "east", "north", "west", "*", "south"]
    lines = [f"{wards[i * 5 % 6]},{i % 2}" for i in range(24)]
    path.write_text("\n".join(["ward,sex", *lines]) + "\n")
    known = {"role": "quasi-identifier"}
    schema = shoal.Schema({"ward": known, "sex": known})
    for k in (2, 5, 12):  # judged, which it did not pass where a label was the root's
        release = make_method(method, schema, k).fit(path, regions=regions).release_
        assert len(release.table.fetchall()) == 24
