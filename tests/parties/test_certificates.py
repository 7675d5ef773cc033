"""Certificates are in date, or the parties are told so."""

import time

import pytest

from shoal.errors import ParameterError
from shoal.parties import _certificates, connect, listen, make_keys


@pytest.mark.parametrize(("days", "said"), [(400, "has expired"), (-1, "clock right")])
@pytest.mark.parametrize(("own", "whose"), [("old", "this party's own"), ("new", "the other")])
def test_a_certificate_out_of_date_is_not_taken_for_somebody_elses(
    tmp_path, monkeypatch, days, said, own, whose
):
    """After a year both were told that the certificate was not the pinned one."""
    make_keys("old", tmp_path)
    make_keys("new", tmp_path, days=4000)
    later = time.time() + days * 86400
    monkeypatch.setattr(_certificates.time, "time", lambda: later)
    peer = "new" if own == "old" else "old"
    if days < 0:  # both are from after this computer's now
        whose = "this party's own"
    files = {"key": tmp_path / f"{own}.key", "certificate": tmp_path / f"{own}.crt"}
    for open_ in (connect, listen):
        with pytest.raises(ParameterError, match=f"{whose}.*{said}"):
            open_(("127.0.0.1", 1), **files, peer=tmp_path / f"{peer}.crt", timeout=1)
