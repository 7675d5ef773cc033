"""No byte of what may be published holds a value that only a suppressed person has."""

import gzip
import pickle
import zipfile

import numpy as np
import pytest

from shoal.anonymize import FullDomain
from shoal.anonymize._registry import METHODS, make_method
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


@pytest.mark.parametrize("method", METHODS)
def test_nothing_published_holds_the_values_behind_a_label(tmp_path, method):
    """Everybody differs in every column, so a raw value anywhere would be somebody's."""
    n = 40
    draw = np.random.default_rng(1)
    table = pd.DataFrame(
        {
            "town": [f"{10 + i % 4}Quell{i:02d}" for i in range(n)],
            "pay": draw.permutation(n) * 131.0 + 20_000.4719,
            "born": pd.to_datetime("1950-01-03") + pd.to_timedelta(draw.permutation(n) * 97, "D"),
            "ill": draw.choice(["flu", "gout"], n),
        }
    )
    schema = Schema(
        {
            "town": {"role": "quasi-identifier", "hierarchy": {"prefix": [2]}},
            "pay": {"role": "quasi-identifier", "kind": "numeric"},
            "born": {"role": "quasi-identifier", "kind": "date"},
            "ill": {"role": "sensitive", "target": True},
        }
    )
    fitted = make_method(method, schema, 2).fit(table)
    fitted.release_.write(tmp_path / "out.csv", publish=tmp_path / "given")
    files = [path for path in (tmp_path / "given").iterdir() if path.is_file()]
    assert len(files) == 3
    told = b"".join([*(path.read_bytes() for path in files), pickle.dumps(fitted)])
    days = {str(day.date()).encode() for day in table["born"]}
    held = [b"Quell", b".4719", *(value.tobytes() for value in table["pay"].to_numpy())]
    assert [value for value in held if value in told] == []
    if method != "microaggregation":  # a mean of days is a day, perhaps that of somebody else
        assert [day for day in days if day in told] == []
