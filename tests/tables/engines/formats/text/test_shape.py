import random
import warnings

import pytest

from shoal.errors import ParameterError, TableError
from shoal.tables import open_table
from shoal.tables._engine import OpenOptions
from shoal.tables.engines.formats.text._shape import find_shape, looks_like_a_row


def shape(text, **options):
    return find_shape(text.splitlines(keepends=True), "people.csv", OpenOptions(**options))


@pytest.mark.parametrize("delimiter", ",;\t|^~")
def test_the_sign_between_cells_is_found_in_random_tables(delimiter):
    draw = random.Random(ord(delimiter))
    for _ in range(20):
        width = draw.randint(2, 6)
        rows = [[f"c{i}" for i in range(width)]]
        for _ in range(draw.randint(1, 8)):
            rows.append([draw.choice(["x", "two words", "3", "4.5", ""]) for _ in range(width)])
        text = "".join(delimiter.join(row) + "\n" for row in rows)
        found = shape(text)
        assert found.delimiter == delimiter, text
        assert found.names == tuple(rows[0])


def test_a_header_is_told_from_a_row():
    assert not looks_like_a_row(["age", "city"], [["31", "Ulm"], ["32", "Kiel"]])
    assert looks_like_a_row(["31", "Ulm"], [["32", "Kiel"], ["33", "Ulm"]])
    assert looks_like_a_row(["Ulm", "f"], [["Kiel", "m"], ["Bonn", "f"]])
    assert looks_like_a_row(["ann@example.org", "f"], [["bob@example.org", "m"]])
    assert looks_like_a_row(["2024-01-01"], [["2024-01-02"]])
    assert not looks_like_a_row(["city", "sex"], [["Ulm", "f"]])
    assert not looks_like_a_row(["city", "2024"], [["Ulm", "x"]])


def test_a_question_about_the_header_shows_no_cell():
    with pytest.raises(TableError, match="--no-header") as caught:
        shape("Quellmann,31\nMeyer,32\nQuellmann,33\n")
    assert "Quellmann" not in str(caught.value)
    assert shape("31,Ulm\n32,Ulm\n", header=False).names == ("column1", "column2")
    assert shape("31,Ulm\n32,Ulm\n", header=True).names == ("31", "Ulm")


@pytest.mark.parametrize("asked", ["", ";;", '"', "\n"])
def test_a_delimiter_is_one_sign(asked):
    with pytest.raises(ParameterError, match="give one sign"):
        shape("a,b\n1,2\n", delimiter=asked)


def test_names_that_are_missing_are_numbered_without_meeting_others():
    assert shape(",column1,b\n1,2,x\n").names == ("column1_", "column1", "b")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "head", ['a,"new\nline"', '"x\n\ny",b', '"x\r\ny",b', '"ti\ntle"\na,b', '"title"\n\na,"b\nc"']
)
def test_cells_over_several_lines_before_the_rows_take_no_row_with_them(tmp_path, head, end):
    path = tmp_path / "people.csv"
    path.write_bytes((head + end + end.join(["1,x", "2,y", "3,z"]) + end).encode())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that titles are left out
        assert open_table(path).n_rows == 3


GROUPED = "Patient,,,Visit,\nid,age,sex,date,code\n" + "".join(
    f"{i},{20 + i},f,2024-01-{i:02},E11\n" for i in range(1, 20)
)


def test_names_of_groups_above_the_names_are_asked_about_and_no_cell_is_shown():
    with pytest.raises(TableError, match="names of groups of columns") as caught:
        shape(GROUPED)
    assert "Patient" not in str(caught.value)
    assert shape(GROUPED, header=True).names[0] == "Patient"


@pytest.mark.parametrize(
    "text",
    [
        ",age,weight,town\n" + "a,31,70,Ulm\nb,32,71,Kiel\nc,33,72,Bonn\n" * 5,
        "town,age,\nUlm,unknown,x\n" + "Kiel,31,y\nBonn,32,z\n" * 5,
        "town,age,pay,\nUlm,NA,-,x\n" + "Kiel,31,7,y\nBonn,32,8,z\n" * 5,
    ],
)
def test_a_name_that_is_missing_makes_no_names_of_the_first_row(text):
    assert "age" in shape(text).names


def test_columns_at_fixed_places_may_have_names_of_other_lengths_above():
    lines = [f"P{n:03}    {40 + n % 9} m 1234{n % 7}" for n in range(30)]
    with pytest.raises(TableError, match="at fixed places"):
        shape("\n".join(["PatNr   Alter Sex PLZ", *lines]) + "\n")
    codes = [f"DE{n:02} 3704 0044" for n in range(30)]
    assert shape("\n".join(["iban", *codes]) + "\n").names == ("iban",)


def test_columns_at_fixed_places_with_one_blank_between_are_refused():
    with pytest.raises(TableError, match="at fixed places") as caught:
        shape("".join(f"{1000 + i:<6}{i % 90:>3} F E{i % 9}1\n" for i in range(40)))
    assert "1000" not in str(caught.value)
    assert shape("note\n" + "one two  three\nfour  five six\n" * 9).names == ("note",)
