"""Tables of people who do not exist, schemas and other files that the cases read."""

from __future__ import annotations

import base64
import csv
import datetime as dt
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.recorder import _schemas

SCHOOLS = ["primary", "secondary", "vocational", "bachelor", "master", "doctorate"]
JOBS = {
    "manual": ["farmer", "builder", "driver", "mechanic"],
    "service": ["cook", "guard", "nurse", "sales"],
    "office": ["clerk", "engineer", "manager", "teacher"],
}
ILLNESSES = ["none", "asthma", "diabetes", "angina", "depression", "cancer", "influenza"]
KEYS = Path(__file__).parent / "keys"

Columns = dict[str, list[Any]]


def people(n_rows: int, seed: int) -> Columns:
    """Columns that depend on one another as in life."""
    rng = np.random.default_rng(seed)
    days = (rng.beta(1.6, 2.4, n_rows) * 70 + 18) * 365.25
    age = (days / 365.25).astype(int)
    school = np.clip(rng.normal(2.2 - (age > 60) * 0.6, 1.2, n_rows).round(), 0, 5).astype(int)
    sector = np.clip((school + rng.integers(-1, 2, n_rows)) // 2, 0, 2)
    place = rng.zipf(1.6, n_rows) % 40
    jobs = list(JOBS.values())
    pay = 9.6 + 0.22 * school + 0.012 * np.minimum(age, 55) + rng.normal(0, 0.35, n_rows)
    ill = np.where(rng.random(n_rows) < 0.2 + age / 150, rng.integers(1, 7, n_rows), 0)
    return {
        "name": [f"Person {seed}-{row}" for row in range(n_rows)],
        "born": [dt.date(2024, 12, 31) - dt.timedelta(days=int(day)) for day in days],
        "age": age.tolist(),
        "sex": np.where(rng.random(n_rows) < 0.51, "F", "M").tolist(),
        "zip": [f"{10 + p // 8:02d}{p % 8}{rng.integers(0, 6):02d}" for p in place],
        "school": [SCHOOLS[level] for level in school],
        "job": [jobs[s][rng.integers(0, 4)] for s in sector],
        "income": (np.exp(pay) / 100).round().astype(int).tolist(),
        "illness": [ILLNESSES[i] for i in ill],
        "smoker": np.where(rng.random(n_rows) < 0.2 + 0.1 * (ill == 1), "yes", "no").tolist(),
    }


def with_gaps(columns: Columns, seed: int) -> Columns:
    """The same with missing cells, letters beyond ASCII, quotes and a value of no hierarchy."""
    rng = np.random.default_rng(seed)
    found = {name: list(values) for name, values in columns.items()}
    for name in ("age", "zip", "job", "income", "illness"):
        for row in np.flatnonzero(rng.random(len(found[name])) < 0.04):
            found[name][row] = None
    for row in np.flatnonzero(rng.random(len(found["job"])) < 0.05):
        found["job"][row] = "café owner"
    found["name"][0] = 'Zoë "Zed", née O\'Hara'
    return found


def patients(n_rows: int, seed: int) -> Columns:
    """What sites encode or project."""
    rng = np.random.default_rng(seed)
    age, dose = rng.integers(15, 91, n_rows), rng.integers(0, 61, n_rows)
    return {
        "age": age.tolist(),
        "disease": rng.choice(["flu", "cold", "gout"], n_rows, p=[0.5, 0.3, 0.2]).tolist(),
        "dose": dose.tolist(),
        "score": rng.integers(0, 5, n_rows).tolist(),
        "died": np.where(age + dose + rng.normal(0, 25, n_rows) > 90, "yes", "no").tolist(),
        "time": rng.exponential(100 - age / 2, n_rows).round(1).tolist(),
        "event": rng.integers(0, 2, n_rows).tolist(),
    }


def toys(n_rows: int, seed: int) -> Columns:
    """Few values, and a class that follows two of the columns: for two parties."""
    rng = np.random.default_rng(seed)
    colour, size = rng.integers(0, 3, n_rows), rng.integers(0, 2, n_rows)
    clear = rng.random(n_rows) < 0.9
    label = np.where(clear, (colour == 2) ^ size, rng.integers(0, 2, n_rows))
    return {
        "colour": np.array(["red", "green", "blue"])[colour].tolist(),
        "size": np.array(["small", "large"])[size].tolist(),
        "class": np.array(["no", "yes"])[label].tolist(),
    }


def write_inputs(folder: Path) -> None:
    """Write every file that a case reads."""
    folder.mkdir()
    known, later = people(900, 1), people(200, 2)
    gaps = with_gaps(people(600, 3), 3)
    for name, columns in {"people": known, "later": later, "gaps": gaps}.items():
        write_csv(folder / f"{name}.csv", columns)
        write_parquet(folder / f"{name}.parquet", columns)
    write_csv(folder / "latin.csv", gaps, encoding="latin-1")
    (folder / "parts").mkdir()
    for part in range(3):
        rows = slice(300 * part, 300 * part + 300)
        write_csv(folder / "parts" / f"{part}.csv", {n: v[rows] for n, v in known.items()})
    for site, seed in (("gent", 1), ("leuven", 2)):
        write_csv(folder / f"{site}.csv", patients(160, seed))
    _write_toys(folder)
    for name, text in _schemas.FILES.items():
        (folder / name).write_text(text, "utf-8")
    for name in ("key", "kernel"):  # drawn once, so that what they encode is the same each time
        (folder / name).write_bytes(base64.b64decode((KEYS / f"{name}.txt").read_text()))
    shutil.copy(folder / "people.parquet", folder / "not-a-table.csv")


def _write_toys(folder: Path) -> None:
    drawn = toys(60, 4)
    write_csv(folder / "toys-1.csv", {name: values[:25] for name, values in drawn.items()})
    write_csv(folder / "toys-2.csv", {name: values[25:] for name, values in drawn.items()})
    write_csv(folder / "toys-left.csv", {"colour": drawn["colour"]})
    write_csv(folder / "toys-right.csv", {name: drawn[name] for name in ("size", "class")})


def write_csv(path: Path, columns: Mapping[str, Sequence[Any]], encoding: str = "utf-8") -> None:
    """Columns as CSV; None is an empty cell."""
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def write_parquet(path: Path, columns: Mapping[str, Sequence[Any]]) -> None:
    """Columns as Parquet, with the types that they have here."""
    pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), path)
