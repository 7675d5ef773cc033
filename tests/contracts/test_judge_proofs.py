"""The judge's proofs by arithmetic: whatever they prove, its plain definition says as well."""

import duckdb
import numpy as np
import pytest

from shoal.judge import _proofs, _read_binary
from shoal.judge._labels import LabelReader
from shoal.judge._proofs import ends_of_few, unproven_pairs
from shoal.judge._read_files import read_texts
from shoal.judge._text_table import TextColumn, numbers_of
from tests.extras import need

NUMBERS = ["0", "-0.0", "25", "25.0", "24.999999999999999999", "9007199254740993", "1e400",
           "9007199254740992", "1e-400", "0.1", "0.30000000000000004", " 7 ", "x", "", None,
           "-20", "inf", "nan", "64.9"]  # fmt: skip
BANDS = ["[20-25]", "[20-25)", "[25-25]", ">=", "<", ">=25", "<25", "[-20--20]", "[0-1e400]", "*",
         "[9007199254740992-9007199254740992]", "[1-1e401]", "[0-1e-399]", "[0.1-0.3]", "20-25",
         "[29-20]", "25", None, "", "[x-y]", ">=x", "[0-64.9]", "[0-64.9)"]  # fmt: skip
DATES = ["2020-02-29", "2020-02-30", "2020-02", "2020", "2020-02-29 10:00", "01/02/2020", "0001",
         "9999-12-31", "x", "", None, "2020-02-29T00:00:00", "1582-10-04"]  # fmt: skip
PERIODS = ["2020-02", "2020", "[2020-02-01 to 2020-02-29]", "[2020-02-01 to 2020-02-29)", "<2020",
           ">=2020-02-29", "[2020-01 to 2020-02]", "[0001-01-01 to 9999-12-31]", "*", "<", None,
           "[2020-02-29 to 2020-02-29]", "2020s", "[x to y]", "[2021 to 2020]"]  # fmt: skip
TREE = LabelReader(
    "categorical", labels=("10115", "20095", "a", None, "1****", "2****", "*"),
    parents=(4, 5, 6, 6, 6, 6, -1),
)  # fmt: skip
PLACES = ["10115", "20095", "a", None, "1****", "10115.0", "30000"]


