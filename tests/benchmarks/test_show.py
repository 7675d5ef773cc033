import pytest

from benchmarks._row import Row
from benchmarks._run import Done
from benchmarks._show import HEAD, figure, figures, table


def test_one_table_holds_every_row_of_every_benchmark():
    done = [
        Done("a", (Row("fast", 1.0, 4.0, "them"), Row("alone", 2.0)), 1.0),
        Done("b", (Row("did not finish", None, unit="", note="why"),), 1.0, failure="why"),
    ]
    lines = table(HEAD, figures(done)).splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert cells[0] == list(HEAD)
    assert cells[2:] == [
        ["a", "fast", "1", "them", "4", "0.25", "s", ""],
        ["a", "alone", "2", "", "-", "-", "s", ""],
        ["b", "did not finish", "-", "", "-", "-", "", "why"],
    ]
    assert len({len(line) for line in lines}) == 1


def test_a_bar_in_a_cell_does_not_cut_it():
    assert table(("x",), [("a|b",)]).splitlines()[-1] == "| a/b |"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "-"), (0.012345, "0.0123"), (0, "0"), (999.4, "999"), (1234567.8, "1,234,568")],
)
def test_figures_read_well(value, shown):
    assert figure(value) == shown
