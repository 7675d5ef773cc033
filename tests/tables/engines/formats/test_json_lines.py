import pytest

from shoal.errors import TableError
from shoal.tables import open_table


def write_example(table, path):
    table.write_ndjson(path)


def test_a_missing_cell_stays_missing_and_keys_may_be_left_out(tmp_path):
    path = tmp_path / "people.jsonl"
    path.write_text('{"age": 31}\n{"age": null, "city": "Ulm"}\n\n{"city": "Kiel"}\n')
    engine = open_table(path)
    assert engine.n_rows == 3
    assert engine.distinct("age") == ([31], True)
    assert sorted(engine.distinct("city")[0]) == ["Kiel", "Ulm"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"a": 1}\nMeyer\n', r"line 2: it is no JSON object"),
        ('{"a": 1}\n[3]\n', r"line 2: it is no object"),
        ('{"a": [1]}\n', r"line 1: 'a' holds a list"),
        ("\n", "is empty"),
    ],
)
def test_what_is_no_row_is_named_by_its_line_and_not_shown(tmp_path, content, message):
    path = tmp_path / "people.jsonl"
    path.write_text(content)
    with pytest.raises(TableError, match=message) as caught:
        open_table(path)
    assert "Meyer" not in str(caught.value)
