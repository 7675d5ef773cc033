import pytest

from benchmarks._compare import compare


def stored(*rows, commit="one", full=False, numpy="2.0"):
    """Results of a benchmark `b` with rows of (what, ours)."""
    return {
        "commit": commit,
        "date": "today",
        "full": full,
        "machine": {"cores": 2},
        "versions": {"numpy": numpy},
        "benchmarks": [
            {"name": "b", "rows": [{"what": w, "ours": ours, "unit": "s"} for w, ours in rows]}
        ],
    }


def body(text):
    """The cells of the table, without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_change_is_after_over_before():
    text = compare(stored(("fit", 4.0)), stored(("fit", 1.0), commit="two"))
    assert body(text) == [["b", "fit", "4", "1", "0.25", "s"]]
    assert "before: one" in text
    assert "after: two" in text


def test_what_only_one_has_is_shown_as_absent():
    text = compare(stored(("old", 1.0)), stored(("new", 2.0)))
    assert body(text) == [
        ["b", "old", "1", "absent", "-", "s"],
        ["b", "new", "absent", "2", "-", "s"],
    ]


@pytest.mark.parametrize(("a", "b"), [(None, 1.0), (1.0, None), (0.0, 1.0)])
def test_no_change_is_made_up_where_a_figure_is_missing(a, b):
    assert body(compare(stored(("fit", a)), stored(("fit", b))))[0][4] == "-"


def test_other_conditions_are_said():
    text = compare(stored(), stored(full=True, numpy="2.1"))
    assert "quick run" in text
    assert "versions differ in numpy: 2.0 and 2.1" in text
    assert "cores" not in text
