"""Tokens and shifted dates made again from the source and the key, without the engines."""

from __future__ import annotations

import datetime as dt
import hmac
import unicodedata

import numpy as np

from shoal.errors import GuaranteeError
from shoal.judge._text_table import TextColumn
from shoal.judge._values import is_missing, iso_moment, moments, number
from shoal.typing import Codes

_WITHHELD = "It is withheld; please report this defect."


def judge_tokens(
    name: str, written: TextColumn, own: TextColumn, values: Codes, key: bytes | None
) -> None:
    """Every token is that of the name behind the row, under the key."""
    if key is None:
        raise GuaranteeError(f"column {name!r} has pseudonyms, and no key is known. {_WITHHELD}")
    tokens = [
        {"p" + _hmac(key, b"shoal pseudonym\0", said).hex()[:32] for said in _spellings(text)}
        for text in own.texts
    ]
    room = max(len(own.texts), 1)
    pairs, rows = np.unique(written.codes.astype(np.int64) * room + values, return_counts=True)
    wrong = sum(
        count
        for pair, count in zip(pairs.tolist(), rows.tolist(), strict=True)
        if written.texts[pair // room] not in tokens[pair % room]
    )
    if wrong:
        raise GuaranteeError(f"column {name!r}: {wrong} rows have no token of theirs. {_WITHHELD}")


def judge_shift(
    name: str, written: TextColumn, own: TextColumn, values: Codes, people: TextColumn,
    person: Codes, key: bytes | None, most: int,
) -> None:  # fmt: skip
    """Every date is the source's, moved by the days of the person."""
    if key is None:
        raise GuaranteeError(f"column {name!r} is to be shifted, and no key is known. {_WITHHELD}")
    offsets = [
        {int.from_bytes(_hmac(key, b"shoal shift\0", said)) % (2 * most + 1) - most
         for said in _spellings(text)}
        for text in people.texts
    ]  # fmt: skip
    triples, rows = np.unique(
        np.column_stack([written.codes, values, person]), axis=0, return_counts=True
    )
    wrong = 0
    for (written_code, value, who), count in zip(triples.tolist(), rows.tolist(), strict=True):
        if not _is_moved(written.texts[written_code], own.texts[value], offsets[who]):
            wrong += count
    if wrong:
        raise GuaranteeError(
            f"column {name!r}: {wrong} dates are not shifted as asked. {_WITHHELD}"
        )


def _is_moved(text: str | None, own: str | None, offsets: set[int]) -> bool:
    if is_missing(text) or is_missing(own):
        return is_missing(text) and is_missing(own)
    moment = iso_moment(text or "")
    return moment is not None and any(
        moment - dt.timedelta(days=days) in moments(own or "") for days in offsets
    )


def _spellings(text: str | None) -> set[str]:
    """A name as it is written, and as a whole number where it is one."""
    plain = unicodedata.normalize("NFKC", text or "").strip()
    value = number(plain)
    whole = value is not None and value == value.to_integral_value()
    return {plain, str(int(value))} if value is not None and whole else {plain}


def _hmac(key: bytes, purpose: bytes, said: str) -> bytes:
    return hmac.new(key, purpose + said.encode(), "sha256").digest()
