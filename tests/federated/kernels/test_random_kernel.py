import json
import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

from shoal.errors import KeyFileError, ParameterError, ProtocolError, SchemaError
from shoal.federated import AliasTable, RandomKernel, RandomKernelSVC, TransformKey, make_share
from shoal.federated._secret import seal, write_private
from shoal.federated.kernels._kernel_functions import gaussian, linear
from tests.reference.sites import patients

RANGES = {"age": (0, 100), "dose": (0, 80), "score": (0, 4), "sex": (0, 1)}


def rows(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 4)) * [100, 80, 4, 1]


@pytest.mark.parametrize("kernel", ["linear", "gaussian"])
def test_stacking_shares_is_projecting_the_stack_to_the_last_bit(kernel):
    shared = RandomKernel(RANGES, 3, kernel, random_state=2**100 + 5).fit()
    parts = [rows(n, n) for n in (1, 7, 1000)]
    stacked = shared.transform(np.concatenate(parts))
    np.testing.assert_array_equal(np.concatenate([shared.transform(p) for p in parts]), stacked)


def test_kernels_agree_with_plain_formulas():
    rng = np.random.default_rng(1)
    A, B = rng.random((20, 5)), rng.normal(size=(3, 5))
    np.testing.assert_allclose(linear(A, B), A @ B.T, atol=1e-12)
    np.testing.assert_allclose(gaussian(A, B, 0.3), rbf_kernel(A, B, gamma=0.3), atol=1e-12)


def test_the_seed_alone_fixes_the_matrix_and_the_fingerprint():
    one, two = (RandomKernel(RANGES, random_state=2**100).fit() for _ in range(2))
    np.testing.assert_array_equal(one.basis_, two.basis_)
    assert one.fingerprint == two.fingerprint
    assert one.basis_.shape == (3, 4)
    assert RandomKernel(RANGES).fit().fingerprint != RandomKernel(RANGES).fit().fingerprint


@pytest.mark.parametrize(
    "changed",
    [
        RandomKernel(RANGES, random_state=2**100 + 2),
        RandomKernel({**RANGES, "age": (0, 101)}, random_state=2**100 + 1),
        RandomKernel(RANGES, 2, random_state=2**100 + 1),
        RandomKernel(RANGES, kernel="gaussian", random_state=2**100 + 1),
        RandomKernel(
            {("years" if k == "age" else k): v for k, v in RANGES.items()}, random_state=2**100 + 1
        ),
    ],
)
def test_another_matrix_range_feature_or_kernel_is_refused(changed):
    mine = RandomKernel(RANGES, random_state=2**100 + 1).fit()
    with pytest.raises(ProtocolError, match="another random kernel"):
        mine.check_peer(changed.fit().fingerprint)


@pytest.mark.parametrize("components", [4, 5, 100])
def test_as_many_components_as_features_are_refused_with_the_reason(components):
    with pytest.raises(ParameterError, match="could compute every row from its projection"):
        RandomKernel(RANGES, components).fit()


@pytest.mark.parametrize("components", [1, 0, -3])
def test_one_component_is_refused(components):
    with pytest.raises(ParameterError, match="one number per row"):
        RandomKernel(RANGES, components).fit()


def test_a_constant_feature_is_refused():
    with pytest.raises(ParameterError, match=r"'age'.*constant feature"):
        RandomKernel({**RANGES, "age": (5, 5)}).fit()


def test_values_outside_the_agreed_range_or_missing_are_refused_unseen():
    shared = RandomKernel(RANGES, random_state=2**100 + 1).fit()
    bad = rows(5)
    bad[2, 1] = 777.25
    with pytest.raises(SchemaError, match="'dose': 1 of 5 values lie outside") as caught:
        shared.transform(bad)
    assert "777" not in str(caught.value)
    bad[2, 1] = np.nan
    with pytest.raises(SchemaError, match="'dose': 1 of 5 values are missing"):
        shared.transform(bad)
    with pytest.raises(SchemaError, match="X has 3 features, but 4"):
        shared.transform(bad[:, :3])


def test_frames_are_read_by_column_name():
    shared = RandomKernel(RANGES, random_state=2**100 + 1).fit()
    frame = pl.DataFrame(rows(6), schema=list(RANGES))
    shuffled = frame.select("sex", pl.lit("x").alias("name"), "dose", "age", "score")
    np.testing.assert_array_equal(shared.transform(shuffled), shared.transform(rows(6)))
    with pytest.raises(SchemaError, match="missing from the table: 'sex'"):
        shared.transform(frame.drop("sex"))
    with pytest.raises(SchemaError, match="'sex' is not numeric"):
        shared.transform(frame.with_columns(sex=pl.lit("f")))


