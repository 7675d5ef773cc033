import pytest

from tests.extras import need
from tests.fuzz import releases
from tests.fuzz.releases import draw, run_case

for library in ("pandas", "polars", "pyarrow"):
    need(library)


def test_a_seed_and_a_case_fix_the_release():
    first, again, other = draw(3, 5), draw(3, 5), draw(3, 6)
    assert repr(first) == repr(again) != repr(other)


def test_every_method_model_and_engine_is_drawn():
    from shoal.anonymize._registry import METHODS
    from shoal.privacy._registry import MODELS

    cases = [draw(0, case) for case in range(3000)]
    assert {case.method for case in cases} == set(METHODS)
    drawn = {m["model"] for case in cases for m in case.models}
    assert drawn == {m.__name__ for m in MODELS}
    assert {case.engine for case in cases} == set(releases.engines.KINDS)


@pytest.mark.parametrize("case", range(4))
def test_a_broken_promise_is_a_finding(case, monkeypatch):
    monkeypatch.setattr(releases, "judge", lambda *_: ["a row is alone"])
    assert run_case(8, case).kind in ("broken", "refused")
