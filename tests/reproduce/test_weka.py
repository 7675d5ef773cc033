import subprocess
from pathlib import Path

import numpy as np
import pytest

from reproduce._classify import Examples, tree_error
from reproduce._weka import (
    Clause,
    arff_header,
    arff_rows,
    arff_table,
    find_weka,
    j48_error,
    k_means_squares,
    tertius_rules,
)
from shoal.errors import ParameterError

TRAIN = Examples({"x": np.array(["a", "it's"] * 20)}, np.array(["yes", "no"] * 20))
TEST = Examples({"x": np.array(["a", "a", "it's", "b\\"])}, np.array(["yes", "no", "no", "no"]))


def test_the_header_lists_the_values_of_both_tables_quoted():
    assert arff_header(TRAIN, TEST).splitlines() == [
        "@relation rows",
        "@attribute 'x' {'a','b\\\\','it\\'s'}",
        "@attribute 'class of the row' {'no','yes'}",
        "@data",
    ]


def test_every_row_is_one_line_with_its_class_last():
    assert arff_rows(TEST).splitlines()[2:] == ["'it\\'s','no'", "'b\\\\','no'"]


def test_a_table_has_numbers_names_and_gaps():
    table = arff_table({"age": np.array([30.5, 41.0]), "job": ["it's", None]})
    assert table.splitlines() == [
        "@relation rows",
        "@attribute 'age' numeric",
        "@attribute 'job' {'it\\'s'}",
        "@data",
        "30.5,'it\\'s'",
        "41.0,?",
    ]


def test_what_weka_prints_is_read(monkeypatch, tmp_path):
    told = " 1. /* 0.95 0.004 */ a = 1 ==> b = 2\n12. /* 0.9 0.1 */ a = 2 ==> b = 1\n"
    told += "Within cluster sum of squared errors: 93785.6\n"
    calls = []

    def run(command, **options):
        calls.append((command[-3], Path(command[-1]).read_text("utf-8")))
        return subprocess.CompletedProcess(command, 0, stdout=told)

    monkeypatch.setattr(subprocess, "run", run)
    table = {"a": ["1", "2"]}
    assert tertius_rules(tmp_path, table) == [
        Clause(0.95, 0.004, "a = 1 ==> b = 2"),
        Clause(0.9, 0.1, "a = 2 ==> b = 1"),
    ]
    assert k_means_squares(tmp_path, table) == 93785.6
    assert [scheme for scheme, _ in calls] == [
        "weka.associations.Tertius",
        "weka.clusterers.SimpleKMeans",
    ]
    assert calls[0][1] == arff_table(table)


def test_a_jar_that_is_named_and_absent_is_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("SHOAL_WEKA", str(tmp_path / "weka.jar"))
    with pytest.raises(ParameterError, match="SHOAL_WEKA names no file"):
        find_weka()


def test_without_java_there_is_no_weka(monkeypatch, tmp_path):
    jar = tmp_path / "weka.jar"
    jar.touch()
    monkeypatch.setenv("SHOAL_WEKA", str(jar))
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/java")
    assert find_weka() == jar
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert find_weka() is None


def test_j48_errs_where_our_c45_does():
    jar = find_weka()
    if jar is None:
        pytest.skip("Java or Weka is not installed; set SHOAL_WEKA to the path of weka.jar")
    seen = Examples({"x": TEST.columns["x"][:3]}, TEST.classes[:3])
    assert j48_error(jar, TRAIN, seen) == pytest.approx(100 / 3)
    assert tree_error(TRAIN, seen) == pytest.approx(100 / 3)
