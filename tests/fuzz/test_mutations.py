import pytest

from tests.fuzz import mutations


@pytest.mark.parametrize("name", mutations.TARGETS)
def test_kept_files_are_read_or_refused(name):
    kept = mutations.corpus(name)
    assert kept
    assert [mutations.try_reader(name, data) for data in kept] == [None] * len(kept)


def test_a_seed_and_a_case_fix_the_bytes():
    assert mutations.draw(1, 2) == mutations.draw(1, 2) != mutations.draw(1, 3)


def test_what_a_reader_should_not_raise_is_a_finding(monkeypatch):
    monkeypatch.setitem(mutations.TARGETS, "toml", lambda data: {}["role"])
    assert mutations.try_reader("toml", b"").startswith("toml: KeyError at test_mutations.py")
