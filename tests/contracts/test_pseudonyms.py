"""Tokens and shifted dates: one key, one person, and nothing that the judge did not make again."""

import csv
import datetime as dt
import random
from collections import defaultdict

import pytest

import shoal
from shoal.anonymize import Mondrian
from shoal.anonymize._recheck import recheck
from shoal.errors import GuaranteeError, ParameterError, SchemaError
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import RowOptions
from shoal.tables._keyed import make_token
from tests.extras import need

pd = need("pandas")

KEY, OTHER = bytes(range(32)), bytes(32)
SCHEMA = Schema(
    {
        "id": {"role": "pseudonym"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "visit": {"role": "insensitive", "kind": "date", "shift": "30 days"},
        "ill": {"role": "sensitive"},
    }
)


def people(n=20):
    rng = random.Random(5)
    rows = []
    for person in range(n):
        age = rng.randint(20, 79)
        for _ in range(rng.randint(1, 4)):
            day = dt.date(2020, 1, 1) + dt.timedelta(days=rng.randint(0, 300))
            rows.append((f"P{person:03}", age, day, rng.choice(["flu", "gout", "none"])))
    return pd.DataFrame(rows, columns=list(SCHEMA))


def fit(table, schema=SCHEMA, **options):
    output = RowOptions(keep_order=True, **options)
    return Mondrian(schema, KAnonymity(3)).fit(table, output=output).release_


@pytest.fixture(params=["frame", "file"])
def table(request, tmp_path):
    frame = people()
    if request.param == "frame":
        return frame
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def test_tokens_and_intervals_stay_with_a_person(table, tmp_path):
    path = fit(table, key=KEY).write(tmp_path / "out.csv")["table"]
    raw = people()
    with path.open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["id"] for row in written] == [make_token(KEY, name) for name in raw["id"]]
    moved = defaultdict(set)
    for row, day in zip(written, raw["visit"], strict=True):
        moved[row["id"]].add((dt.date.fromisoformat(row["visit"]) - day).days)
    assert all(len(days) == 1 for days in moved.values())
    assert len({*map(tuple, moved.values())}) > 5
    assert max(abs(day) for days in moved.values() for day in days) <= 30
    checked = shoal.check_table(path, SCHEMA, KAnonymity(3))
    assert checked.holds
    assert checked.reached[0].description == "every group has at least 3 people"


def test_never_without_a_key_and_another_under_another(table):
    with pytest.raises(ParameterError, match="secret key"):
        _ = fit(table).table
    first, second = (read(fit(table, key=key).table)["id"] for key in (KEY, OTHER))
    assert not set(first) & set(second)


def read(given):
    return given if isinstance(given, pd.DataFrame) else given.df()


def test_rows_of_a_person_must_look_alike():
    spread = people()
    spread.loc[0, "age"] = 90 - spread.loc[0, "age"]
    with pytest.raises(SchemaError, match="tie rows together"):
        fit(spread, key=KEY)


@pytest.mark.parametrize("name", ["id", "visit"])
def test_the_judge_refuses_a_name_or_a_date_as_it_was(name):
    release = fit(people(), key=KEY)
    given = release.compressed.rows(release.recoded, release.output)
    cheated = given.table.copy()
    cheated[name] = cheated[name].astype(object)
    cheated.loc[3, name] = people()[name][3]
    with pytest.raises(GuaranteeError, match=r"no token|not shifted"):
        recheck(cheated, SCHEMA, release.privacy, release.output, release.recoded, given.witness)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"id": {"role": "pseudonym"}, "who": {"role": "subject"}}, "2 subjects"),
        ({"d": {"role": "insensitive", "kind": "date", "shift": "9 days"}}, "person by person"),
        ({"d": {"role": "sensitive", "kind": "date", "shift": "9 days"}}, "insensitive"),
        ({"d": {"role": "insensitive", "kind": "date", "shift": "soon"}}, "number of days"),
    ],
)
def test_schemas_that_cannot_be_kept_are_refused(columns, said):
    with pytest.raises(SchemaError, match=said):
        Schema(columns)
