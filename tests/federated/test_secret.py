import subprocess
import sys

from shoal.federated._secret import HEADER, seal, unseal
from tests.extras import need

need("cryptography")


def test_a_secret_costs_a_guess_what_rfc_9106_recommends():
    sealed = seal(b"secret", "open sesame")
    _, _, memory_kib, passes, lanes, _, _ = HEADER.unpack(sealed[: HEADER.size])
    assert (memory_kib, passes, lanes) == (65536, 3, 4)
    assert unseal(sealed, "open sesame") == b"secret"


def test_files_of_keys_do_so_too():
    """Asked of a process of its own: in this one keys cost little, so that tests are quick."""
    program = """
from inspect import signature
from shoal.federated import PseudonymKey, RandomKernel, TransformKey
for key in (PseudonymKey, RandomKernel, TransformKey):
    print(signature(key.save).parameters["memory_kib"].default)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["65536"] * 3, done.stderr
