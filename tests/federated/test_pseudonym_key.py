import pytest

from shoal.errors import KeyFileError
from shoal.federated import PseudonymKey
from shoal.federated._secret import seal, write_private


def test_a_key_comes_back_and_shows_no_secret(tmp_path):
    key = PseudonymKey.create()
    key.save(tmp_path / "k", "open sesame", memory_kib=1024)
    assert PseudonymKey.load(tmp_path / "k", "open sesame") == key
    assert key.secret.hex() not in repr(key) + str(key.to_dict())
    with pytest.raises(KeyFileError):
        PseudonymKey.load(tmp_path / "k", "wrong")


def test_keys_of_another_kind_are_refused(tmp_path):
    write_private(tmp_path / "k", seal(b'{"columns": []}', "x", memory_kib=1024))
    with pytest.raises(KeyFileError, match="another kind"):
        PseudonymKey.load(tmp_path / "k", "x")
