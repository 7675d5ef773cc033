"""A generated census: always there, nobody's data."""

from __future__ import annotations

import datetime as dt

import numpy as np

from shoal.datasets._dataset import Dataset
from shoal.errors import ParameterError
from shoal.schema import Schema

_FIRST = ["Ada", "Ben", "Cem", "Dana", "Eli", "Fay", "Gus", "Hana", "Ivo", "Jun", "Kai", "Lea"]
_LAST = ["Abel", "Brook", "Cole", "Dorn", "Evers", "Finn", "Gray", "Holt", "Ito", "Jansen"]
_EDUCATION = ["primary", "secondary", "vocational", "bachelor", "master", "doctorate"]
_OCCUPATION = {
    "manual": ["farmer", "builder", "driver", "mechanic"],
    "service": ["cook", "guard", "nurse", "sales"],
    "office": ["clerk", "engineer", "manager", "teacher"],
}
_ILLNESS = ["none", "asthma", "diabetes", "heart disease", "depression", "cancer", "influenza"]


def census(n_rows: int = 10_000, *, random_state: int = 0) -> Dataset:
    """People who do not exist, with columns that depend on one another as in life.

    Parameters
    ----------
    n_rows : int
        How many.
    random_state : int
        Seed; the same seed gives the same people.

    Examples
    --------
    >>> people = census(3)
    >>> people.names
    ('name', 'birth_date', 'age', 'sex', 'zip', 'education', 'occupation', 'income', 'illness')
    >>> people.schema.quasi_identifiers
    ('age', 'sex', 'zip', 'education', 'occupation')
    """
    if n_rows < 0:
        raise ParameterError(f"census: n_rows must not be negative, got {n_rows}.")
    random = np.random.default_rng(random_state)
    days = random.beta(1.6, 2.4, n_rows) * 72 * 365.25 + 18 * 365.25
    age = (days / 365.25).astype(np.int64)
    born = [dt.date(2024, 12, 31) - dt.timedelta(days=float(day)) for day in days]
    female = random.random(n_rows) < 0.51
    school = np.clip(random.normal(2.2 - (age > 60) * 0.6, 1.2, n_rows).round(), 0, 5).astype(int)
    district = random.zipf(1.6, n_rows) % 40
    zip_code = [f"{10 + p // 8:02d}{p % 8}{d:02d}" for p, d in zip(
        district.tolist(), random.integers(0, 12, n_rows).tolist(), strict=True)]  # fmt: skip
    sector = np.clip((school + random.integers(-1, 2, n_rows)) // 2, 0, 2)
    jobs = list(_OCCUPATION.values())
    occupation = [jobs[s][j] for s, j in zip(sector, random.integers(0, 4, n_rows), strict=True)]
    pay = 9.6 + 0.22 * school + 0.012 * np.minimum(age, 55) + random.normal(0, 0.35, n_rows)
    income = (np.exp(pay) / 100).round().astype(np.int64) * 100
    ill = random.random(n_rows) < 0.15 + age / 200
    which = np.where(ill, random.integers(1, len(_ILLNESS), n_rows), 0)
    first, last = random.integers(0, len(_FIRST), n_rows), random.integers(0, len(_LAST), n_rows)
    return Dataset(
        f"census-{n_rows}-{random_state}",
        {
            "name": [f"{_FIRST[f]} {_LAST[s]}" for f, s in zip(first, last, strict=True)],
            "birth_date": [day.isoformat() for day in born],
            "age": age,
            "sex": ["F" if flag else "M" for flag in female],
            "zip": zip_code,
            "education": [_EDUCATION[level] for level in school],
            "occupation": occupation,
            "income": income,
            "illness": [_ILLNESS[i] for i in which],
        },
        census_schema,
    )


def census_schema() -> Schema:
    """What the columns of :func:`census` are.

    Examples
    --------
    >>> census_schema().quasi_identifiers
    ('age', 'sex', 'zip', 'education', 'occupation')
    """
    return Schema(
        {
            "name": {"role": "identifier"},
            "birth_date": {"role": "identifier", "kind": "date"},
            "age": {
                "role": "quasi-identifier",
                "kind": "numeric",
                "hierarchy": {"intervals": [5, 10, 20, 40]},
            },
            "sex": {"role": "quasi-identifier", "hierarchy": "flat"},
            "zip": {"role": "quasi-identifier", "hierarchy": {"prefix": [1, 2, 3, 4]}},
            "education": {
                "role": "quasi-identifier",
                "hierarchy": {"tree": {"school": _EDUCATION[:3], "university": _EDUCATION[3:]}},
            },
            "occupation": {"role": "quasi-identifier", "hierarchy": {"tree": _OCCUPATION}},
            "income": {"role": "insensitive", "kind": "numeric"},
            "illness": {"role": "sensitive", "target": True},
        }
    )
