import sys
import types

import pytest

import shoal
from shoal._notebook import NotebookProgress, html_table, notebook_progress, plot_bars
from shoal.anonymize import Mondrian
from shoal.audit import audit
from shoal.datasets import census
from shoal.datasets._census import census_schema
from shoal.errors import ParameterError
from tests.extras import need


@pytest.fixture(scope="module")
def release():
    return shoal.release(census(200).path(), census_schema(), k=5, method="mondrian")


def things(release):
    table = {"age": [30, 70, 80], "ill": ["<no>", "yes", "<no>"]}
    schema = shoal.Schema(
        {"age": {"role": "quasi-identifier", "kind": "numeric"}, "ill": {"role": "sensitive"}}
    )
    return {
        "schema": release.schema,
        "release": release,
        "metrics": release.metrics,
        "risk": release.risk,
        "audit": audit(lambda rows: rows["ill"], table, schema, k=4),
        "comparison": shoal.compare_methods(table, schema, 2, methods=["mondrian"]),
        "explanation": release.explain(0, k=[2]),
        "verdict": shoal.check_table(table, schema, shoal.KAnonymity(2)),
    }


def test_every_result_shows_itself_and_no_value_of_anybody(release):
    names = {line.split(",")[0] for line in census(200).path().read_text().splitlines()[1:]}
    for kind, thing in things(release).items():
        shown = thing._repr_html_()
        assert "<table" in shown, kind
        assert "<no>" not in shown
        assert not any(name in shown for name in names), kind


def test_pictures_are_drawn_and_saved(release, tmp_path):
    need("matplotlib")
    for kind, thing in things(release).items():
        if kind in ("explanation", "verdict"):
            continue
        plot = thing.plot()
        assert plot._repr_png_().startswith(b"\x89PNG"), kind
    assert plot.save(tmp_path / "p.svg").exists()
    with pytest.raises(ParameterError, match="cannot draw"):
        plot_bars("t", ["a"], [1], "x").save(tmp_path / "p.gif")


def test_names_of_any_length_leave_room_for_their_bars():
    need("matplotlib")
    names = ["a" * 90, "a" * 91, "$x_1$ and $", "sex"]
    figure = plot_bars("detail lost, " * 20, names, [0.2, 0.0, float("nan"), 1.0], "%").figure
    figure.canvas.draw()
    (axes,) = figure.axes
    assert axes.get_position().width > 0.4
    assert len(axes.patches) == 4  # names that are alike once they are cut stay apart
    for part in (figure.texts[0], *axes.get_yticklabels(), axes.xaxis.label):
        box = part.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 < box.y1 <= figure.bbox.y1


def test_texts_are_escaped():
    shown = html_table("<i>", ["<b>"], [["<script>", 1234, 0.5, None]])
    assert "<script>" not in shown
    assert "<i>" not in shown
    assert "1,234" in shown


def test_a_bar_is_shown_in_a_notebook_only(monkeypatch):
    assert notebook_progress() is None
    shown = []

    class Handle:
        def update(self, what):
            shown.append(what)

    def display(what, **options):
        shown.append(what)
        return Handle()

    fake = types.SimpleNamespace(HTML=str, display=display)
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    monkeypatch.setitem(sys.modules, "ipykernel", fake)
    assert isinstance(notebook_progress(), NotebookProgress)
    shoal.release({"age": [1, 2, 3, 4]}, SCHEMA, k=2, method="mondrian")
    assert "<progress" in shown[0]
    assert shown[-1] == ""


SCHEMA = shoal.Schema({"age": {"role": "quasi-identifier", "kind": "numeric"}})


def test_a_method_shows_no_bar_by_itself():
    assert Mondrian(SCHEMA, 2).fit({"age": [1, 2]}).release_.n_suppressed == 0


def test_columns_of_numbers_are_set_right_and_others_left():
    rows = [["lost", "7.6 %", "0 %; below 2 % is hard to see"], ["kept", "3 of 4", "100 %"]]
    shown = html_table("", ["measure", "value", "good is"], [*rows, ["left out", None, "all"]])
    assert shown.count('<td style="text-align:right">') == 3
    assert '<th style="text-align:right">value</th>' in shown
    assert '<td style="text-align:left">100 %</td>' in shown
    assert "left" in html_table("", ["empty"], [])
    assert "overflow-x:auto" in shown  # on a narrow screen the table moves, not the page
