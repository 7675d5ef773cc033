import numpy as np
import pytest

from shoal.errors import ConvergenceError, ParameterError
from shoal.federated import compare_sites
from shoal.federated.kernels import _compare
from shoal.federated.kernels._compare import Study, choose_nu, run_study
from shoal.federated.kernels._newton_svm import newton_svm
from shoal.federated.kernels._survival import survival_target
from tests.reference.sites import RANGES


@pytest.fixture
def outcomes(sites):
    return {
        name: (table, survival_target(table["time"].to_numpy(), table["event"].to_numpy()))
        for name, table in sites.items()
    }


@pytest.mark.parametrize("model", ["cox", "svm"])
def test_joint_beats_single_sites_where_there_is_something_to_learn(outcomes, model):
    found = run_study(outcomes, RANGES, Study(model, 30.0, 0.4, n_splits=15))
    assert list(found.scores) == ["joint private", *outcomes, "pooled"]
    rows = {row["model"]: row for row in found.rows()}
    assert rows["pooled"]["mean"] > found.single_site_mean()
    assert rows["pooled"]["splits"] == 15
    gap, error = found.gap()
    assert gap > -0.05
    assert error > 0
    assert found.to_dict()["score"] == "AUC at 30"


def test_concordance_is_measured_too(outcomes):
    found = compare_sites(outcomes, RANGES, "cox", 30.0, n_splits=3, score="concordance")
    assert found.score == "concordance"
    assert all(0.5 < row["mean"] < 1 for row in found.rows())


def test_splits_depend_on_the_seed_only(outcomes):
    study = Study("svm", 30.0, n_splits=2, random_state=7)
    one, two = (run_study(outcomes, RANGES, study).scores for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one)


def test_a_site_that_cannot_train_alone_scores_nothing(outcomes):
    table, y = outcomes["gent"]
    lived = np.column_stack([np.full(len(y), 1000.0), np.zeros(len(y))])
    found = run_study({**outcomes, "gent": (table, lived)}, RANGES, Study("cox", 30.0, n_splits=2))
    assert np.isnan(found.scores["gent"]).all()
    assert not np.isnan(found.scores["joint private"]).any()


def test_nu_is_chosen_by_folds_of_the_rows_that_are_trained_on():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(60, 3))
    signs = np.where(rows[:, 0] + rng.normal(size=60) > 0, 1.0, -1.0)
    values = (1e-6, 0.1, 10.0)
    nu = choose_nu(rows, signs, Study("svm", 30.0, nu=values))

    def mean_auc(nu):
        """The same folds, written out."""
        scores = []
        order = {side: list(np.flatnonzero(signs == side)) for side in (-1, 1)}
        for f in range(5):
            held = order[-1][f::5] + order[1][f::5]
            rest = [i for i in range(60) if i not in held]
            w = newton_svm(rows[rest], signs[rest], nu).w
            pairs = [(i, j) for i in order[1][f::5] for j in order[-1][f::5]]
            scores.append(np.mean([rows[i] @ w > rows[j] @ w for i, j in pairs]))
        return np.mean(scores)

    assert mean_auc(nu) == max(map(mean_auc, values))
    assert choose_nu(rows[:2], np.array([1.0, -1.0]), Study("svm", 1.0, nu=values)) == 0.1


def test_every_model_may_choose_its_own_nu(outcomes):
    found = run_study(outcomes, RANGES, Study("svm", 30.0, n_splits=3, nu=(0.1, 1.0, 10.0)))
    low, high = found.interval()
    assert low < found.gap()[0] < high
    with pytest.raises(ParameterError, match="nu must be above 0"):
        Study("svm", 30.0, nu=(1.0, 0.0))


def test_a_joint_model_that_does_not_converge_is_no_number(outcomes, monkeypatch):
    def never(rows, target, ridge):
        raise ConvergenceError("Cox regression", "Raise ridge.")

    monkeypatch.setattr(_compare, "cox_coefficients", never)
    with pytest.raises(ConvergenceError, match="Raise ridge"):
        run_study(outcomes, RANGES, Study("cox", 30.0, n_splits=2))


def test_mistakes_are_refused(outcomes):
    with pytest.raises(ParameterError, match="model must be one of"):
        Study("tree", 30.0)
    with pytest.raises(ParameterError, match="train_share"):
        Study("cox", 30.0, 1.5)
    with pytest.raises(ParameterError, match="score must be"):
        run_study(outcomes, RANGES, Study("cox", 30.0), score="accuracy")
