"""Pictures whose parts do not lie on one another."""

from tests.extras import need


def test_a_title_and_the_legend_below_it_do_not_lie_on_one_another():
    need("matplotlib")
    from shoal._figure import legend_above, new_figure

    figure = new_figure(7, 4.2, "drawing")
    axes = figure.add_subplot()
    axes.plot([1, 2], [3, 4], marker="o", label="worst set")
    legend_above(axes, "2,000 rows")
    figure.canvas.draw()
    (title,) = (part for part in axes.get_children() if part in axes.texts or _says(part))
    assert not title.get_window_extent().overlaps(axes.get_legend().get_window_extent())
    assert title.get_window_extent().y1 <= figure.bbox.y1


def _says(part):
    return getattr(part, "get_text", lambda: "")() == "2,000 rows"
