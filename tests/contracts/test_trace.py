"""What one job meets: the functions that a reader of it has to know, and none of them twice."""

import pytest

from tests.contracts import trace

MOST_FUNCTIONS, MOST_FILES = 305, 62
"""What it is now; lower these when it falls, and say in the change why when it has to rise."""


@pytest.fixture(scope="module")
def calls(tmp_path_factory):
    return trace.trace_command(tmp_path_factory.mktemp("trace"))


def test_one_job_meets_no_more_functions_than_before(calls):
    n_functions = sum(map(len, calls.values()))
    assert n_functions <= MOST_FUNCTIONS
    assert len(calls) <= MOST_FILES


@pytest.mark.parametrize(
    ("path", "name", "times"),
    [
        ("privacy/compiled/_compile.py", "compile_model", 1),
        ("anonymize/clusters/_group_recoding.py", "label_groups", 1),
        ("anonymize/clusters/_group_recoding.py", "GroupRecoding.recode", 1),
        # for the search, and for the bound, which knows no weights
        ("anonymize/clusters/_group_loss.py", "make_columns", 2),
        # what ranges lose, which both ask for, and the labels of the groups
        ("tables/_recoded.py", "public_range_labels", 2),
        ("tables/_frequency.py", "Histogram.merge", 1),
    ],
)
def test_what_is_known_is_not_computed_again(calls, path, name, times):
    assert calls[path][name] == times


def test_groups_of_fitted_cells_are_not_looked_up(calls):
    assert calls["anonymize/_recoding.py"]["match_cells"] == 0
    assert calls["tables/_recoded.py"]["Recoded.from_cells"] == 0
