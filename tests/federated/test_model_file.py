"""Files of models that were trained from shares: the same model, or a refusal."""

import json

import numpy as np
import pytest

from shoal.errors import ProtocolError, ShoalError, TableError
from shoal.federated import RandomKernel, RandomKernelCox, RandomKernelSVC, make_share
from shoal.federated._model_file import read_site_model, write_site_model
from tests.extras import need
from tests.models.test_json import mutate

pl = need("polars")

RANGES = {"age": (0, 100), "dose": (0, 80), "score": (0, 4)}


def rows(seed, n=40):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 90, n)
    return pl.DataFrame(
        {
            "age": age,
            "dose": rng.integers(0, 80, n),
            "score": rng.integers(0, 5, n),
            "ill": (age + rng.normal(0, 9, n) > 55).astype(int),
            "time": 100.0 - age + rng.random(n),
            "event": rng.integers(0, 2, n),
        }
    )


@pytest.fixture(scope="module")
def kernel():
    return RandomKernel(RANGES).fit()


def trained(kernel, kind):
    """A model of one kind, and the shares behind it."""
    outcome = {"label": "ill"} if kind == "svc" else {"time": "time", "event": "event"}
    shares = [make_share(kernel, rows(s), f"site {s}", **outcome) for s in (1, 2)]
    if kind == "cox":
        need("lifelines")
        return RandomKernelCox(ridge=0.1).fit_shares(shares), shares
    return RandomKernelSVC(nu=3.0).fit_shares(shares), shares


@pytest.mark.parametrize("kind", ["svc", "cox"])
def test_a_model_comes_back_bit_by_bit(kernel, kind, tmp_path):
    model, shares = trained(kernel, kind)
    facts = write_site_model(model, shares, tmp_path / "model.json")
    assert facts["sites"] == {"site 1": 40, "site 2": 40}
    again = read_site_model(tmp_path / "model.json", kernel)
    assert again.coef_.tolist() == model.coef_.tolist()
    model.kernel_ = kernel
    assert again.predict(rows(3)).tolist() == model.predict(rows(3)).tolist()
    with pytest.raises(ProtocolError, match="has another random kernel"):
        read_site_model(tmp_path / "model.json", RandomKernel(RANGES).fit())


@pytest.mark.parametrize("kind", ["svc", "cox"])
def test_changed_files_are_refused_or_models(kernel, kind, tmp_path):
    model, shares = trained(kernel, kind)
    path, rng, refused = tmp_path / "model.json", np.random.default_rng(0), 0
    write_site_model(model, shares, path)
    written = json.loads(path.read_text())
    for _ in range(200):
        path.write_text(json.dumps(mutate(written, rng)))
        try:
            again = read_site_model(path, kernel)
        except ShoalError:
            refused += 1
        else:
            assert len(again.predict(rows(3))) == 40
    assert refused > 80


@pytest.mark.parametrize("text", ["", "[]", '{"format": "shoal-tree"}', "\x00"])
def test_other_files_are_refused(kernel, text, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(text)
    with pytest.raises(TableError, match="is not a model"):
        read_site_model(path, kernel)
    with pytest.raises(TableError, match="cannot read model"):
        read_site_model(tmp_path / "gone.json", kernel)