@pytest.mark.parametrize("by_rows", [False, True])
@pytest.mark.parametrize(
    ("reader", "labels", "values", "least"),
    [
        (LabelReader("numeric"), BANDS, NUMBERS, 60),
        (LabelReader("date"), PERIODS, DATES, 40),
        (TREE, [*TREE.labels, "10*"], PLACES, 12),
        (LabelReader("ordinal", order=("a", "b")), ["[a to b]", "*"], ["a", "b", "c"], 3),
    ],
)
def test_what_is_proven_is_true(reader, labels, values, least, by_rows, monkeypatch):
    if by_rows:
        monkeypatch.setattr(_proofs, "_MARKS", -1)
        monkeypatch.setattr(_proofs, "_BLOCK", 7)
    pairs = np.array([(i, j) for i in range(len(labels)) for j in range(len(values))], np.int32)
    if by_rows:  # more pairs of texts than rows
        pairs = np.random.default_rng(3).permutation(pairs)[: -len(labels) // 2]
    written = TextColumn(pairs[:, 0].copy(), tuple(labels))
    open_ = set(
        unproven_pairs(reader, written, TextColumn(pairs[:, 1], tuple(values)), pairs[:, 1])
    )
    proven = {(int(i), int(j)) for i, j in pairs} - open_
    assert all(reader.covers(labels[i], values[j]) for i, j in proven)
    assert len(proven) >= (least // 2 if by_rows else least)  # and most that is true is proven


def column(*values):
    return TextColumn(np.arange(len(values), dtype=np.int32), tuple(map(str, values)))


LISTED = LabelReader(
    "numeric", labels=("23.417", "47.5", "young", "old", "*"), parents=(2, 3, 4, 4, -1),
    on_lines=True,
)  # fmt: skip
SCALE = LabelReader(
    "numeric", labels=("17", "18", "19", "20", "young", "old", "*"), parents=(4, 4, 5, 5, 6, 6, -1),
    on_lines=True,
)  # fmt: skip
BROKEN = LabelReader(
    "numeric", labels=("3", "30", "70", "<18", "18-64", "*"), parents=(3, 4, 5, 5, 5, -1),
    on_lines=True,
)  # fmt: skip
DAYS = LabelReader("date", on_lines=True)
MONTHS = LabelReader(
    "date", labels=("1990-03-05", "2020-11-02", "1990-03", "1990-Q1", "2020s", "*"),
    parents=(2, 4, 3, 5, 5, -1), on_lines=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "labels", "values", "found"),
    [
        (LISTED, ["[23.417-47.5]", "young"], (23.417, 47.5), 2),
        (LISTED, ["[20-50)", "old"], (20, 23.417, 47.5, 50), 0),
        (LISTED, ["[20-47.5]"], (23.417, 47.5), 1),
        (LISTED, ["[23.417-47.5]"], (1, 2), 0),  # nobody has them
        (LISTED, ["[23.417-47.5]"], (23.417,) * 3 + (47.5,) * 3, 0),  # as many as are asked for
        (SCALE, ["[18-19]"], (17, 18, 19, 20), 0),
        (BROKEN, ["<65", ">=18"], (18, 65, 3), 0),
        (BROKEN, ["<71", "[3-64]"], (3, 70, 71), 2),
        (LabelReader("numeric", on_lines=True), ["[1235-6789]"], (1235, 6789), 2),
        (LabelReader("numeric", on_lines=True), ["[1000-6999]"], (1000, 6999), 0),
        (LabelReader("numeric", on_lines=True), ["[0-15000000000000000000000)"], (0, 0.5), 0),
        (LabelReader("numeric", on_lines=True), ["[123-15000000000000000000000)"], (123, 0.5), 1),
        (LabelReader("numeric", on_lines=True), ["[1e-30-4e-30)"], (0.5, "1e-30"), 0),
        (LabelReader("numeric", on_lines=True, step=7), ["[21-34]"], (21, 34), 0),
        (LabelReader("numeric"), ["[23.417-47.5]"], (23.417, 47.5), 0),  # said to be exact
        (DAYS, ["[2020-03-01 to 2020-05-31]"], ("2020-03-01", "2020-05-31"), 0),
        (DAYS, ["[2020-03-02 to 2020-05-30]"], ("2020-03-02", "2020-05-30"), 2),
        (DAYS, ["[2020-03-02 to 2020-05-30]"], ("2020-03-03", "2020-05-31"), 0),  # nobody's
        (DAYS, ["[2020-03-02 to 2020-05-31]"], ("2020-03-02",) * 3, 0),
        (DAYS, ["[2020-03-02 to 2020-05-31]"], ("2020-03-02 07:30:00", "2020-04-01"), 1),
        (DAYS, ["[2020-03-02 07:30:00 to 2020-05-31]"], ("2020-03-02 07:30:00",) * 3, 1),
        (DAYS, ["[2020-03-01 to 2020-06-01)"], ("2020-03-01", "2020-06-01 00:00:00"), 0),
        (DAYS, ["[2020-03-01 to 2020-05-30)"], ("2020-05-29 11:00:00",), 1),
        (
            DAYS,
            ["[1990-03-01 to 2020-12-31]", "[1990-01-01 to 2020-11-30]"],
            ("1990-03-01", "2020-11-30"),
            2,
        ),
        (DAYS, ["[1990-01-01 to 9999-12-31]"], ("1990-01-01", "9999-12-31"), 0),
        (
            LabelReader("date", on_lines=True, step="month"),
            ["[1990-03-01 to 2020-11-30]"],
            ("1990-03-01", "2020-11-30"),
            0,
        ),
        (MONTHS, ["[1990-03-01 to 2020-11-30]"], ("1990-03-01", "2020-11-30"), 1),
        (MONTHS, ["[1990-04-01 to 2020-12-31]"], ("1990-04-01", "2020-12-31"), 0),
        (LabelReader("date"), ["[2020-03-02 to 2020-05-30]"], ("2020-03-02", "2020-05-30"), 0),
    ],
)
def test_an_end_that_few_people_have_is_a_line_or_told(reader, labels, values, found):
    assert ends_of_few(reader, labels, column(*values), 3) == found


def test_people_behind_an_end_are_counted_and_not_their_rows():
    reader, labels = LabelReader("numeric", on_lines=True), ["[23.417-47.5]"]
    own = column(23.417, 23.417, "23.4170", 47.5, 47.5, 47.5)
    people = TextColumn(np.array([0, 0, 1, 2, 3, 4], np.int32), ("Ann", "Ann ", "Bo", "Cy", "Di"))
    assert ends_of_few(reader, labels, own, 3) == 0
    assert ends_of_few(reader, labels, own, 3, people) == 1
    rows = np.array([1, 0, 1, 1, 1, 1])
    assert ends_of_few(reader, labels, own, 3, rows=rows) == 1


def test_random_ranges_are_proven_when_and_only_when_they_hold():
    random = np.random.default_rng(5)
    low = random.integers(-30, 30, 400) / 4
    high = low + random.integers(0, 40, 400) / 4
    value = random.integers(-40, 60, 400) / 4
    labels = tuple(dict.fromkeys(f"[{a:g}-{b:g}]" for a, b in zip(low, high, strict=True)))
    values = tuple(dict.fromkeys(f"{x:g}" for x in value))
    reader = LabelReader("numeric")
    for i, label in enumerate(labels):
        codes = np.full(len(values), i, np.int32)
        own = np.arange(len(values), dtype=np.int32)
        found = unproven_pairs(reader, TextColumn(codes, labels), TextColumn(own, values), own)
        assert found == [(i, j) for j in own if not reader.covers(label, values[j])]


def test_files_are_read_alike_in_one_part_and_in_many(tmp_path, monkeypatch):
    need("pyarrow")
    path = str(tmp_path / "many.parquet")
    duckdb.sql(
        "COPY (SELECT CASE WHEN i % 9 > 0 THEN 'n' || (i * 7 % 500) END AS note, i % 40 AS age "
        f"FROM range(9000) t(i)) TO '{path}' (ROW_GROUP_SIZE 2048)"
    )
    whole = read_texts(path)
    monkeypatch.setattr(_read_binary, "_ROWS_AT_ONCE", 3_000)
    parts = read_texts(path)
    assert parts.n_rows == whole.n_rows == 9_000
    assert parts.side_doors == whole.side_doors == ()
    for name in whole.names:
        said = [
            [table.columns[name].texts[code] for code in table.columns[name].codes]
            for table in (whole, parts)
        ]
        assert said[0] == said[1]


@pytest.mark.parametrize("kind", ["int8", "int32", "int64"])
def test_numbers_of_arrow_are_read_with_their_gaps_and_from_the_middle(kind):
    pyarrow = need("pyarrow")
    listed = [None if i % 5 == 2 else i for i in range(40)]
    array = pyarrow.array(listed, kind)
    for part in (array, array[3:17], array[9:], array[3:7], array[:0], array.drop_null()[1:9]):
        wanted = [-1 if value is None else value for value in part.to_pylist()]
        assert numbers_of(part).tolist() == wanted
