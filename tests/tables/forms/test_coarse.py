import csv
import functools
from collections import Counter

import numpy as np
import pytest

from shoal.anonymize import Mondrian
from shoal.anonymize._recheck import recheck
from shoal.errors import GuaranteeError, InfeasibleError, SchemaError, TableError
from shoal.judge._text_table import TextColumn
from shoal.judge.numbers._coarse import judge_coarse
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Column, Schema
from shoal.tables import RowOptions
from shoal.tables.forms._coarse import coarse_values
from tests import engines
from tests.extras import need

pd = need("pandas")

SCHEMA = Schema(
    {
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "pay": {"role": "sensitive", "kind": "numeric", "round_to": 500, "top": 4000},
        "dose": {"role": "insensitive", "kind": "numeric", "round_to": 0.25, "bottom": 0.5},
        "cap": {"role": "insensitive", "kind": "numeric", "top": 7},
    }
)


def people(n=60):
    rng = np.random.default_rng(0)
    return {
        "age": rng.integers(20, 60, n).tolist(),
        "pay": rng.lognormal(7.5, 0.5, n).round(2).tolist(),
        "dose": [None if x > 2.9 else round(float(x), 3) for x in rng.uniform(0, 3, n)],
        "cap": rng.integers(0, 12, n).tolist(),
    }


@functools.cache  # several engines are asked for the same table
def slow(value, step=None, bottom=None, top=None):
    if value is None:
        return None
    if step is not None:
        value = min((abs(value - step * i), -i) for i in range(-99, 40_000))[1] * -step
    value = value if bottom is None else max(value, bottom)
    return value if top is None else min(value, top)


@pytest.mark.parametrize("engine", [name for name in engines.ENGINES if name != "spark"])
def test_every_engine_writes_what_the_lines_make(engine, tmp_path):
    table = people()
    output = RowOptions(keep_order=True)
    made = engines.make(engine, table, tmp_path)
    release = Mondrian(SCHEMA, 4).fit(made, output=output).release_
    rows = engines.rows(release.table)
    assert [row[1] for row in rows] == [slow(v, 500, top=4000) for v in table["pay"]]
    assert [row[2] for row in rows] == [slow(v, 0.25, bottom=0.5) for v in table["dose"]]
    assert [row[3] for row in rows] == [slow(v, top=7) for v in table["cap"]]
    assert all(isinstance(row[3], int) for row in rows)
    release.write(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        pays = [float(row["pay"]) for row in csv.DictReader(file)]
    assert pays == [slow(v, 500, top=4000) for v in table["pay"]]


def test_diversity_is_counted_on_what_is_written():
    """Pays that differ by a few cents are no two values once they are rounded."""
    table = {
        "age": [30, 30, 30, 40, 40, 40],
        "pay": [1010.0, 1020.0, 1030.0, 1010.0, 2010.0, 3010.0],
        "dose": [1.0] * 6,
        "cap": [1] * 6,
    }
    release = Mondrian(SCHEMA, KAnonymity(3) & DistinctDiversity(2)).fit(table).release_
    assert release.recoded.groups.n_groups == 1
    assert Counter(release.table["pay"].tolist())[1000] == 4


def test_the_judge_makes_every_value_again():
    release = Mondrian(SCHEMA, 4).fit(pd.DataFrame(people())).release_
    given = release.compressed.rows(release.recoded, release.output)
    parts = (release.schema, release.privacy, release.output, release.recoded, given.witness)
    recheck(given.table, *parts)
    for name, shift in (("pay", 500), ("pay", 1), ("dose", 0.25), ("cap", -1)):
        spoilt = given.table.copy()
        spoilt.loc[0, name] = (spoilt.loc[0, name] or 0) + shift
        with pytest.raises(GuaranteeError, match=f"{name!r}: 1 rows"):
            recheck(spoilt, *parts)


@pytest.mark.parametrize(
    ("cell", "value", "fine"),
    [("1.01", "1.005", True), ("1.0", "1.005", True), ("1.02", "1.005", False),
     ("1.00", "1.004", True), ("1.01", "1.004", False), (None, None, True), ("", "1", False),
     ("1", None, False), ("x", "1", False), ("3", "9", True), ("9", "9", False)],
)  # fmt: skip
def test_a_half_has_two_nearest_multiples(cell, value, fine):
    column = Column("insensitive", "numeric", round_to=0.01, top=3)
    one = np.zeros(1, np.int32)
    parts = (TextColumn(one, (cell,)), TextColumn(one, (value,)), one, column)
    if fine:
        judge_coarse("x", *parts)
    else:
        with pytest.raises(GuaranteeError):
            judge_coarse("x", *parts)


def test_lines_are_written_and_read(tmp_path):
    SCHEMA.to_toml(tmp_path / "s.toml")
    assert Schema.from_toml(tmp_path / "s.toml")["dose"] == SCHEMA["dose"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"role": "quasi-identifier", "kind": "numeric", "top": 9}, "coarsened by its hierarchy"),
        ({"role": "sensitive", "top": 9}, "kind numeric"),
        ({"role": "sensitive", "kind": "numeric", "round_to": 0}, "above 0"),
        ({"role": "sensitive", "kind": "numeric", "top": 1, "bottom": 2}, "below top"),
        ({"role": "sensitive", "kind": "numeric", "top": "high"}, "must be a number"),
    ],
)
def test_lines_that_make_no_sense_are_refused(column, said):
    with pytest.raises(SchemaError, match=said):
        Schema({"x": column})


