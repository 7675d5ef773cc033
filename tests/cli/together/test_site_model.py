"""Share files give the model and the predictions of the API, from the command line too."""

import json

import numpy as np

from shoal.federated import RandomKernel, RandomKernelCox, RandomKernelSVC, read_shares
from shoal.federated._model_file import read_site_model
from tests.cli.together.test_site import home, kernel, patients, shoal  # noqa: F401  fixtures
from tests.extras import need

pl = need("polars")

PREDICT = ["all.csv", "--kernel", "site.kernel", "--out", "predicted.csv"]
CANARY_CASES = {
    "site train": [
        (0, ["ulm.share.parquet", "--out", "again.json"]),
        (2, ["people.csv", "--out", "again.json"]),
    ],
    "site predict": [
        (0, [*PREDICT, "--model", "svc.json"]),
        (2, [*PREDICT, "--model", "people.toml"]),
        (2, ["odd.csv", "--kernel", "site.kernel", "--out", "new.csv", "--model", "svc.json"]),
    ],
}


def publish(home, kernel, **outcome):  # noqa: F811
    """Shares of both sites, with a label or with survival times."""
    for name, seed in (("gent", 1), ("leuven", 2)):
        rows = patients(seed)
        rng = np.random.default_rng(seed)
        late = 90 - rows["age"].to_numpy()
        rows = rows.with_columns(
            pl.Series("died", np.where(rows["age"] + rng.normal(0, 9, 80) > 52, "yes", "no")),
            pl.Series("months", late + rng.integers(1, 20, 80)),
            pl.Series("event", rng.integers(0, 2, 80)),
        )
        rows.write_csv(home / name / "rows.csv")
        options = [part for key, column in outcome.items() for part in (f"--{key}", column)]
        done = shoal("share", home / name / "rows.csv", "--kernel", kernel, "--site", name, "--to",
                     home / "shared", "--no-attacks", *options)  # fmt: skip
        assert done.exit_code == 0, done.output
    return sorted((home / "shared").iterdir())


def predicted(home, kernel, *options):  # noqa: F811
    out = home / "predicted.csv"
    done = shoal("predict", home / "gent" / "rows.csv", "--model", home / "model.json", "--kernel",
                 kernel, "--out", out, "--force", *options)  # fmt: skip
    assert done.exit_code == 0, done.output
    return pl.read_csv(out)


def test_a_classifier_is_the_one_of_the_api(home, kernel):  # noqa: F811
    files = publish(home, kernel, label="died")
    weights = ("--site-weight", "gent=2", "--site-weight", "leuven=1")
    done = shoal("train", *files, "--out", home / "model.json", "--nu", 10, "--site", "gent",
                 "--site", "leuven", *weights, "--json")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["sites"] == {"gent": 80, "leuven": 80}
    shared = RandomKernel.load(kernel, "open sesame")
    expected = RandomKernelSVC(shared, nu=10)
    expected.fit_shares(read_shares(home / "shared"), {"gent": 2, "leuven": 1})
    again = read_site_model(home / "model.json", shared)
    assert again.coef_.tolist() == expected.coef_.tolist()
    assert again.intercept_ == expected.intercept_
    rows = pl.read_csv(home / "gent" / "rows.csv")
    told = predicted(home, kernel)
    assert told["class"].to_list() == expected.predict(rows).tolist()
    assert told["score"].to_list() == expected.decision_function(rows).tolist()


def test_a_survival_model_is_the_one_of_the_api(home, kernel):  # noqa: F811
    need("lifelines")
    files = publish(home, kernel, time="months", event="event")
    done = shoal("train", *files, "--out", home / "model.json", "--ridge", 0.1)
    assert done.exit_code == 0, done.output
    shared = RandomKernel.load(kernel, "open sesame")
    expected = RandomKernelCox(shared, ridge=0.1).fit_shares(read_shares(home / "shared"))
    rows = pl.read_csv(home / "gent" / "rows.csv")
    told = predicted(home, kernel, "--times", "10,30")
    assert np.allclose(told["log hazard"], expected.predict(rows), rtol=1e-9)
    chances = expected.predict_survival(rows, [10, 30])
    assert np.allclose(told[["alive after 10", "alive after 30"]], chances, rtol=1e-9)


def test_what_is_refused(home, kernel):  # noqa: F811
    files = publish(home, kernel, label="died")
    model, out = home / "model.json", home / "p.csv"
    rows = home / "gent" / "rows.csv"

    def refused(*arguments):
        done = shoal(*arguments)
        assert done.exit_code in (2, 4), done.output
        return " ".join(done.output.split())

    assert "--ridge is for survival models" in refused(
        "train", *files, "--out", model, "--ridge", 1
    )
    assert "2 sites were expected and 1 files found" in refused(
        "train", files[0], "--out", model, "--site", "gent", "--site", "leuven"
    )
    assert ".json" in refused("train", *files, "--out", home / "model.pkl")
    assert shoal("train", *files, "--out", model).exit_code == 0
    assert "is there already" in refused("train", *files, "--out", model)
    predict = ("predict", rows, "--model", model, "--out", out)
    assert "--times is for survival models" in refused(*predict, "--kernel", kernel, "--times", 3)
    other = home / "other"
    assert shoal("kernel", "new", home / "agreement.toml", "--out", other).exit_code == 0
    assert "has another random kernel" in refused(*predict, "--kernel", other)
    assert not out.exists()
