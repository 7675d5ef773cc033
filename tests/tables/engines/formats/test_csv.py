import random
import warnings

import pytest

from shoal import Schema
from shoal.anonymize import Mondrian, check_table
from shoal.errors import TableWarning
from shoal.tables import open_table
from shoal.tables._engine import OpenOptions
from shoal.tables.engines.formats import _csv
from shoal.tables.engines.formats._csv import plain_shape
from shoal.tables.engines.formats.text._bytes import Encoded, find_encoding
from shoal.tables.engines.formats.text._shape import find_shape

ENDS = [["\n", "\r\n"], ["\n", "\r"], ["\r", "\r\n"], ["\n", "\r", "\r\n"], ["\r\n"] * 9 + ["\n"]]


@pytest.mark.parametrize("titles", [0, 1, 2])
@pytest.mark.parametrize("ends", ENDS)
def test_no_row_is_lost_however_lines_end(tmp_path, ends, titles):
    """DuckDB takes one end of lines for all of a file, within quotes too."""
    draw = random.Random(titles)
    for turn in range(3):
        rows = [("P", "30", draw.choice(["Ulm", f"Bad{draw.choice(ends)}Ems"])) for _ in range(20)]
        lines = ["a title"] * titles + ["name,age,city"]
        lines += [f'{name},{age},"{city}"' for name, age, city in rows]
        path = tmp_path / f"{turn}.csv"
        path.write_bytes("".join(line + draw.choice(ends) for line in lines).encode())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = open_table(path)
        found = table.query("SELECT city FROM source").fetchall()
        assert sorted(city for (city,) in found) == sorted(city for _, _, city in rows)


def test_a_plain_file_has_the_shape_that_all_questions_give(tmp_path):
    path = tmp_path / "people.csv"
    draw, n_plain, n_other = random.Random(8), 0, 0
    cells = [
        "Ulm",
        "31",
        "4.5",
        "",
        "a b",
        "age",
        "2024-01-31",
        "na",
        "x;y",
        "o'b",
        ' "q"',
        "é",
        " 1",
    ]
    for _ in range(3000):
        width, end = draw.randint(1, 4), draw.choice(["\n", "\r\n", "\n"])
        odd = draw.choice([0.0, 0.0, 0.02])
        header = [draw.choice(["age", "city", "na", "größe", "c 1", "7"]) for _ in range(width)]
        rows = [header] + [
            [draw.choice(cells if draw.random() < odd else cells[:5]) for _ in range(width)]
            for _ in range(draw.randint(0, 6))
        ]
        lines = [",".join(row) + end for row in rows]
        if draw.random() < odd:
            at = draw.randrange(len(lines))
            lines[at] = draw.choice(
                ["\n", "# c\n", "a,b,c,d,e\n", lines[at].strip(), "title" + end]
            )
        path.write_bytes("".join(lines).encode(draw.choice(["utf-8", "utf-8", "cp1252"])))
        quick = plain_shape(path)
        if quick is None:
            n_other += 1
            continue
        n_plain += 1
        assert find_encoding(path, None) == Encoded("utf-8")
        assert find_shape(lines, "people.csv", OpenOptions()) == quick, lines
        assert find_shape(lines, "people.csv", OpenOptions(header=True)) == quick, lines
    assert min(n_plain, n_other) > 300


def test_a_file_with_anything_to_ask_about_is_not_plain(tmp_path):
    path = tmp_path / "people.csv"
    for text in ("age,city\n31,Ulm\n", "age,größe\r\n31,m\r\n"):
        path.write_bytes(text.encode())
        assert plain_shape(path) is not None, text
    for text in (
        "age;city\n31;Ulm\n",
        "age,city\n31,age\nx,city\n",
        'age,city\n31,"Ulm"\n',
        "age, city\n31, Ulm\n",
        "31,Ulm\n32,Kiel\n",
        "age,city\n31\n",
        "age\n31\n",
        "age,city\n31,Ulm|Bonn\n",
        "",
        "\ufeffage,city\n31,Ulm\n",
        "age,city\r31,Ulm\r",
        "age,city\n31,\x01\n",
        f"age,city\n31,{'x' * 70_000}\n",
    ):
        path.write_bytes(text.encode())
        assert plain_shape(path) is None, text
    for content in (
        "age,city\n31,Köln\n".encode("cp1252"),
        "age,city\n31,Ulm\n".encode("utf-16"),
        b"age,city\n" + b"31,Ulm\n" * 50_000 + "31,Köln\n".encode("cp1252"),
        b"age,city\n" + b"31,Ulm\n" * 50_000 + "31,Köln".encode()[:-3],
    ):
        path.write_bytes(content)
        assert plain_shape(path) is None
    assert plain_shape(tmp_path / "absent.csv") is None


