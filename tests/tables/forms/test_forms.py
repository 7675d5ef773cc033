import datetime as dt

import numpy as np
import pytest

from shoal.tables.forms._forms import typed_column

LABELS = ("[30-34]", "52", "*", None, ">=60", "<18")
CODES = np.arange(6, dtype=np.int32)


def made(form, kind="numeric", labels=LABELS, codes=CODES):
    columns = typed_column("age", kind, labels, codes, form, seed=1)
    return {name: (column.kind, column.plain().tolist()) for name, column in columns.items()}


def test_intervals_are_the_ends_of_labels():
    assert made("intervals") == {
        "age_low": ("whole", [30, 52, None, None, 60, None]),
        "age_high": ("whole", [34, 52, None, None, None, 17]),
    }


def test_midpoints_lie_halfway_or_at_the_only_end():
    assert made("midpoints") == {"age": ("number", [32.0, 52.0, None, None, 60.0, 17.0])}


def test_dates_become_dates():
    columns = typed_column("born", "date", ("2001-03", None), CODES[:2], "midpoints", 0)
    values, codes = columns["born"].pool()
    assert [values[code] for code in codes] == [dt.date(2001, 3, 16), None]


@pytest.mark.parametrize("form", ["intervals", "midpoints", "draws"])
def test_a_column_with_names_keeps_its_labels(form):
    assert typed_column("age", "numeric", ("adult", "52"), CODES[:2], form, 0) is None
    assert typed_column("town", "categorical", ("1", "2"), CODES[:2], form, 0) is None


def test_labels_that_no_row_has_change_nothing():
    codes = np.zeros(4, np.int32)
    assert made("draws", codes=codes) == made("draws", labels=LABELS[:1], codes=codes)