def test_values_that_are_no_numbers_are_refused(tmp_path):
    with pytest.raises(TableError, match="no numbers"):
        coarse_values(Column("insensitive", "numeric", top=3), ["many"])
    path = tmp_path / "people.csv"
    path.write_text("age,pay,dose,cap\n30,100,1,few\n30,100,1,2\n")
    with pytest.raises(TableError, match=r"'cap'.*no numbers"):
        Mondrian(SCHEMA, 2).fit(path).release_.write(tmp_path / "out.csv")


def with_beyond(*pays, beyond=3, **more):
    pay = {"role": "insensitive", "kind": "numeric", "beyond": beyond, **more}
    schema = Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}, "pay": pay})
    return schema, {"age": [30] * len(pays), "pay": list(pays)}


@pytest.mark.parametrize("lines", [{"top": 9}, {"bottom": 9}, {"top": 9, "bottom": 1}])
@pytest.mark.parametrize("n_beyond", range(5))
def test_enough_people_are_at_a_line_or_nobody(lines, n_beyond, tmp_path):
    outside = 20 if lines == {"top": 9} else 0.5
    inside = 5 if lines != {"bottom": 9} else 50
    schema, table = with_beyond(*[outside] * n_beyond, *[inside] * 8, **lines)
    release = Mondrian(schema, 2).fit(table).release_
    if 0 < n_beyond < 3:
        with pytest.raises(InfeasibleError, match="of column 'pay': needs 3"):
            release.write(tmp_path / "out.csv")
        assert not list(tmp_path.iterdir())
        with pytest.raises(InfeasibleError):
            assert release.table
    else:
        release.write(tmp_path / "out.csv")


def test_who_is_at_a_line_by_own_value_counts_too():
    schema, table = with_beyond(9, 9, 20, 5, 5, 5, top=9)
    assert Mondrian(schema, 2).fit(table).release_.table["pay"].max() == 9


def test_people_are_counted_not_their_rows():
    schema, table = with_beyond(*[20] * 4, *[5] * 8, top=9)
    schema = schema.replace(who={"role": "subject"})
    one = table | {"who": [1, 1, 1, 2, *range(3, 11)]}
    with pytest.raises(InfeasibleError, match="best reachable is 2"):
        assert Mondrian(schema, 2).fit(one).release_.table
    several = table | {"who": [1, 1, 2, 3, *range(4, 12)]}
    assert len(Mondrian(schema, 2).fit(several).release_.table) == 12


@pytest.mark.parametrize("more", [{"beyond": 1, "top": 9}, {"round_to": 5}, {"beyond": 2.5}])
def test_a_number_of_people_needs_a_line(more):
    with pytest.raises(SchemaError, match="beyond"):
        with_beyond(1, **more)
