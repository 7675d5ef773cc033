import csv
from collections import defaultdict

import numpy as np
import pytest

from shoal.anonymize import Microaggregation, check_table
from shoal.anonymize._registry import make_method
from shoal.anonymize._release_files import require_labels
from shoal.errors import InfeasibleError, ParameterError, TableError
from shoal.privacy import DistinctDiversity, EntropyDiversity, KAnonymity, KMap, LKCPrivacy
from shoal.schema import Schema
from shoal.tables import RowOptions, open_table
from tests.extras import need
from tests.reference import microaggregation as slow

pd = need("pandas")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "pay": {"role": "quasi-identifier", "kind": "numeric", "lines": 50},
        "height": {"role": "quasi-identifier", "kind": "numeric"},
        "born": {"role": "quasi-identifier", "kind": "date"},
        "town": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "row": {"role": "insensitive", "kind": "numeric"},
        "ill": {"role": "sensitive"},
    }
)
NUMBERS = ["age", "pay", "height"]
KEYS = [*NUMBERS, "born", "town"]


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "pay": rng.lognormal(8, 0.5, n).round(2),
            "height": rng.normal(1.75, 0.1, n).round(2),
            "born": pd.to_datetime("1950-01-01") + pd.to_timedelta(rng.integers(0, 9000, n), "D"),
            "town": rng.choice(["1011", "1012", "2001", "2002"], n),
            "row": np.arange(n),
            "ill": rng.choice(["flu", "gout", "cold"], n),
        }
    )


@pytest.mark.parametrize("search", ["mdav", "exchange"])
def test_written_values_are_means_of_at_least_k_people(tmp_path, search):
    """By a reader that shares nothing with the package."""
    table = people()
    method = Microaggregation(SCHEMA, 4, search=search).fit(table)
    method.release_.write(tmp_path / "out.csv")
    groups = defaultdict(list)
    with (tmp_path / "out.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            groups[tuple(row[name] for name in KEYS)].append(int(row["row"]))
    assert min(map(len, groups.values())) >= 4
    assert sum(map(len, groups.values())) == len(table)
    for key, rows in groups.items():
        for name, step in (("age", 1), ("pay", 50), ("height", 0.01)):
            written = float(key[KEYS.index(name)])
            assert abs(written - table[name][rows].mean()) <= step / 2 + 1e-6
            assert abs(written / step - round(written / step)) < 1e-6
        days = table["born"][rows].astype("datetime64[ns]").astype("int64") / 86_400e9
        written = pd.Timestamp(key[3])
        assert abs(written.value / 86_400e9 - days.mean()) <= 0.5
        town = key[4]
        assert all(town in ("*", own) or own.startswith(town[0]) for own in table["town"][rows])


def test_types_are_kept():
    released = Microaggregation(SCHEMA, 4).fit(people()).release_.table
    kinds = {name: released[name].dtype.kind for name in KEYS[:4]}
    assert kinds == {"age": "i", "pay": "i", "height": "f", "born": "M"}


@pytest.mark.parametrize("seed", range(5))
def test_one_column_is_grouped_at_the_least_cost(seed):
    rng = np.random.default_rng(seed)
    ages = rng.choice(60, 9, replace=False)
    schema = Schema({"age": SCHEMA["age"]})
    method = Microaggregation(schema, 3).fit(pd.DataFrame({"age": ages}))
    whole = slow.sum_of_squares([[[float(age)] for age in ages]])
    best = slow.least_sum_of_squares([[float(age)] for age in ages], 3)
    assert method.lost_ == pytest.approx(best / whole)
    with pytest.raises(ParameterError, match="one numeric or date"):
        Microaggregation(SCHEMA, 3, search="exact").fit(people())


def test_a_group_with_a_missing_value_has_no_mean():
    table = people(60).astype({"age": float})
    table.loc[[1, 2, 3], "age"] = np.nan
    released = Microaggregation(SCHEMA, 3).fit(table).release_.table
    hidden = set(released["row"][released["age"].isna()])
    assert {1, 2, 3} <= hidden
    sizes = released.fillna({"age": -1}).groupby(KEYS).size()
    assert sizes.min() >= 3


@pytest.mark.parametrize("model", [DistinctDiversity(2), EntropyDiversity(1.5)])
def test_groups_are_diverse_as_they_are_written(model):
    asked = KAnonymity(3) & model
    release = Microaggregation(SCHEMA, asked).fit(people()).release_
    schema = SCHEMA.replace(**{name: {"role": "quasi-identifier"} for name in KEYS})
    assert check_table(release.table, schema, asked).holds


def test_rounded_means_that_become_equal_are_one_group(tmp_path):
    schema = Schema({"pay": {"role": "quasi-identifier", "kind": "numeric", "lines": 100}})
    release = Microaggregation(schema, 2).fit({"pay": [101, 102, 140, 141, 990, 992]}).release_
    assert sorted(release.table["pay"].tolist()) == [100] * 4 + [1000] * 2


def test_any_method_can_be_written_as_means():
    release = make_method("mondrian", SCHEMA, 4).fit(people(), output=RowOptions(form="means"))
    assert release.release_.table["age"].dtype.kind == "i"
    assert "means of their group" in " ".join(release.release_.to_dict()["notes"])


def test_microaggregation_can_be_written_as_labels():
    labels = Microaggregation(SCHEMA, 4).fit(people(), output=RowOptions()).release_.table
    assert labels["age"].str.startswith("[").any()


def test_what_reads_labels_says_that_means_are_none(tmp_path):
    Microaggregation(SCHEMA, 4).fit(people()).release_.write(tmp_path / "out.csv")
    with pytest.raises(TableError, match=r"holds means of groups.*take any table"):
        require_labels(tmp_path / "out.csv", "a report")


def test_promises_about_others_are_refused_for_means():
    """A mean does not say who of a population fits it, nor is it of groups by one column."""
    everybody = open_table(people()).compress(SCHEMA).cells
    for asked, said in (
        (KAnonymity(3) & KMap(2, population=everybody), "a population"),
        (KAnonymity(3) & LKCPrivacy(1, 5), "some of the columns"),
    ):
        with pytest.raises(ParameterError, match=said):
            Microaggregation(SCHEMA, asked).fit(people())


def test_what_is_refused():
    with pytest.raises(ParameterError, match="mean of one row"):
        Microaggregation(SCHEMA, 1).fit(people(10))
    with pytest.raises(ParameterError, match="search must be one of"):
        Microaggregation(SCHEMA, 2, search="best").fit(people(10))
    with pytest.raises(ParameterError, match="max_suppression"):
        Microaggregation(SCHEMA, 2, max_suppression=2).fit(people(10))
    with pytest.raises(InfeasibleError):
        Microaggregation(SCHEMA, 11).fit(people(10))
    for output in ({"ranges": ("age",)}, {"keep_suppressed": True}):
        with pytest.raises(ParameterError, match="beside means"):
            RowOptions(form="means", **output)


def test_the_manifest_does_not_say_whether_somebody_of_a_group_is_far_out():
    """Two tables with the same means: in one of them nobody has the mean of the second group."""
    told = []
    for pays in ([900, 900, 900], [400, 900, 1400]):
        table = pd.DataFrame({"pay": [1, 2, 3, *pays]})
        method = Microaggregation(Schema({"pay": SCHEMA["pay"]}), 3).fit(table)
        released = sorted(method.release_.table["pay"])
        told.append((released, method.release_.to_dict()["notes"], method.aside_))
    assert told[0][:2] == told[1][:2]
    assert told[0][2] != told[1][2]
