import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from shoal.errors import ParameterError, ProtocolError, SchemaError, TableError
from shoal.federated import RandomKernel, make_share, read_shares, write_share
from shoal.federated.kernels._shares import read_share
from tests.reference.sites import RANGES, patients


@pytest.fixture
def folder(kernel, sites, tmp_path):
    for name, table in sites.items():
        write_share(make_share(kernel, table, name, label="dead"), tmp_path)
    return tmp_path


def test_a_share_holds_the_projection_the_outcome_and_the_metadata_only(folder, kernel, sites):
    table = pq.read_table(folder / "gent.share.parquet")
    assert table.column_names == ["k0", "k1", "k2", "label"]
    share = read_share(folder / "gent.share.parquet")
    np.testing.assert_array_equal(share.projection, kernel.transform(sites["gent"]))
    assert share.to_dict() == {
        "site": "gent",
        "rows": 60,
        "components": 3,
        "outcome": "label",
        "fingerprint": kernel.fingerprint,
        "features": list(RANGES),
        "ranges": [list(map(float, r)) for r in RANGES.values()],
        "kernel": "linear",
    }
    assert repr(share) == "Share(site='gent', 60 rows, 3 components, label)"


@pytest.mark.parametrize(
    "other",
    [
        RandomKernel(RANGES, random_state=12),
        RandomKernel({**RANGES, "age": (0, 120)}, random_state=11),
        RandomKernel(RANGES, 2, random_state=11),
    ],
)
def test_a_site_with_another_kernel_is_refused_before_anything_is_written(folder, other):
    share = make_share(other.fit(), patients(30, 1), "late", label="dead")
    before = sorted(folder.iterdir())
    with pytest.raises(ProtocolError, match="different random kernels"):
        write_share(share, folder)
    assert sorted(folder.iterdir()) == before


def test_more_sites_than_files_is_an_error(folder):
    assert [s.site for s in read_shares(folder, ["maastro", "gent", "leuven"])] == [
        "gent",
        "leuven",
        "maastro",
    ]
    with pytest.raises(ProtocolError, match=r"4 sites were expected and 3 files found.*: luik;"):
        read_shares(folder, ["gent", "leuven", "luik", "maastro"])
    with pytest.raises(ProtocolError, match="not expected: maastro"):
        read_shares(folder, ["gent", "leuven"])


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(ProtocolError, match="no shares"):
        read_shares(tmp_path)


def test_a_damaged_or_foreign_file_is_an_error(folder):
    path = folder / "gent.share.parquet"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(TableError, match=r"'gent.share.parquet' is not a site's share"):
        read_shares(folder)
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(TableError, match="is not a site's share"):
        read_share(path)


def test_mixed_outcomes_are_refused(kernel, sites, folder):
    share = make_share(kernel, sites["gent"], "late", time="time", event="event")
    with pytest.raises(ProtocolError, match="different kinds of outcome"):
        write_share(share, folder)


def test_a_site_with_one_class_or_no_event_is_refused(kernel, sites):
    one_class = sites["gent"].filter(pl.col("dead"))
    with pytest.raises(SchemaError, match="one class only"):
        make_share(kernel, one_class, "gent", label="dead")
    share = make_share(kernel, one_class, "gent", label="dead", allow_uniform_outcome=True)
    assert len(share.projection) == len(one_class)
    no_event = sites["gent"].filter(pl.col("event") == 0)
    with pytest.raises(SchemaError, match="no events"):
        make_share(kernel, no_event, "gent", time="time", event="event")


def test_a_feature_constant_at_a_site_is_refused(kernel, sites):
    table = sites["gent"].with_columns(dose=pl.lit(60.0))
    with pytest.raises(SchemaError, match="constant at this site: 'dose'"):
        make_share(kernel, table, "gent", label="dead")


def test_outcomes_are_checked(kernel, sites):
    table = sites["gent"]
    with pytest.raises(ParameterError, match="either label, or both"):
        make_share(kernel, table, "gent", label="dead", time="time", event="event")
    with pytest.raises(ParameterError, match="either label, or both"):
        make_share(kernel, table, "gent", time="time")
    with pytest.raises(SchemaError, match="'died' is missing"):
        make_share(kernel, table, "gent", label="died")
    bad = table.with_columns(event=pl.lit(2))
    with pytest.raises(SchemaError, match="must be 0 or 1"):
        make_share(kernel, bad, "gent", time="time", event="event")
    gap = table.with_columns(dead=pl.lit(None, pl.Boolean))
    with pytest.raises(SchemaError, match="has missing values"):
        make_share(kernel, gap, "gent", label="dead")


@pytest.mark.parametrize("site", ["", "../gent", ".gent", "a/b"])
def test_a_site_name_must_be_plain(kernel, sites, site):
    with pytest.raises(ParameterError, match="plain name"):
        make_share(kernel, sites["gent"], site, label="dead")
