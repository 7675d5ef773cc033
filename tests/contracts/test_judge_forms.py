"""Forms of a release keep its promise: the judge makes every cell again, and refuses all others."""

import csv
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from shoal.anonymize import Mondrian
from shoal.anonymize._recheck import recheck
from shoal.anonymize._registry import make_method
from shoal.errors import GuaranteeError, ParameterError
from shoal.judge._forms import join_intervals
from shoal.judge._read_files import read_texts
from shoal.privacy import KAnonymity
from shoal.schema import Schema
from shoal.tables import RowOptions
from tests.extras import need

SCHEMA = Schema(
    {
        "name": {"role": "identifier"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "height": {"role": "quasi-identifier", "kind": "numeric"},
        "born": {"role": "quasi-identifier", "kind": "date"},
        "town": {"role": "quasi-identifier", "hierarchy": {"prefix": [1]}},
        "ill": {"role": "sensitive"},
    }
)
K = 4
FORMS = ["intervals", "midpoints", "draws"]


def people(n=80):
    rng = random.Random(3)
    return {
        "name": [f"person{i}" for i in range(n)],
        "age": [rng.choice([None, *range(20, 60)]) for _ in range(n)],
        "height": [round(rng.uniform(1.5, 2.0), 2) for _ in range(n)],
        "born": [f"19{rng.randint(60, 99)}-{rng.randint(1, 12):02}-15" for _ in range(n)],
        "town": [rng.choice(["10115", "10999", "20095"]) for _ in range(n)],
        "ill": [rng.choice(["flu", "gout", "none"]) for _ in range(n)],
    }


def fitted(form, table=None, **more):
    options = RowOptions(form=form, **more)
    return Mondrian(SCHEMA, KAnonymity(K)).fit(table or people(), output=options).release_


@pytest.mark.parametrize("method", ["mondrian", "local", "top-down"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_made_of_labels_and_keeps_the_promise(tmp_path, form, method):
    source = tmp_path / "people.csv"
    rows = people()
    with source.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))
    made = make_method(method, SCHEMA, KAnonymity(K))
    release = made.fit(source, output=RowOptions(form=form)).release_
    paths = release.write(tmp_path / "out.csv")
    assert ("seed" in paths) == (form == "draws")
    with paths["table"].open(newline="") as file:
        written = list(csv.DictReader(file))
    assert len(written) == release.recoded.n_released_rows
    if form != "draws":  # rows that look alike, counted without any of our readers
        names = [name for name in written[0] if name != "ill"]
        assert min(Counter(tuple(row[name] for name in names) for row in written).values()) >= K
    for row in written:
        for name in ("age", "height"):
            ends = [row.get(name), row.get(f"{name}_low"), row.get(f"{name}_high")]
            assert all(end in (None, "") or float(end) >= 0 for end in ends)


def _cheat(form, name, change):
    """Write a release, exchange cells of a column behind the engine's back, and ask the judge."""
    release = fitted(form, keep_order=True, draw_seed=5)
    given = release.compressed.rows(release.recoded, release.output)
    columns = {key: list(given.table[key]) for key in given.table}
    columns[name] = change(columns[name])
    recheck(columns, SCHEMA, release.privacy, release.output, release.recoded, given.witness)


@pytest.mark.parametrize(
    ("form", "name"),
    [("intervals", "age_low"), ("intervals", "born_high"), ("midpoints", "height"),
     ("midpoints", "age"), ("draws", "age"), ("draws", "height")],
)  # fmt: skip
def test_one_cell_that_its_label_does_not_make_is_refused(form, name):
    need("pandas")
    _cheat(form, name, lambda values: values)
    rows = people()
    own = rows[name.removesuffix("_low").removesuffix("_high")]

    def tell(values):
        at = next(i for i, value in enumerate(values) if str(value) not in (str(own[i]), "nan"))
        return [*values[:at], own[at], *values[at + 1 :]]  # somebody's own value instead

    with pytest.raises(GuaranteeError, match="something else than their labels make"):
        _cheat(form, name, tell)


def test_labels_that_do_not_cover_are_refused_behind_any_form():
    release = fitted("draws", keep_order=True, draw_seed=5)
    given = release.compressed.rows(release.recoded, release.output)
    texts, codes = given.witness.labels["age"]
    others = np.roll(codes, 7)
    claimed = replace(given.witness, labels={**given.witness.labels, "age": (texts, others)})
    with pytest.raises(GuaranteeError):
        recheck(given.table, SCHEMA, release.privacy, release.output, release.recoded, claimed)


def test_intervals_are_joined_to_be_counted():
    table = read_texts({"age_low": ["20", "20", ""], "age_high": ["29", "29", ""], "x": [1, 2, 3]})
    joined = join_intervals(table, ["age"])
    assert joined.names == ("x", "age")
    codes = joined.columns["age"].codes
    assert codes[0] == codes[1] != codes[2]


@pytest.mark.parametrize("form", FORMS)
def test_few_starred_rows_are_refused_with_advice(form):
    """The root of a hierarchy is a star, too: both are one text."""
    schema = Schema({
        "age": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"intervals": [10]}},
        "town": {"role": "quasi-identifier", "hierarchy": "flat"},
    })  # fmt: skip
    table = {"age": [31] * 6 + [32] * 6 + [99], "town": ["A"] * 6 + ["B"] * 6 + ["C"]}
    method = make_method("top-down", schema, KAnonymity(5), {"max_suppression": 0.1})
    release = method.fit(table, output=RowOptions(keep_suppressed=True, form=form)).release_
    with pytest.raises(GuaranteeError, match="do not keep suppressed rows"):
        assert release.table is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("far", [2.0**53, 1e22, 1e300])
def test_numbers_beyond_whole_ones_are_floats(form, far):
    schema = Schema({
        "x": {"role": "quasi-identifier", "kind": "numeric", "hierarchy": {"breaks": [0.5, 1e4]}},
        "y": {"role": "quasi-identifier", "kind": "numeric"},
    })  # fmt: skip
    near = [0.25, 0.75, far, 2 * far, 3 * far]
    table = {"x": near * 4, "y": sorted(near * 4)}
    method = make_method("mondrian", schema, KAnonymity(3))
    try:
        release = method.fit(table, output=RowOptions(form=form)).release_
        rows = len(read_texts(release.table).columns)
    except ParameterError as error:
        assert form == "draws"
        assert "2^62" in str(error)  # noqa: PT017
    else:
        assert rows == (4 if form == "intervals" else 2)
