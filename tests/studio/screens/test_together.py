"""Nobody is called whose fingerprint was not compared."""

import pytest
from markupsafe import Markup

from shoal.errors import ParameterError
from shoal.studio._page import page_of
from shoal.studio.screens._registry import SCREENS
from tests.extras import need
from tests.studio.desks import Bureau

need("cryptography")


def test_a_certificate_that_was_exchanged_after_comparing_is_not_used(tmp_path):
    from shoal.parties import make_keys

    bureau = Bureau(tmp_path).with_roles()
    theirs, forged = tmp_path / "theirs", tmp_path / "forged"
    for folder in (theirs, forged):
        folder.mkdir()
        make_keys("bob", folder)
    start = {"way": "connect", "address": "127.0.0.1:1", "target": "illness"}
    bureau.act("together", "keys", name="ann")
    with pytest.raises(ParameterError, match="compare both first"):
        bureau.act("together", "start", **start)
    bureau.act("together", "peer", path=str(theirs / "bob.crt"))
    bureau.act("together", "compared")
    before = bureau.show("together")["peer"]["fingerprint"]
    (theirs / "bob.crt").write_bytes((forged / "bob.crt").read_bytes())
    with pytest.raises(ParameterError, match="another one now"):
        bureau.act("together", "start", **start)
    shown = bureau.show("together")
    assert not shown["compared"]
    assert shown["peer"]["fingerprint"] != before
    assert bureau.desk.running("together") is None
    bureau.act("together", "compared")
    (theirs / "bob.crt").unlink()
    with pytest.raises(ParameterError, match="another one now"):
        bureau.act("together", "start", **start)
    assert bureau.show("together")["peer"] is None


def test_the_page_tells_what_became_public_as_it_does(tmp_path):
    bureau = Bureau(tmp_path).with_roles()
    traffic = {"bytes_sent": 2_500, "bytes_received": 1_200}
    lines = [
        {"said": "connected", "fingerprint": "ab cd"},
        {"said": "round", "rounds": 1, "asks": ["city"], "leaves": 0, "traffic": traffic},
        {"said": "round", "rounds": 2, "asks": [], "leaves": 5, "traffic": traffic},
    ]
    bureau.desk.results["together"] = {"state": "working", "parts": lines}
    shown = bureau.show("together")
    page = page_of(bureau.room, SCREENS["together"], shown, {}, "")
    text = " ".join(Markup(page).striptags().split())
    assert "Level 1 is public: its nodes ask for city; 2.5 kB sent so far, 1.2 kB received" in text
    assert "Level 2 is public: 5 of them are leaves with a class;" in text
