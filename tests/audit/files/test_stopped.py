"""What is said of an audit that stopped, and what debugging shows of it."""

import io

import numpy as np
import pytest
from click.testing import Result
from sklearn.tree import DecisionTreeClassifier
from typer.testing import CliRunner

from shoal import cli
from shoal.audit.files import _audit_process
from shoal.audit.files._stopped import add_frames, list_frames, say_stopped
from shoal.errors import TableError
from tests.audit.trials import quick_audits as quick_audits
from tests.extras import need


def raised(function, *arguments):
    with pytest.raises(Exception) as caught:  # noqa: PT011  whatever it is
        function(*arguments)
    return caught.value


def test_a_file_that_does_not_load_is_told_from_a_defect_of_ours():
    ours = raised(list_frames, 5)  # an integer has no traceback
    theirs = raised(DecisionTreeClassifier().fit, [["Ann"]], [0])
    assert "loading it stopped with AttributeError" in say_stopped(ours, is_loaded=False)
    assert "inside Shoal (AttributeError)" in say_stopped(ours, is_loaded=True)
    assert "its library stopped with ValueError" in say_stopped(theirs, is_loaded=True)
    assert "Ann" in str(theirs)
    assert "Ann" not in say_stopped(theirs, is_loaded=True) + str(list_frames(theirs))


def test_frames_of_the_error_behind_an_error_are_there_though_it_was_hidden():
    def hide():
        try:
            DecisionTreeClassifier().fit([["Ann"]], [0])
        except ValueError:
            raise TableError("damaged") from None

    lines = list_frames(raised(hide))
    assert any("in hide" in line for line in lines)
    assert any("_classes.py" in line for line in lines)


def test_what_another_process_says_of_its_frames_steers_no_terminal():
    error = TableError("damaged")
    add_frames(error, ["\x1b[2J" + "x" * 10_000, 7] + ["more"] * 1000)
    add_frames(error, "no list")
    assert len(error.__notes__) == 200
    assert error.__notes__[0].startswith("\\x1b[2Jxxx")
    assert len(error.__notes__[0]) < 400


@pytest.mark.usefixtures("quick_audits")
def test_debugging_shows_where_the_process_of_an_audit_stopped(tmp_path, monkeypatch):
    skops = need("skops.io")
    (tmp_path / "people.csv").write_text("age,ill\n" + "30,no\n40,yes\n" * 20)
    (tmp_path / "schema.toml").write_text(
        '[columns.age]\nrole = "quasi-identifier"\n'
        '[columns.ill]\nrole = "sensitive"\ntarget = true\n'
    )
    model = DecisionTreeClassifier().fit(np.tile([[30], [40]], (20, 1)), ["no", "yes"] * 20)
    skops.dump(model, tmp_path / "tree.skops")

    def fail(*_):
        raise ZeroDivisionError("Ann has 5")

    monkeypatch.setattr(_audit_process, "read_model", fail)
    words = [str(tmp_path / name) for name in ("tree.skops", "people.csv")]

    def run() -> Result:
        return CliRunner().invoke(
            cli.app, ["audit", *words, "--schema", str(tmp_path / "schema.toml")]
        )

    plain = run()
    assert plain.exit_code == 2
    assert "ZeroDivisionError" in plain.stderr
    assert "in fail" not in plain.stderr
    monkeypatch.setenv("SHOAL_DEBUG", "1")
    assert "in fail" in run().stderr
    assert "Ann" not in run().output


def test_a_request_that_is_none_is_told_with_its_frames():
    out = io.BytesIO()
    _audit_process.answer(b"no request", out, limited=False)
    assert b'"where"' in out.getvalue()
