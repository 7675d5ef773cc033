"""No byte of what may be published holds a value that only a suppressed person has."""

import gzip
import zipfile

import numpy as np
import pytest

from shoal.anonymize import FullDomain
from shoal.anonymize._release_files import FORMATS
from shoal.schema import Schema
from shoal.tables import RowOptions
from tests.extras import need

pd = need("pandas")
need("pyarrow")
need("openpyxl")
zstandard = need("zstandard")

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "born": {"role": "quasi-identifier", "kind": "date"},
        "town": {"role": "quasi-identifier"},
        "ill": {"role": "sensitive"},
        "note": {"role": "insensitive"},
        "pay": {"role": "insensitive"},
    }
)
VALUES = (b"Quellmann", b"7771", b"1887", b"987654")


def people(n=40):
    rng = np.random.default_rng(0)
    days = [f"1990-01-{day:02d}" for day in rng.integers(1, 29, n - 1)]
    table = pd.DataFrame(
        {
            "name": [f"Quellmann{i}" for i in range(n)],
            "age": [*rng.integers(30, 35, n - 1), 7771],
            "born": [*days, "1887-03-09"],
            "town": [*rng.choice(["Aa", "Bb"], n - 1), "Quellmannstadt"],
            "ill": [*rng.choice(["flu", "gout"], n - 1), "Quellmannitis"],
            "note": [*rng.choice(["x", "y"], n - 1), "of Quellmann"],
            "pay": [*rng.choice([1.5, 2.5], n - 1), 987654.25],
        }
    )
    return table.astype({"town": "category", "ill": "category", "note": "category"})


def contents(path):
    """A file's bytes, and those that are packed in it."""
    yield path.read_bytes()
    if path.suffix == ".gz":
        yield gzip.decompress(path.read_bytes())
    elif path.suffix == ".zst":
        yield zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
    elif path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            yield from map(book.read, book.namelist())


@pytest.mark.parametrize("form", ["labels", "intervals", "midpoints", "draws"])
def test_nothing_of_a_suppressed_person_is_in_any_published_file(tmp_path, form):
    people().to_parquet(tmp_path / "people.parquet")
    method = FullDomain(SCHEMA, 5, max_suppression=0.1)
    release = method.fit(tmp_path / "people.parquet", output=RowOptions(form=form)).release_
    assert release.n_suppressed == 1
    for suffix in FORMATS if form == "labels" else (".csv", ".xlsx"):
        folder = tmp_path / suffix[1:]
        release.write(folder / f"out{suffix}", publish=folder / "public")
        found = [
            (path.name, value)
            for path in (folder / "public").iterdir()
            for content in contents(path)
            for value in VALUES
            if value in content
        ]
        assert found == []
