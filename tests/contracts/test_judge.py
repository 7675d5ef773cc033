"""The judge refuses what breaks a promise, whoever wrote it: every kind of break, made by hand."""

import csv
import json
import pickle
import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from shoal.anonymize import FullDomain, check_table
from shoal.anonymize._recheck import recheck
from shoal.anonymize._registry import METHODS, make_method
from shoal.errors import GuaranteeError, SchemaError, TableError
from shoal.judge._labels import LabelReader
from shoal.judge._read_files import read_texts
from shoal.judge._values import canonical
from shoal.privacy import DistinctDiversity, KAnonymity
from shoal.schema import Schema
from shoal.schema._lines import PublicRange
from shoal.tables import RowOptions
from tests.extras import need

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {
            "role": "quasi-identifier",
            "kind": "numeric",
            "hierarchy": {"intervals": [10, 20]},
        },
        "town": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "ill": {"role": "sensitive"},
        "pay": {"role": "insensitive", "kind": "numeric"},
    }
)


def people(n=60):
    rng = random.Random(2)
    return {
        "name": [f"person{i}" for i in range(n)],
        "age": [rng.randint(20, 59) for _ in range(n)],
        "town": [rng.choice(["10115", "10999", "20095"]) for _ in range(n)],
        "ill": [rng.choice(["flu", "gout", "none"]) for _ in range(n)],
        "pay": [rng.choice([10.5, 20, None]) for _ in range(n)],
    }


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A release as it was written, with its witness, before it is judged."""
    folder = tmp_path_factory.mktemp("written")
    release = FullDomain(SCHEMA, KAnonymity(5) & DistinctDiversity(2)).fit(people()).release_
    witness = release.compressed.write(release.recoded, release.output, folder / "r.csv")
    with (folder / "r.csv").open(newline="") as file:
        return release, witness, list(csv.reader(file))


def judge(folder, release, witness, rows):
    with (folder / "r.csv").open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    parts = (release.schema, release.privacy, release.output, release.recoded)
    return recheck(folder / "r.csv", *parts, witness)


def test_what_was_written_holds(tmp_path, written):
    groups = judge(tmp_path, *written)
    assert groups.n_rows == 60
    assert groups.sizes.min() >= 5


def other_label(rows):
    rows[1][0] = next(row[0] for row in rows[2:] if row[0] != rows[1][0])


def spelt_otherwise(rows):
    rows[1][1] = rows[1][1] + " "


def another_illness(rows):
    rows[1][2] = next(row[2] for row in rows[2:] if row[2] != rows[1][2])


def another_pay(rows):
    rows[1][3] = "21"


def a_row_twice(rows):
    rows[2] = list(rows[1])


def a_row_lost(rows):
    rows.pop()


def a_row_more(rows):
    rows.append(list(rows[1]))


def a_name(rows):
    rows[0].append("name")
    for at, row in enumerate(rows[1:]):
        row.append(f"person{at}")


def an_unknown_column(rows):
    rows[0].append("index")
    for at, row in enumerate(rows[1:]):
        row.append(str(at))


def a_column_lost(rows):
    for row in rows:
        del row[0]


@pytest.mark.parametrize(
    "change",
    [other_label, spelt_otherwise, another_illness, another_pay, a_row_twice, a_row_lost,
     a_row_more, a_name, an_unknown_column, a_column_lost],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_every_kind_of_break_is_refused_without_a_persons_value(change, tmp_path, written):
    release, witness, rows = written
    rows = [list(row) for row in rows]
    change(rows)
    with pytest.raises(GuaranteeError) as refused:
        judge(tmp_path, release, witness, rows)
    assert not any(value in str(refused.value) for value in ("flu", "gout", "10115", "person1"))


def exact_ranges(coding):
    """Ranges that end at values, said to end on lines."""

    def widen(low, high):
        first, last = (str(coding.texts[code]) for code in (low, high))
        sign = " to " if coding.kind == "date" else "-"
        ends = float(coding.numbers[low]), float(coding.numbers[high])
        return PublicRange(low, high, f"[{first}{sign}{last}]", *ends)

    return widen


@pytest.mark.parametrize("kind", ["date", "numeric"])
@pytest.mark.parametrize("how", ["whole", "regions", "people"])
def test_ranges_that_end_at_what_few_people_have_are_withheld(kind, how, monkeypatch):
    """Of dates as of numbers, by regions, and where a value stands in many rows of one person."""
    rng, n_rows = random.Random(3), 3 if how == "people" else 1
    days = [f"19{rng.randint(40, 99)}-{rng.randint(1, 12):02}-{rng.randint(2, 27):02}"
            for _ in range(300)]  # fmt: skip
    values = days if kind == "date" else [rng.randint(1, 10**6) / 7 for _ in range(300)]
    table = {
        "who": [f"p{i}" for i in range(300) for _ in range(n_rows)],
        "value": [value for value in values for _ in range(n_rows)],
    }
    role = "subject" if how == "people" else "identifier"
    schema = Schema({"who": {"role": role}, "value": {"role": "quasi-identifier", "kind": kind}})
    given = {"regions": 2} if how == "regions" else {}

    def made():
        return make_method("mondrian", schema, KAnonymity(3)).fit(table, **given).release_

    assert len(made().table)
    monkeypatch.setattr("shoal.tables._recoded.public_lines", exact_ranges)
    with pytest.raises(GuaranteeError, match="ranges end at a value that fewer than 3 people"):
        _ = made().table


def test_rows_that_change_places_are_noticed(tmp_path, written):
    release, witness, rows = written
    turned = replace(witness, row_ids=np.roll(witness.row_ids, 1))
    with pytest.raises(GuaranteeError, match="rows have"):
        judge(tmp_path, release, turned, rows)
    twice = witness.row_ids.copy()
    twice[1] = twice[0]
    with pytest.raises(GuaranteeError, match="each at most once"):
        judge(tmp_path, release, replace(witness, row_ids=twice), rows)


SPARKS = b'{"type":"struct","fields":[{"name":"a","type":"string","nullable":true,"metadata":{}}]}'


@pytest.mark.parametrize(
    ("note", "is_plain"),
    [
        ({"version": b"4.3.0", "sql.parquet.row.metadata": SPARKS}, True),
        ({"version": b"4.3.0 of Ann"}, False),
        ({"who": b"Ann"}, False),
        ({"sql.parquet.row.metadata": SPARKS.replace(b"{}", b'{"comment":"Ann"}')}, False),
        ({"sql.parquet.row.metadata": SPARKS.replace(b'"name"', b'"x":"Ann","name"')}, False),
        ({"sql.parquet.row.metadata": SPARKS.replace(b'"name"', b'"name":"Ann","name"')}, False),
        ({"sql.parquet.row.metadata": SPARKS.replace(b'"a"', b'"Ann"')}, False),
        ({"sql.parquet.row.metadata": SPARKS.replace(b'"string"', b'"Ann Lee"')}, False),
        ({"sql.parquet.row.metadata": SPARKS.replace(b"true", b'"Ann"')}, False),
        ({"sql.parquet.row.metadata": SPARKS + b" "}, False),
        ({"sql.parquet.row.metadata": b"Ann"}, False),
    ],
)
def test_spark_may_note_its_version_and_types_and_nothing_else(tmp_path, note, is_plain):
    pa = need("pyarrow")
    parquet = need("pyarrow.parquet")
    stored = {f"org.apache.spark.{key}": text for key, text in note.items()}
    table = pa.table({"a": ["x"]}).replace_schema_metadata(stored)
    parquet.write_table(table, tmp_path / "s.parquet")
    doors = read_texts([tmp_path / "s.parquet"]).side_doors
    assert doors == (() if is_plain else ("metadata of the file",))


@pytest.mark.parametrize(
    ("change", "is_plain"),
    [
        (lambda frame: frame, True),
        (lambda frame: frame.rename_axis("Ann"), False),
        (lambda frame: frame.rename_axis("Ann", axis=1), False),
        (lambda frame: frame.set_axis([5, 6], axis=0), False),
        (lambda frame: frame.iloc[1:], False),
    ],
)
def test_pandas_may_note_types_and_the_number_of_rows_and_nothing_else(tmp_path, change, is_plain):
    pandas = need("pandas")
    need("pyarrow")
    days = pandas.to_datetime(["2024-01-01"] * 2)
    frame = change(pandas.DataFrame({"a": ["x", "y"], "n": [1, 2], "f": [0.5, 1], "t": days}))
    frame.to_parquet(tmp_path / "p.parquet")
    doors = read_texts([tmp_path / "p.parquet"]).side_doors
    assert doors == (() if is_plain else ("metadata of the file",))


@pytest.mark.parametrize(
    ("said", "instead"),
    [(b'"attributes": {}', b'"attributes": {"who": "Ann"}'), (b'"stop": 1', b'"stop": 1337'),
     (b'"object"', b'"Ann"'), (b'"2.', b'"2.Ann Lee'), (b"null}]", b"null}] ")],
)  # fmt: skip
def test_what_is_hidden_in_a_note_of_pandas_is_found(tmp_path, said, instead):
    pa, parquet = need("pyarrow"), need("pyarrow.parquet")
    note = (
        b'{"index_columns": [{"kind": "range", "name": null, "start": 0, "stop": 1, "step": 1}], '
        b'"column_indexes": [{"name": null, "field_name": null, "pandas_type": "unicode", '
        b'"numpy_type": "object", "metadata": {"encoding": "UTF-8"}}], "columns": [{"name": "a", '
        b'"field_name": "a", "pandas_type": "unicode", "numpy_type": "object", "metadata": null}], '
        b'"attributes": {}, "creator": {"library": "pyarrow", "version": "20.0.0"}, '
        b'"pandas_version": "2.3.3"}'
    )
    for text, is_plain in ((note, True), (note.replace(said, instead), False)):
        table = pa.table({"a": ["x"]}).replace_schema_metadata({"pandas": text})
        parquet.write_table(table, tmp_path / "p.parquet")
        doors = read_texts([tmp_path / "p.parquet"]).side_doors
        assert doors == (() if is_plain else ("metadata of the file",))


def test_side_doors_of_arrow_files_are_found(tmp_path):
    pa = need("pyarrow")
    parquet = need("pyarrow.parquet")
    table = pa.table({"a": pa.array(["x", "y"]).dictionary_encode()}).slice(0, 1)
    parquet.write_table(table, tmp_path / "d.parquet")
    assert "dictionary of column 'a'" in read_texts([tmp_path / "d.parquet"]).side_doors[0]
    noted = pa.table({"a": ["x"]}).replace_schema_metadata({"who": "Ann"})
    parquet.write_table(noted, tmp_path / "m.parquet")
    assert read_texts([tmp_path / "m.parquet"]).side_doors == ("metadata of the file",)
    field = pa.field("a", pa.string(), metadata={"who": "Ann"})
    fields = pa.schema([field])
    with pa.OSFile(str(tmp_path / "f.arrow"), "wb") as sink, pa.ipc.new_file(sink, fields) as file:
        file.write_table(pa.table([pa.array(["x"])], schema=fields))
    assert read_texts([tmp_path / "f.arrow"]).side_doors == ("metadata of column 'a'",)
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "plain.parquet")
    assert read_texts([tmp_path / "plain.parquet"]).side_doors == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [("1", "1.0"), ("1e0", "1"), (" 1", "1"), ("true", "TRUE"), ("2020-01-01", "2020-1-1"),
     ("2020-01-01 00:00:00", "2020-01-01"), ("nan", ""), ("-0.0", "0.0"), ("x", "x "),
     ("é", "e\u0301"), ("0.1234567890123456789", "0.1234567890123456788")],
)  # fmt: skip
def test_check_groups_by_what_is_written(first, second, tmp_path):
    schema = Schema({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})
    path = tmp_path / "foreign.csv"
    path.write_text(f"q,s\n{first},x\n{second},y\n", "utf-8")
    assert not check_table(path, schema, KAnonymity(2)).holds


@pytest.mark.parametrize(
    ("first", "second"),
    [("1", "1.0"), ("1e0", "1"), (" 1", "1"), ("true", "TRUE"), ("-0.0", "0.0"),
     ("2020-01-01 00:00:00", "2020-01-01")],
)  # fmt: skip
def test_check_takes_two_spellings_of_a_value_for_no_diversity(first, second, tmp_path):
    schema = Schema({"q": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}})
    path = tmp_path / "foreign.csv"
    path.write_text(f"s,q\n{first},x\n{second},x\n", "utf-8")
    assert not check_table(path, schema, DistinctDiversity(2, "s")).holds


@pytest.mark.parametrize(
    ("kind", "label", "value", "covered"),
    [
        ("numeric", "[20-29]", "29", True),
        ("numeric", "[20-29]", "30", False),
        ("numeric", "[-20--10)", "-10", False),
        ("numeric", "[-20--10)", "-20.0", True),
        ("numeric", "[9007199254740992-9007199254740993]", "9007199254740994", False),
        ("numeric", "<18", "18", False),
        ("numeric", ">=65", "65", True),
        ("numeric", "20", "20.0", True),
        ("numeric", None, "20", False),
        ("numeric", "[20-29]", None, False),
        ("numeric", "*", None, True),
        ("date", "[1990-02-12 to 2000-08-25]", "2000-08-25", True),
        ("date", "[1990-02-12 to 2000-08-25]", "2000-08-26", False),
        ("date", "[1990-02 to 1990-03]", "1990-03-31", True),
        ("date", "1990-02", "1990-03-01", False),
        ("ordinal", "[low to mid]", "high", False),
        ("ordinal", "[low to mid]", "mid", True),
        ("categorical", "101**", "10115", True),
        ("categorical", "101**", "1011", False),
        ("categorical", "{a, b}", "b", True),
        ("categorical", "{a, b}", "c", False),
        ("categorical", "a", "A", False),
        # texts that say nothing are texts as others, and lie between the ends of a range
        ("categorical", "[ to b]", "", True),
        ("categorical", "[ to b]", None, True),
        ("categorical", "[ to b]", "c", False),
        ("categorical", "[a to b]", "", False),
        ("categorical", "[mad to null]", "nan", True),
        ("numeric", "[1 to 2]", "", False),
    ],
)
def test_labels_are_read_from_their_text(kind, label, value, covered):
    order = ("low", "mid", "high") if kind == "ordinal" else ()
    assert LabelReader(kind, order).covers(label, value) is covered


CANARIES = pd.DataFrame(
    {
        "name": [f"CANARYNAME{i}" for i in range(41)],
        "age": [30, 31] * 20 + [99],
        "town": ["10115"] * 20 + ["20095"] * 20 + ["CANARYTOWN"],
        "ill": ["flu", "gout"] * 20 + ["CANARYILL"],
        "pay": [1.0, 2.0] * 20 + [77777.0],
    }
)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
@pytest.mark.parametrize("name", METHODS)
def test_nothing_of_suppressed_people_is_published(name, suffix, tmp_path):
    if suffix != ".csv":
        need("pyarrow")
    kind = make_method(name, SCHEMA, KAnonymity(5), {})
    if "max_suppression" in kind.get_params():
        kind.set_params(max_suppression=0.1)
    table = CANARIES.astype({"town": "category", "ill": "category"})
    fitted = kind.fit(table)
    paths = fitted.release_.write(tmp_path / f"r{suffix}", publish=tmp_path / "public")
    is_suppressed = fitted.release_.n_suppressed > 0
    for path in (tmp_path / "public").iterdir():
        content = path.read_bytes()
        assert b"CANARYNAME" not in content
        if is_suppressed:
            assert b"CANARY" not in content
            assert suffix != ".csv" or b"77777" not in content
    assert b"CANARY" not in pickle.dumps(fitted)
    assert json.loads(paths["manifest"].read_text())["suppressed_rows"] == int(is_suppressed)
    assert {path.name for path in (tmp_path / "public").iterdir()} == {
        f"r{suffix}", "r.manifest.json", "r.schema.toml",
    }  # fmt: skip


def test_the_output_in_memory_is_judged_too():
    release = FullDomain(SCHEMA, KAnonymity(5)).fit(pd.DataFrame(people())).release_
    given = release.compressed.rows(release.recoded, release.output)
    leaking = given.table.set_index(pd.Index([f"person{i}" for i in range(60)], name="who"))
    with pytest.raises(GuaranteeError, match="an index"):
        recheck(leaking, SCHEMA, release.privacy, RowOptions(), release.recoded, given.witness)


def test_a_file_of_an_unknown_format_is_not_taken_for_csv(tmp_path):
    path = tmp_path / "people.lines"
    path.write_text('{"age": 31, "sex": "f"}\n{"age": 32, "sex": "m"}\n')
    with pytest.raises(TableError, match="by its name"):
        read_texts([path])


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".csv.gz"])
@pytest.mark.parametrize("name", ["new\nline", "new\r\nline", "new\n\nlines"])
def test_lines_within_names_are_no_rows(name, suffix, tmp_path):
    schema = Schema({"age": {"role": "quasi-identifier"}, name: {"role": "sensitive"}})
    release = (
        make_method("mondrian", schema, 2)
        .fit({"age": [30, 30, 41, 41], name: list("abcd")})
        .release_
    )
    assert release.write(tmp_path / f"o{suffix}")["table"].exists()


def test_categories_are_texts_and_spellings_of_one_number_are_one_value(tmp_path):
    """`1`, `+1` and `01` are one value, in a numeric column and beside a word."""
    rows = pd.DataFrame({"age": [30] * 4, "ill": ["1", "+1", "x", "01"]})
    schema = {"age": {"role": "quasi-identifier"}, "ill": {"role": "sensitive"}}
    method = make_method("mondrian", Schema(schema), DistinctDiversity(3))
    with pytest.raises(SchemaError, match="other spellings"):
        method.fit(rows)
    assert not check_table(rows, Schema(schema), DistinctDiversity(3)).holds
    assert check_table(rows, Schema(schema), DistinctDiversity(2)).holds
    words = rows.assign(ill=["1", "a1", "x", "2"])
    path = (
        method.set_params(privacy=DistinctDiversity(4))
        .fit(words)
        .release_.write(tmp_path / "o.csv")
    )
    assert check_table(path["table"], Schema(schema), DistinctDiversity(4)).holds
    numeric = Schema(schema | {"ill": {"role": "sensitive", "kind": "numeric"}})
    numbers = rows.assign(ill=["1", "+1", "2", "01"])
    assert not check_table(numbers, numeric, DistinctDiversity(3)).holds
    # of a column that does not say, and reads as numbers throughout, spellings are no values
    assert not check_table(numbers, Schema(schema), DistinctDiversity(3)).holds
    assert check_table(numbers, Schema(schema), DistinctDiversity(2)).holds


def test_numbers_of_any_length_are_counted_as_what_they_are():
    one, two = "1." + "0" * 30 + "1", "1." + "0" * 30 + "2"
    assert canonical(one) != canonical(two)
    assert canonical("1e9999999") == canonical("10e9999998") != canonical("1e9999998")
    assert canonical(f"1e{9**20}") == f"1e{9**20}"  # no number that a computer holds
    assert canonical("-0.00") == "0"


@pytest.mark.parametrize("privacy", [KAnonymity(5), KAnonymity(5) & DistinctDiversity(2)])
def test_whole_numbers_beside_gaps_are_found_in_their_hierarchy(tmp_path, privacy):
    # pandas holds them as floats, so that 1.0 is written where the hierarchy says 1
    tree = {"tree": {"low": ["1", "2"], "high": ["3", "4"]}}
    schema = Schema(
        {
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "grade": {"role": "quasi-identifier", "hierarchy": tree},
            "stage": {"role": "sensitive", "hierarchy": tree},
        }
    )
    table = pd.DataFrame(
        {
            "age": [n % 40 for n in range(200)],
            "grade": [None if n % 13 == 0 else n % 4 + 1 for n in range(200)],
            "stage": [None if n % 17 == 0 else n * 7 % 4 + 1 for n in range(200)],
        }
    )
    release = FullDomain(schema, privacy).fit(table).release_
    release.write(tmp_path / "r.csv")
    texts = set(read_texts(tmp_path / "r.csv").columns["stage"].texts)
    assert texts == {"1.0", "2.0", "3.0", "4.0", None}
    assert check_table(tmp_path / "r.csv", schema, privacy).holds
