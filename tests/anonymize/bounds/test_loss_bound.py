import numpy as np
import pytest

from shoal.anonymize import FullDomain, LocalRecoding, Mondrian
from shoal.anonymize.bounds import _loss_bound
from shoal.anonymize.bounds._loss_bound import LossBound, bound_loss, least_mean
from shoal.privacy import KAnonymity
from tests.anonymize import group_cases


def people(seed=0, n=150):
    return group_cases.rows(np.random.default_rng(seed), n)


@pytest.mark.parametrize("method", [LocalRecoding, Mondrian, FullDomain])
def test_every_release_loses_at_least_its_bound(method):
    release = method(group_cases.SCHEMA, KAnonymity(4)).fit(people()).release_
    bound = release.loss_bound
    assert bound.loss == pytest.approx(release.metrics.loss)
    assert 0 < bound.least <= bound.loss
    assert bound.times == pytest.approx(bound.loss / bound.least)
    assert (bound.confidence, bound.drawn) == (1.0, 0)
    assert bound.times <= release.to_dict()["loss_bound"]["times"] < bound.times + 0.01


def test_one_method_cannot_go_below_the_bound_that_another_is_given():
    releases = [
        method(group_cases.SCHEMA, KAnonymity(4)).fit(people(3)).release_
        for method in (LocalRecoding, Mondrian)
    ]
    assert max(r.loss_bound.least for r in releases) <= min(r.metrics.loss for r in releases)


def test_a_bound_from_drawn_rows_is_below_the_one_from_all(monkeypatch):
    release = LocalRecoding(group_cases.SCHEMA, KAnonymity(3)).fit(people(4, 400)).release_
    whole = bound_loss(release.recoded, 3, work=0)
    monkeypatch.setattr(_loss_bound, "_MOST_CELLS", 10)
    monkeypatch.setattr(_loss_bound, "_LOOKS", 0)
    drawn = bound_loss(release.recoded, 3, work=0)
    assert (drawn.drawn, drawn.confidence) == (200, 0.99)
    assert 0 < drawn.least <= whole.least
    assert "99% sure, 200 rows drawn" in drawn.describe()


def test_with_many_columns_the_bound_is_weaker_and_quick(monkeypatch):
    release = LocalRecoding(group_cases.SCHEMA, KAnonymity(3)).fit(people(4, 400)).release_
    whole = bound_loss(release.recoded, 3, work=0)
    monkeypatch.setattr(_loss_bound, "_FEW_COLUMNS", 1)
    weaker = bound_loss(release.recoded, 3, work=0)
    assert 0 < weaker.least <= whole.least
    assert (weaker.drawn, weaker.confidence) == (0, 1.0)
    monkeypatch.setattr(_loss_bound, "_WIDE_LOOKS", 30_000)
    drawn = bound_loss(release.recoded, 3, work=0)
    assert drawn.drawn == 40
    assert drawn.least <= weaker.least
    monkeypatch.setattr(_loss_bound, "_WIDE_LOOKS", 1)
    assert bound_loss(release.recoded, 3, work=0).times is None


def test_nodes_only_cannot_lose_as_little_as_ranges():
    table = people(5)
    nodes = LocalRecoding(group_cases.SCHEMA, KAnonymity(4), ranges="nodes").fit(table).release_
    assert nodes.loss_bound.least >= bound_loss(nodes.recoded, 4).least


def test_what_cannot_be_said_is_not_said():
    assert LossBound(0.0, 0.0).times == 1.0
    assert "Nothing is lost" in LossBound(0.0, 0.0).describe()
    assert LossBound(0.2, 0.0).times is None
    assert "not known" in LossBound(0.2, 0.0).describe()
    said = LossBound(0.2, 0.1).describe()
    assert "at most 2.00 times the least possible, which is at least 10.00 % of the detail" in said


@pytest.mark.parametrize("n", [40, 200, 2_000])
@pytest.mark.parametrize("shape", [(0.02, 1.0), (0.5, 0.5), (2.0, 5.0), (60.0, 40.0)])
def test_the_least_mean_is_above_the_true_one_in_no_more_draws_than_said(shape, n):
    draw = np.random.default_rng(0)
    true = shape[0] / sum(shape)
    bounds = [least_mean(draw.beta(*shape, n), 0.05) for _ in range(400)]
    assert np.mean(np.array(bounds) > true) <= 0.05
    if n == 2_000:  # and it is worth something
        assert np.median(bounds) >= true - 0.05


def test_shares_that_hardly_vary_are_known_better_than_by_their_number():
    alike = 0.5 + 0.01 * np.random.default_rng(0).standard_normal(2_000)
    by_number = alike.mean() - np.sqrt(np.log(2 / 0.01) / (2 * 2_000))
    assert least_mean(alike, 0.01) > by_number + 0.02