def test_a_saved_kernel_is_read_back_whole(tmp_path):
    shared = RandomKernel(RANGES, kernel="gaussian").fit()
    shared.save(tmp_path / "b", "open sesame", memory_kib=32)
    again = RandomKernel.load(tmp_path / "b", "open sesame")
    assert again.fingerprint == shared.fingerprint
    np.testing.assert_array_equal(again.transform(rows(9)), shared.transform(rows(9)))
    with pytest.raises(KeyFileError, match="wrong passphrase"):
        RandomKernel.load(tmp_path / "b", "open")


def test_a_transform_key_is_not_a_random_kernel(tmp_path):
    key = TransformKey.create({"a": AliasTable.random("xy", "a")})
    key.save(tmp_path / "k", "p", memory_kib=32)
    with pytest.raises(KeyFileError, match="does not hold a random kernel"):
        RandomKernel.load(tmp_path / "k", "p")


def test_is_a_good_estimator():
    shared = RandomKernel(RANGES, 2, random_state=2**100 + 3)
    assert clone(shared).get_params() == shared.get_params()
    again = pickle.loads(pickle.dumps(shared.fit()))
    assert again.fingerprint == shared.fingerprint
    assert RandomKernel(random_state=0).fit_transform(rows(10)).shape == (10, 3)


def test_fitting_needs_ranges_or_rows_and_a_known_kernel():
    with pytest.raises(ParameterError, match="either agreed ranges"):
        RandomKernel().fit()
    with pytest.raises(ParameterError, match="kernel must be one of"):
        RandomKernel(RANGES, kernel="cubic").fit()


@pytest.mark.parametrize("seed", [0, 1, 20260, 2**32, 2**63 + 7, 2**64 - 1])
def test_what_comes_from_a_seed_that_can_be_guessed_stays_in_the_house(seed, tmp_path):
    shared = RandomKernel(RANGES, random_state=seed).fit()
    shared.transform(rows(10))
    table = patients(30, 1).with_columns(sex=pl.col("age") > 50)
    for leaves in (
        lambda: shared.fingerprint,
        lambda: shared.save(tmp_path / "B", "open sesame"),
        lambda: shared.check_peer("0" * 64),
        lambda: make_share(shared, table, "gent", label="dead"),
    ):
        with pytest.raises(ParameterError, match=r"secrets\.randbits\(128\)"):
            leaves()
    assert list(tmp_path.iterdir()) == []


def test_the_fingerprint_confirms_no_guess_of_the_matrix():
    """Who has B itself, from known patients say, still cannot tell it by its fingerprint."""
    shared = RandomKernel(RANGES).fit()
    guess = RandomKernel(RANGES).fit()
    guess.basis_ = shared.basis_
    assert guess.fingerprint != shared.fingerprint
    seeded = RandomKernel(RANGES, random_state=2**127 + 1).fit()
    guess.basis_ = seeded.basis_
    assert guess.fingerprint != seeded.fingerprint
    guess.blind_ = seeded.blind_
    assert guess.fingerprint == seeded.fingerprint


def test_a_kernel_file_without_secret_bytes_predicts_and_shares_no_more(tmp_path):
    shared = RandomKernel(RANGES).fit()
    old = {**shared._settings(), "basis": [[x.hex() for x in row] for row in shared.basis_]}
    write_private(tmp_path / "B", seal(json.dumps(old).encode(), "open sesame", memory_kib=64))
    loaded = RandomKernel.load(tmp_path / "B", "open sesame")
    np.testing.assert_array_equal(loaded.transform(rows(5)), shared.transform(rows(5)))
    with pytest.raises(ParameterError, match="earlier version"):
        loaded.fingerprint  # noqa: B018  the property raises


def test_the_seed_is_not_shown():
    seed = 2**100 + 123_456_789
    shared = RandomKernel(RANGES, random_state=seed).fit()
    model = RandomKernelSVC(shared)
    shown = [repr(shared), str(shared), repr(model), str(shared._repr_mimebundle_())]
    assert all(str(seed) not in text for text in shown)
    assert repr(RandomKernel()) == "RandomKernel(no agreed features, kernel='linear')"
