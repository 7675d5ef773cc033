import json

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest

from shoal.errors import ProtocolError, TableError
from shoal.federated import RandomKernel, make_share, read_shares, write_share
from shoal.federated.kernels._share_files import read_share
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
    expected = kernel.transform(sites["gent"])
    np.testing.assert_array_equal(share.projection, expected[np.lexsort(expected.T[::-1])])
    assert share.to_dict() == {
        "version": 2,
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
        RandomKernel(RANGES, random_state=2**100 + 12),
        RandomKernel({**RANGES, "age": (0, 120)}, random_state=2**100 + 11),
        RandomKernel(RANGES, 2, random_state=2**100 + 11),
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


def rewritten(path, change):
    """The file with other metadata, as a site could have made it."""
    table = pq.read_table(path)
    facts = json.loads(table.schema.metadata[b"shoal.share"])
    changed = change(facts)
    kept = {"shoal.share": json.dumps(changed)}
    pq.write_table(table.replace_schema_metadata(kept), path)


def test_a_share_of_an_earlier_version_is_refused_with_advice(folder):
    path = folder / "gent.share.parquet"
    rewritten(path, lambda facts: {k: v for k, v in facts.items() if k != "version"})
    with pytest.raises(ProtocolError, match=r"another version.*make the shares again"):
        read_share(path)


ODD = [None, True, -1, 10**30, 1.5, float("nan"), "", "..", "a/b", [], [[]], [1, 2], {}, "x" * 500]


@pytest.mark.parametrize(
    "name", ["site", "components", "outcome", "fingerprint", "features", "ranges", "kernel"]
)
def test_metadata_of_another_type_are_an_error_of_ours(folder, name):
    path = folder / "gent.share.parquet"
    whole = path.read_bytes()
    for odd in ODD:
        path.write_bytes(whole)
        rewritten(path, lambda facts, odd=odd: {**facts, name: odd})
        with pytest.raises((ProtocolError, TableError)) as caught:
            read_share(path)
        assert len(str(caught.value)) < 300
    for odd in (None, 7, "text", [], [1]):
        path.write_bytes(whole)
        rewritten(path, lambda facts, odd=odd: odd)
        with pytest.raises((ProtocolError, TableError)):
            read_share(path)


def test_metadata_that_are_nested_too_deep_are_damaged(folder):
    path = folder / "gent.share.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"shoal.share": "[" * 100_000}), path)
    with pytest.raises((ProtocolError, TableError)):
        read_share(path)
