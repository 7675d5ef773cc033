"""Small tables as plain lists of rows, and the same as frequency tables."""

from collections import defaultdict

import numpy as np
from hypothesis import strategies as st

from shoal.schema import Column
from shoal.schema._coding import Coding, make_coding
from shoal.schema._text import text
from shoal.tables import FrequencyTable
from shoal.tables._frequency import Histogram


def coding(name, values, kind="categorical", hierarchy=None):
    """Coding of the distinct values of a list; None is missing."""
    column = Column("sensitive", kind, hierarchy=hierarchy)
    present = sorted({v for v in values if v is not None})
    return make_coding(name, column, present, has_missing=None in values)


def histogram(column_coding: Coding, rows_of_group):
    """Histogram of groups given as lists of values."""
    start, codes, counts = [0], [], []
    for rows in rows_of_group:
        found = defaultdict(int)
        for value in rows:
            found[column_coding.code_of[None if value is None else text(value)]] += 1
        for code in sorted(found):
            codes.append(code)
            counts.append(found[code])
        start.append(len(codes))
    return Histogram(
        column_coding,
        np.array(start, np.int64),
        np.array(codes, np.int32),
        np.array(counts, np.int64),
    )


def table(groups, codings=None):
    """Frequency table of groups, each a list of rows, each row a dict of sensitive values."""
    names = list(dict.fromkeys(name for rows in groups for row in rows for name in row))
    codings = codings or {}
    histograms = {}
    for name in names:
        values = [[row[name] for row in rows] for rows in groups]
        own = codings.get(name) or coding(name, [v for rows in values for v in rows])
        histograms[name] = histogram(own, values)
    key = coding("group", list(range(len(groups))) or [0], "numeric")
    return FrequencyTable(
        (key,),
        np.arange(len(groups), dtype=np.int32)[:, None],
        np.array([len(rows) for rows in groups], np.int64),
        histograms,
    )


def values_in_groups(values, max_groups=6, max_rows=12):
    """Lists of groups, each a list of values."""
    return st.lists(
        st.lists(st.sampled_from(values), min_size=1, max_size=max_rows),
        min_size=1,
        max_size=max_groups,
    )
