"""A first look at large tables: at once from their head, exactly soon after."""

import pytest

from shoal._resources import scratch
from shoal.studio.work import _looking
from shoal.studio.work._bench import Bench
from shoal.studio.work._loop import answer
from tests.studio.desks import write_people


def ask(bench, task, table, **more):
    said = []
    args = {"table": str(table), "stamp": [1], **more}
    answer(bench, {"task": task, "args": args}, said.append)
    assert "done" in said[-1], said[-1]
    return said[-1]["done"]


@pytest.fixture
def small_heads(monkeypatch):
    monkeypatch.setattr(_looking, "_HEAD", 2_000)
    monkeypatch.setattr(_looking, "_SAMPLE", 50)


@pytest.mark.usefixtures("small_heads")
def test_a_large_text_is_told_from_its_head_and_the_rest_is_not_read(tmp_path):
    table = write_people(tmp_path / "people.csv", 1_000)
    bench, before = Bench(), set(scratch().glob("*"))
    first = ask(bench, "glance", table)
    assert not bench._kept  # the table itself was not opened
    assert (first["exact"], first["rows_exact"]) == (False, False)
    assert first["rows"] == pytest.approx(1_000, rel=0.1)
    assert first["sampled"] < 100
    exact = ask(bench, "look", table)
    assert (exact["rows"], exact["exact"]) == (1_000, True)
    assert [c["name"] for c in exact["columns"]] == [c["name"] for c in first["columns"]]
    assert set(scratch().glob("*")) <= before  # nothing stays behind


@pytest.mark.usefixtures("small_heads")
def test_a_head_that_ends_inside_a_row_is_not_believed(tmp_path):
    table = tmp_path / "notes.csv"
    long = "line\n" * 1_000
    table.write_text("age,note\n" + f'30,"{long}"\n' + '31,"x"\n' * 1_500)
    assert ask(Bench(), "glance", table)["rows"] == 1_501


@pytest.mark.usefixtures("small_heads")
def test_a_file_that_knows_its_rows_tells_them_at_once(tmp_path):
    from shoal.datasets import write_hospital

    table = write_hospital(tmp_path / "hospital.parquet", 200)
    first = ask(Bench(), "glance", table)
    assert (first["rows"], first["rows_exact"], first["exact"]) == (200, True, False)
    assert first["sampled"] == 50


def test_few_values_are_counted_and_many_estimated(tmp_path, monkeypatch):
    monkeypatch.setattr(_looking, "_SMALL", 2_000)
    rows = "".join(f"{i},{'abcdefg'[i % 7]}\n" for i in range(3_000))
    (tmp_path / "t.csv").write_text("number,letter\n" + rows)
    number, letter = ask(Bench(), "look", tmp_path / "t.csv")["columns"]
    assert (letter["distinct"], letter["distinct_exact"]) == (7, True)
    assert not number["distinct_exact"]
    assert number["distinct"] == pytest.approx(3_000, rel=0.2)


def test_values_of_a_small_table_are_counted(tmp_path):
    (tmp_path / "t.csv").write_text("number\n" + "".join(f"{i}\n" for i in range(3_000)))
    for task in ("glance", "look"):
        (number,) = ask(Bench(), task, tmp_path / "t.csv")["columns"]
        assert (number["distinct"], number["distinct_exact"]) == (3_000, True)
