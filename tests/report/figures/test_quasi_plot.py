import sys

import pytest

from shoal.discover import survey
from shoal.errors import MissingExtraError, ParameterError
from shoal.report.figures._quasi_plot import _draw, plot_survey
from tests.discover.tables import EXAMPLE
from tests.extras import need


def test_a_survey_is_drawn_with_its_worst_sets(tmp_path):
    need("matplotlib")
    path = plot_survey(survey(EXAMPLE), tmp_path / "risk.svg")
    text = path.read_text()
    assert text.startswith("<?xml")
    assert "age, sex" in text
    png = plot_survey(survey(EXAMPLE), tmp_path / "risk.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    again = plot_survey(survey(EXAMPLE), tmp_path / "again.png").read_bytes()
    assert again == png


def test_other_formats_are_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"end it in \.png"):
        plot_survey(survey(EXAMPLE), tmp_path / "risk.doc")


def test_a_missing_matplotlib_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'shoal\[plot\]'"):
        plot_survey(survey(EXAMPLE), tmp_path / "risk.svg")
    assert not list(tmp_path.iterdir())


def test_sets_of_long_names_lie_inside_the_picture():
    need("matplotlib")
    names = ("main finding " * 8, "a" * 70, "$x_1$ 100%")
    rows = {name: [n * place % 7 for n in range(60)] for place, name in enumerate(names, 3)}
    figure = _draw(survey(rows, random_state=0))
    figure.canvas.draw()  # a warning, that there is no room, is an error here
    (axes,) = figure.axes
    assert axes.get_position().width > 0.8
    assert len(axes.texts) == 3
    for said in axes.texts:
        box = said.get_window_extent()
        assert figure.bbox.x0 <= box.x0 < box.x1 <= figure.bbox.x1
