from shoal.anonymize._compare import MethodResult
from shoal.report.figures._compare_plot import _draw
from tests.extras import need


def test_numbers_behind_bars_stay_in_their_half_and_a_long_title_breaks():
    need("matplotlib")
    results = [MethodResult("local", loss=0.12), MethodResult("full-domain", loss=0.987)]
    figure = _draw(results, "every group has at least 10 rows; " * 8)
    figure.canvas.draw()
    left, right = figure.axes
    for said in left.texts:
        assert said.get_window_extent().x1 < left.get_window_extent().x1
    title = figure.texts[0].get_window_extent()
    assert figure.bbox.x0 <= title.x0 < title.x1 <= figure.bbox.x1
    assert not title.overlaps(right.get_window_extent())


def test_nothing_lost_is_drawn():
    need("matplotlib")
    left, _ = _draw([MethodResult("local", loss=0.0)], "").axes
    assert left.get_xlim() == (0, 1.2)
