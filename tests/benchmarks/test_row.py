import pytest

from benchmarks._row import Row, missing


@pytest.mark.parametrize(
    ("ours", "peer", "ratio"),
    [(1.0, 4.0, 0.25), (1.0, None, None), (None, 4.0, None), (1, 0, None)],
)
def test_the_ratio_is_ours_over_the_peers(ours, peer, ratio):
    assert Row("what", ours, peer).ratio == ratio


def test_a_row_survives_plain_values():
    row = Row("what", 1.0, 2.0, "them", "MB", "noted")
    assert row.to_dict()["ratio"] == 0.5
    assert Row.from_dict(row.to_dict()) == row


def test_a_missing_figure_says_why():
    row = missing("what", "not installed", "them")
    assert (row.ours, row.ratio, row.note, row.peer_name) == (None, None, "not installed", "them")