def numbers_of(tmp_path, text, **options):
    (tmp_path / "t.csv").write_text(text)
    engine = open_table(tmp_path / "t.csv", **options)
    return {name: sorted(engine.distinct(name, 10)[0]) for name in engine.names}


def test_thousands_without_decimals_are_not_read_a_thousand_times_too_small(tmp_path):
    text = "age;cost\n51;49.085\n29;1.080\n"
    with pytest.warns(TableWarning, match="'cost': it cannot be told .*--decimal.*--thousands"):
        assert numbers_of(tmp_path, text)["cost"] == ["1.080", "49.085"]
    assert numbers_of(tmp_path, text, thousands=".")["cost"] == [1080, 49085]
    assert numbers_of(tmp_path, text, decimal=".")["cost"] == [1.08, 49.085]


def test_between_commas_three_digits_behind_a_point_are_decimals(tmp_path):
    text = "age,weight\n51,49.085\n29,1.080\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numbers_of(tmp_path, text)["weight"] == [1.08, 49.085]


@pytest.mark.parametrize(("weight", "cost"), [("70,5", 49085), ("70.5", 49.085)])
def test_decimals_of_one_column_decide_on_thousands_of_another(tmp_path, weight, cost):
    text = f"weight;cost\n{weight};49.085\n{weight};1.080\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert numbers_of(tmp_path, text)["cost"][-1] == cost


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_rows_of_empty_cells_are_left_out_and_counted(tmp_path, encoding):
    """Spreadsheets write them below the table and between its parts."""
    people = "".join(f"{20 + i};{'fm'[i % 2]};Köln\n" for i in range(6))
    content = f"age;sex;town\n{people};;\n50;m;Bonn\n ;;\n;;\n"
    (tmp_path / "t.csv").write_text(content, encoding=encoding)
    with pytest.warns(TableWarning) as said:
        engine = open_table(tmp_path / "t.csv", encoding=encoding)
    assert [str(one.message) for one in said] == [
        "t.csv: 3 rows of empty cells were left out, the first at line 8."
    ]
    assert engine.n_rows == 7
    kept = open_table(tmp_path / "t.csv", encoding=encoding, keep_empty_rows=True)
    assert kept.n_rows == 10


def test_a_row_of_one_empty_cell_and_rows_of_words_for_nothing_are_rows(tmp_path):
    (tmp_path / "one.csv").write_text("age\n31\n\n40\n")
    assert open_table(tmp_path / "one.csv", delimiter=",").n_rows == 3
    (tmp_path / "na.csv").write_text("age,sex\n31,f\nNA,NA\n40,m\n")
    assert open_table(tmp_path / "na.csv").n_rows == 3


def test_released_rows_find_their_people_beside_rows_of_empty_cells(tmp_path):
    """The judge numbers the rows of the source by a reader of its own."""
    people = [f"{20 + i % 4},{'fm'[i % 2]},{'ab'[i % 3 == 0]}" for i in range(24)]
    content = "\n".join(["age,sex,ill", *people[:9], ",,", *people[9:], ",,", ",,"])
    (tmp_path / "t.csv").write_text(content + "\n")
    roles = {"age": "quasi-identifier", "sex": "quasi-identifier", "ill": "sensitive"}
    schema = Schema({name: {"role": role} for name, role in roles.items()})
    with pytest.warns(TableWarning, match="3 rows of empty cells"):
        release = Mondrian(schema, 3).fit(tmp_path / "t.csv").release_
    release.write(tmp_path / "o.csv")
    released = (tmp_path / "o.csv").read_text().splitlines()
    assert sorted(line[-1] for line in released[1:]) == sorted(row[-1] for row in people)


def test_a_row_of_empty_cells_in_a_release_is_counted_by_check(tmp_path):
    (tmp_path / "o.csv").write_text("age,sex\n" + "31,f\n" * 3 + ",\n")
    schema = Schema({name: {"role": "quasi-identifier"} for name in ("age", "sex")})
    verdict = check_table(tmp_path / "o.csv", schema, 3)
    assert (verdict.n_rows, verdict.smallest_group, verdict.holds) == (4, 1, False)


def test_files_that_duckdb_reads_need_no_folder_for_copies(tmp_path, monkeypatch):
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    plain.write_text("age,city\n31,Ulm\n34,Kiel\n")
    quoted.write_text('age,city\n31,"Ulm\n34",Kiel\n')  # a row too long: read one by one
    made = []
    monkeypatch.setattr(_csv, "TemporaryDirectory", lambda **how: made.append(how) or 1 / 0)
    assert open_table(plain).n_rows == 2
    assert not made
    with pytest.raises(ZeroDivisionError):
        open_table(quoted, skip_bad_rows=True)
    assert made
