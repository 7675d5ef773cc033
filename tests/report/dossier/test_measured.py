from shoal.report.dossier import _measured
from shoal.report.dossier._measured import measure_release
from shoal.schema import Schema

SCHEMA = Schema({"age": {"role": "insensitive"}, "ill": {"role": "sensitive"}})


def written(path, text="age,ill\n31,flu\n45,gout\n62,flu\n70,gout\n"):
    path.write_text(text)
    return path


def test_large_tables_are_left_to_the_commands(tmp_path, monkeypatch):
    monkeypatch.setattr(_measured, "MOST_ROWS", 3)
    table = written(tmp_path / "t.csv")
    found = measure_release(table, table, None, SCHEMA)
    assert found.attacks == ()
    assert "more than 3 rows" in found.not_done


def test_tables_without_a_column_in_common_are_said_to_be_undecided(tmp_path):
    table = written(tmp_path / "t.csv")
    other = written(tmp_path / "o.csv", "shoe\n31\n")
    assert "could not be matched" in measure_release(table, other, None, SCHEMA).not_done


def test_luck_is_the_baseline_without_control_rows(tmp_path):
    table = written(tmp_path / "t.csv")
    found = measure_release(table, table, None, SCHEMA)
    assert (found.has_control, found.not_done) == (False, "")
    assert len(found.attacks) == 3
