import numpy as np
import pytest

from reproduce._classify import Examples, tree_error
from reproduce._weka import arff_header, arff_rows, find_weka, j48_error
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
