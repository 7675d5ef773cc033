import datetime as dt
import hmac

import numpy as np
import pytest

from shoal.errors import ParameterError, TableError
from shoal.schema import Schema
from shoal.tables._keyed import (
    day_offset,
    fingerprint,
    make_token,
    make_tokens,
    moved_dates,
    need_key,
    normal_text,
)

KEY, OTHER = bytes(range(32)), bytes(32)


def test_a_token_is_an_hmac_of_the_normal_text():
    by_hand = hmac.new(KEY, b"shoal pseudonym\0P-07", "sha256").hexdigest()[:32]
    assert make_token(KEY, " P-07 ") == "p" + by_hand
    assert make_token(OTHER, "P-07") != make_token(KEY, "P-07")
    assert normal_text("Ａ1") == "A1"  # noqa: RUF001  a full-width letter
    assert KEY.hex() not in fingerprint(KEY)


def test_offsets_are_alike_within_the_range_and_the_same_for_a_person():
    days = [day_offset(KEY, f"person {i}", 3) for i in range(7000)]
    counts = np.bincount(np.array(days) + 3)
    assert len(counts) == 7
    assert counts.min() > 850
    assert day_offset(KEY, "x", 90) == day_offset(KEY, "x ", 90)


def test_two_spellings_of_a_name_are_refused():
    with pytest.raises(TableError, match="spells 1 names"):
        make_tokens("id", KEY, ["a", "a ", "b"])


def test_dates_are_moved_whatever_they_are():
    values = [dt.date(2020, 1, 1), "2020-01-31", dt.datetime(2020, 1, 1, 12, 30)]
    made, rows = moved_dates("d", values, np.array([0, 1, -1]), np.array([3, -1, 5]))
    assert [made[row] for row in rows] == [dt.date(2020, 1, 4), dt.date(2020, 1, 30), None]
    made, _ = moved_dates("d", values, np.array([0, 2]), np.array([1, 1]))
    assert made == ["2020-01-02", "2020-01-02 12:30:00"]
    with pytest.raises(TableError, match="no dates"):
        moved_dates("d", ["soon"], np.array([0]), np.array([1]))


def test_a_key_is_needed_and_must_be_one():
    schema = Schema({"id": {"role": "pseudonym"}, "age": {"role": "quasi-identifier"}})
    assert need_key(Schema({"age": {"role": "quasi-identifier"}}), None) is None
    with pytest.raises(ParameterError, match="secret key"):
        need_key(schema, None)
    with pytest.raises(ParameterError, match="32 bytes"):
        need_key(schema, b"short")
    with pytest.raises(ParameterError, match="suppressed rows"):
        need_key(schema, KEY, keep_suppressed=True)
