import pytest

from reproduce import (
    EXPERIMENTS,
    Evidence,
    Experiment,
    Finding,
    Setup,
    _experiment,
    load,
    run,
    select,
)
from shoal.errors import DataNotFoundError, ParameterError


@pytest.fixture
def registered(monkeypatch):
    def register(run):
        experiment = Experiment("Nothing is lost.", "Nobody, 2000", run)
        monkeypatch.setattr(_experiment, "load", lambda name: experiment)

    return register


SETUP = Setup(True, 7, lambda done, total, what: None)


def test_every_name_leads_to_an_experiment_with_a_claim_and_a_reference():
    for name, line in EXPERIMENTS.items():
        experiment = load(name)
        assert experiment.title
        assert any(year in experiment.reference for year in ("2004", "2006", "2008", "2010")), name
        assert line.endswith("."), name


def test_all_or_nothing_selects_every_experiment():
    assert select([]) == select(["all"]) == list(EXPERIMENTS)


def test_an_unknown_experiment_is_an_error_that_lists_the_known():
    with pytest.raises(ParameterError, match="no experiment is called cold-fusion"):
        select(["cold-fusion"])


def test_a_number_outside_its_bounds_makes_the_outcome_differ(registered):
    registered(lambda setup: Evidence([Finding("Table 1", "rows", 3, high=2)], "None."))
    assert run("x", SETUP).state == "differs"


def test_a_claim_that_is_not_confirmed_is_no_success(registered):
    found = [Finding("Table 1", "rows", 1, high=2)]
    registered(lambda setup: Evidence(found, "None.", unmet=["It is always faster."]))
    assert run("x", SETUP).state == "in part"


def test_the_setup_reaches_the_experiment(registered):
    registered(lambda setup: Evidence([Finding("", "seed", setup.seed, low=7, high=7)], "None."))
    assert run("x", SETUP).state == "reproduced"


def test_absent_data_makes_it_skipped_and_says_how_to_get_it(registered):
    def without(setup):
        raise DataNotFoundError("lung is not here. Put it there.")

    registered(without)
    outcome = run("x", SETUP)
    assert outcome.state == "skipped"
    assert "Put it there" in outcome.skipped


def test_any_other_error_is_not_hidden(registered):
    def broken(setup):
        raise ZeroDivisionError

    registered(broken)
    with pytest.raises(ZeroDivisionError):
        run("x", SETUP)
