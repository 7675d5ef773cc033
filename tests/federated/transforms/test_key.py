import os
import pickle
import stat
import subprocess
import sys

import pytest

from shoal.errors import KeyFileError, ParameterError, ProtocolError, SchemaError
from shoal.federated import AliasTable, GradedRanges, TransformKey
from shoal.federated._secret import HEADER, seal, unseal

CHEAP = 8 * 4  # KiB: tests check the format, not the cost of guessing


@pytest.fixture
def key():
    return TransformKey.create(
        {
            "age": GradedRanges.uniform(15, 90, 5),
            "disease": AliasTable.random(["CANARYflu", "CANARYcold"], "Illness"),
        }
    )


def test_a_saved_key_is_read_back_whole(key, tmp_path):
    key.save(tmp_path / "k", "open sesame", memory_kib=CHEAP)
    again = TransformKey.load(tmp_path / "k", "open sesame")
    assert again == key
    assert again.fingerprint == key.fingerprint
    assert pickle.loads(pickle.dumps(key)) == key


def test_the_file_holds_nothing_readable_and_belongs_to_its_owner(key, tmp_path):
    key.save(tmp_path / "k", "open sesame", memory_kib=CHEAP)
    content = (tmp_path / "k").read_bytes()
    assert b"CANARY" not in content
    assert b"Illness" not in content
    assert b"age" not in content
    assert stat.S_IMODE(os.stat(tmp_path / "k").st_mode) == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["k"]


def test_a_wrong_passphrase_is_an_error_without_secrets(key, tmp_path):
    key.save(tmp_path / "k", "open sesame", memory_kib=CHEAP)
    with pytest.raises(
        KeyFileError, match="wrong passphrase, or the key file is damaged"
    ) as caught:
        TransformKey.load(tmp_path / "k", "OPENSESAME")
    assert "OPENSESAME" not in str(caught.value)
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("keep", [0, 5, HEADER.size, HEADER.size + 15, HEADER.size + 40, -1])
def test_a_truncated_key_file_is_an_error(key, tmp_path, keep):
    key.save(tmp_path / "k", "open sesame", memory_kib=CHEAP)
    content = (tmp_path / "k").read_bytes()
    (tmp_path / "k").write_bytes(content[:keep])
    with pytest.raises(KeyFileError, match="cut short"):
        TransformKey.load(tmp_path / "k", "open sesame")


def test_every_changed_byte_is_noticed():
    sealed = seal(b"secret", "p", memory_kib=CHEAP)
    for at in range(len(sealed)):
        if 9 <= at < 15:
            continue  # the cost of the passphrase: the next test
        changed = bytearray(sealed)
        changed[at] ^= 1
        with pytest.raises(KeyFileError):
            unseal(bytes(changed), "p")


@pytest.mark.parametrize(("memory", "passes"), [(1 << 30, 3), (32, 200), (32, 0), (0, 3)])
def test_a_forged_header_cannot_exhaust_the_machine(memory, passes):
    header = HEADER.pack(b"SHOALKEY", 1, memory, passes, 4, bytes(16), bytes(12))
    with pytest.raises(KeyFileError):
        unseal(header + bytes(40), "p")


def test_an_empty_passphrase_is_refused(key, tmp_path):
    with pytest.raises(KeyFileError, match="passphrase is empty"):
        key.save(tmp_path / "k", "")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_key_file_is_an_error(tmp_path):
    with pytest.raises(KeyFileError, match="'absent' cannot be read"):
        TransformKey.load(tmp_path / "absent", "p")


def test_keys_made_alike_have_different_fingerprints():
    columns = {"age": GradedRanges.uniform(15, 90, 5)}
    one, two = TransformKey.create(columns), TransformKey.create(columns)
    assert one.fingerprint != two.fingerprint  # blinded: a guess cannot be confirmed
    assert TransformKey(columns, blind=one.blind).fingerprint == one.fingerprint


def test_peers_with_another_key_are_refused(key):
    key.check_peer(key.short)
    key.check_peer(key.fingerprint.upper())
    other = TransformKey.create({"age": GradedRanges.uniform(15, 91, 5)})
    for fingerprint in (other.fingerprint, other.short, "", key.fingerprint[:8]):
        with pytest.raises(ProtocolError, match="another fingerprint"):
            key.check_peer(fingerprint, "site b")


def test_extending_makes_a_version_that_reads_the_old_ones(key):
    longer = key.extend({"disease": ["cough"]})
    assert (longer.version, longer.history) == (2, (key.fingerprint,))
    assert longer.reads(key.fingerprint)
    assert not key.reads(longer.fingerprint)
    assert longer.fingerprint != key.fingerprint
    old, new = key.columns["disease"].to_alias, longer.columns["disease"].to_alias
    assert all(new[c] == old[c] for c in old)
    assert key.extend({"disease": ["CANARYflu"]}) is key


def test_only_alias_tables_can_be_extended(key):
    with pytest.raises(SchemaError, match="'age' has no alias table"):
        key.extend({"age": ["x"]})


def test_what_is_shown_of_a_key_holds_no_secret(key):
    shown = repr(key) + str(key.to_dict())
    assert "CANARY" not in shown
    assert key.blind.hex() not in shown
    assert "90" not in repr(key.columns)
    assert "'age', 'disease'" in repr(key)


def test_keys_that_could_not_work_are_refused():
    with pytest.raises(ParameterError, match="at least one column"):
        TransformKey.create({})
    table = AliasTable.random(["a"], "p")
    with pytest.raises(ParameterError, match="same alias prefix"):
        TransformKey.create({"a": table, "b": table})


def test_the_default_cost_is_memory_hard(key, tmp_path):
    # a process of its own has the real default: in this one keys cost little (tests/conftest.py)
    key.save(tmp_path / "cheap", "open sesame")
    program = """
import sys
from shoal.federated import TransformKey
TransformKey.load(sys.argv[1], "open sesame").save(sys.argv[2], "open sesame")
"""
    paths = [tmp_path / "cheap", tmp_path / "k"]
    subprocess.run([sys.executable, "-c", program, *paths], check=True)
    memory, passes = HEADER.unpack((tmp_path / "k").read_bytes()[: HEADER.size])[2:4]
    assert memory >= 65536
    assert passes >= 3
    assert TransformKey.load(tmp_path / "k", "open sesame") == key
