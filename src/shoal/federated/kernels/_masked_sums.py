"""Sums of the sites' numbers for a trainer who sees no site's own: pairwise masks that cancel.

Every two sites agree on a key (X25519), and one adds what the other subtracts [BIK17]_.  The sites'
shared kernel, which the trainer does not have, vouches for the public keys, so that the trainer,
who carries them, cannot put his own in their place.

.. [BIK17] K. Bonawitz et al.  Practical secure aggregation for privacy-preserving machine learning.
   CCS 2017.  doi:10.1145/3133956.3133982
"""

import hashlib
import hmac
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from numpy.typing import NDArray

from shoal.errors import ParameterError, ProtocolError
from shoal.typing import Floats

MODULUS = 1 << 128
SCALE = 1 << 60
LARGEST = 1 << 60
"""Largest number that a site may add, so that sums keep their sign."""

Masked = NDArray[np.uint64]  # shape (n, 2), low word first


class SiteMasks:
    """One site's masks for one run.

    Parameters
    ----------
    site : str
        This site.
    secret : bytes
        What all sites share and the trainer does not have.
    sites : collection of str
        The sites that train together, this one among them, as they agreed among themselves.
    private : bytes, optional
        This site's private key, where the run began in another process.

    Notes
    -----
    **Reveals.**  To the trainer: sums over all sites, and nothing else while two sites or more do
    not tell him their numbers.  With two sites each learns the other's from the sum, as ever.  What
    two sums tell when one is taken from the other, masks do not hide.

    **Assumes.**  X25519; SHAKE-256 as a generator; every site stays until the end of a round: a
    missing one leaves a sum of noise, which is an error.

    **Departures from the paper.**  No recovery of sites that drop out; keys are vouched for by the
    shared secret in place of a key directory.
    """

    def __init__(
        self, site: str, secret: bytes, sites: Collection[str], private: bytes | None = None
    ) -> None:
        if site not in sites or len(set(sites)) < 2:
            raise ParameterError("masks need this site and at least one other.")
        self.site, self.sites = site, frozenset(sites)
        self._secret = hashlib.sha256(b"shoal masks\0" + secret).digest()
        self._key = (
            X25519PrivateKey.generate()
            if private is None
            else X25519PrivateKey.from_private_bytes(private)
        )
        self._keys: dict[str, bytes] = {}

    def private_key(self) -> bytes:
        """For this site itself, where a run goes on in another process."""
        return self._key.private_bytes_raw()

    def public_key(self) -> bytes:
        """What the trainer passes on to the other sites: the key, and the voucher for it."""
        raw = self._key.public_key().public_bytes_raw()
        return raw + self._voucher(self.site, raw)

    def meet(self, public_keys: Mapping[str, bytes]) -> None:
        """Agree on a key with every other site."""
        if public_keys.keys() != self.sites:
            raise ProtocolError(
                f"the trainer asks for a sum over {len(public_keys)} sites, which are not the "
                f"{len(self.sites)} that agreed to train together."
            )
        if public_keys[self.site] != self.public_key():
            raise ProtocolError("the trainer passed on another key than this site's.")
        # All keys enter: whoever gets another list gets other masks, and no sum comes out.
        everything = hashlib.sha256()
        for site, shown in sorted(public_keys.items()):
            everything.update(f"{len(site)}\0{site}\0".encode() + shown)
        for site, shown in public_keys.items():
            if site != self.site:
                self._keys[site] = self._agreed(site, shown, everything.digest())

    def mask(self, numbers: Floats, step: int, question: bytes = b"") -> Masked:
        """Numbers as whole ones modulo 2**128, behind the masks of this step and question.

        Masks cancel only where all sites were asked the same.
        """
        if not self._keys:
            raise ParameterError("this site has not met the others.")
        if not np.isfinite(numbers).all() or np.abs(numbers).max(initial=0) >= LARGEST:
            raise ParameterError("a number is too large to be added up. Lower nu or the weights.")
        total = [round(float(x) * SCALE) for x in numbers]
        for site, key in self._keys.items():
            sign = 1 if self.site < site else -1
            noise = _noise(hashlib.sha256(key + question).digest(), step, len(numbers))
            total = [value + sign * one for value, one in zip(total, noise, strict=True)]
        data = b"".join((value % MODULUS).to_bytes(16, "little") for value in total)
        return np.frombuffer(data, "<u8").reshape(-1, 2).astype(np.uint64)

    def _agreed(self, site: str, shown: bytes, everything: bytes) -> bytes:
        raw, voucher = shown[:32], shown[32:]
        if len(shown) != 64 or not hmac.compare_digest(voucher, self._voucher(site, raw)):
            raise ProtocolError(f"the key of site '{site}' is of no holder of the kernel.")
        try:
            shared = self._key.exchange(X25519PublicKey.from_public_bytes(raw))
        except (ValueError, InvalidSignature):
            raise ProtocolError(f"the key of site '{site}' is none.") from None
        pair = "\0".join(sorted((self.site, site))).encode()
        return hashlib.sha256(b"shoal pair\0" + shared + everything + pair).digest()

    def _voucher(self, site: str, raw: bytes) -> bytes:
        return hmac.new(self._secret, site.encode() + b"\0" + raw, hashlib.sha256).digest()


def sum_masked(parts: Sequence[Any], size: int) -> Floats:
    """Sum of all sites' numbers; the masks cancel."""
    totals = [0] * size
    for part in parts:
        words = np.asarray(part)
        if words.dtype != np.uint64 or words.shape != (size, 2):
            raise ProtocolError("a site sent something else than masked numbers.")
        for i, (low, high) in enumerate(words.tolist()):
            totals[i] += low | high << 64
    signed = [total % MODULUS for total in totals]
    signed = [total - MODULUS if total >= MODULUS // 2 else total for total in signed]
    if any(abs(total) > len(parts) * LARGEST * SCALE for total in signed):
        raise ProtocolError(
            "the masks do not cancel: a site is missing, or met other sites, or was asked another "
            "question."
        )
    return np.array([total / SCALE for total in signed])


def _noise(key: bytes, step: int, count: int) -> list[int]:
    data = hashlib.shake_256(key + step.to_bytes(8, "little")).digest(16 * count)
    return [int.from_bytes(data[i : i + 16], "little") for i in range(0, len(data), 16)]
