import csv

import pytest

from shoal.anonymize import Mondrian
from shoal.errors import ParameterError, ShoalError
from shoal.privacy import KAnonymity
from shoal.report import measure_frontier
from shoal.report.figures._frontier import Frontier, FrontierPoint, _draw, plot_frontier
from tests.anonymize.strategies import SCHEMA, frame
from tests.extras import need

CROWD = [(20 + i % 9, "abcdefg"[i % 7], "uvw"[i % 3], "no") for i in range(40)]
METHODS = {
    "plain": lambda k: Mondrian(SCHEMA, KAnonymity(k)),
    "careful": lambda k: Mondrian(SCHEMA, KAnonymity(k), spread=0, loss=1),
}


def test_every_method_is_measured_at_every_k_and_failures_are_told(tmp_path):
    seen = []
    found = measure_frontier(
        frame(CROWD), METHODS, [10, 2, 100], n_jobs=1, progress=lambda *a: seen.append(a)
    )
    assert [(p.method, p.k) for p in found.points] == [
        (name, k) for name in METHODS for k in (2, 10, 100)
    ]
    for point in found.points:
        if point.k == 100:
            assert point.gcp is None
            assert "k=100 with 40 rows" in point.failure
        else:
            assert point.failure is None
            assert point.highest_risk <= 1 / point.k
    assert [done for done, _, _ in seen] == [1, 2, 3, 4, 5, 6]
    path = found.write_csv(tmp_path / "f.csv")
    with path.open() as file:
        lines = list(csv.DictReader(file))
    assert [float(line["gcp"] or -1) for line in lines[:2]] == [p.gcp for p in found.points[:2]]


@pytest.mark.parametrize("name", ["f.png", "f.svg"])
def test_the_same_frontier_gives_the_same_picture(tmp_path, name):
    need("matplotlib")
    found = measure_frontier(frame(CROWD), METHODS, [2, 10], n_jobs=1)
    first = plot_frontier(found, tmp_path / name).read_bytes()
    assert len(first) > 1000
    if name.endswith("png"):
        assert plot_frontier(found, tmp_path / name).read_bytes() == first


def test_what_cannot_be_drawn_is_refused(tmp_path):
    with pytest.raises(ParameterError, match="at least one k"):
        measure_frontier(frame(CROWD), METHODS, [])
    with pytest.raises(ParameterError, match="at least 1"):
        measure_frontier(frame(CROWD), METHODS, [0])
    nothing = measure_frontier(frame(CROWD), METHODS, [100], n_jobs=1)
    with pytest.raises(ParameterError, match="cannot draw"):
        plot_frontier(nothing, tmp_path / "f.txt")
    with pytest.raises(ShoalError, match="nothing to draw"):
        plot_frontier(nothing, tmp_path / "f.png")


def test_methods_are_told_apart_by_more_than_their_colour():
    need("matplotlib")
    points = [
        FrontierPoint(f"method {n}", k, gcp=n / 20 + k / 100, discernibility=k * 100)
        for n in range(9)
        for k in (2, 5)
    ]
    lost, _ = _draw(Frontier(tuple(points))).axes
    drawn = [(line.get_marker(), line.get_color()) for line in lost.lines]
    assert len(set(drawn)) == 9
    assert len({marker for marker, _ in drawn[:5]}) == 5
