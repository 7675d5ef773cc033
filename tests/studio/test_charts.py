from shoal.studio._charts import HEIGHT, WIDTH, frontier_chart, scatter_chart


def point(method, k, lost, risk):
    return {"method": method, "k": k, "gcp": lost, "highest_risk": risk}


def test_marks_lie_inside_and_in_order():
    points = [point("a", 5, 0.1, 0.2), point("a", 50, 0.5, 0.02), point("b", 5, 0.3, 0.2)]
    chart = frontier_chart([*points, point("c", 5, None, None)])
    assert len(chart["marks"]) == 3
    for mark in chart["marks"]:
        assert chart["left"] + 8 < mark["x"] < WIDTH  # apart from the numbers of the axis
        assert 0 < mark["y"] < HEIGHT
    first, second, third = chart["marks"]
    assert first["x"] > second["x"]  # a larger chance lies to the right
    assert first["y"] > second["y"]  # a larger loss lies higher
    assert first["x"] == third["x"]
    assert [one["name"] for one in chart["names"]] == ["a", "b", "c"]


def test_nothing_to_draw_is_drawn_as_nothing():
    assert frontier_chart([])["marks"] == []
    assert scatter_chart([], {"height": 0, "loss": 0.0})["nodes"] == []
