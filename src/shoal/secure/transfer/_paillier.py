"""Paillier's encryption: sums of ciphertexts are sums of plaintexts.

Integers only.  3,072-bit keys give 128-bit security, 2,048-bit keys 112 bits [Bar20]_.

.. [Pai99] P. Paillier.  Public-key cryptosystems based on composite degree residuosity classes.
   EUROCRYPT 1999.  doi:10.1007/3-540-48910-X_16
.. [DJN10] I. Damgård, M. Jurik, J. B. Nielsen.  A generalization of Paillier's public-key system
   with applications to electronic voting.  Int. J. Information Security 9, 2010.
   doi:10.1007/s10207-010-0119-9
.. [Bar20] E. Barker.  Recommendation for key management.  NIST SP 800-57 part 1 rev. 5, 2020.
"""

import secrets
from dataclasses import dataclass, field
from typing import Any

import gmpy2
from cryptography.hazmat.primitives.asymmetric import rsa
from gmpy2 import mpz

from shoal.errors import ParameterError, ProtocolError

SHORT_EXPONENT_BITS = 256  # twice the security level: the best attack is square-root
_WINDOW = 8  # bits of the exponent per row of the table of powers
SECURITY = {2048: 112, 3072: 128, 4096: 152}

Integer = Any  # gmpy2.mpz or int; gmpy2 has no usable types for the checker


class PublicKey:
    """What the other party needs to encrypt and to compute.

    Parameters
    ----------
    n : int
        The modulus.
    base : int
        ``h**n mod n**2`` for a random square ``h``; its powers are encryptions of 0.
    full_randomness : bool
        Draw a full random ``r`` for every encryption in place of a short power of `base`.

    Notes
    -----
    **Assumes.**  Decisional composite residuosity.  With short exponents (the default) also that
    ``base**s`` for a random 256-bit ``s`` looks like a random power of `base` [DJN10]_; pass
    ``full_randomness=True`` to do without it, at some fifty times the cost.  The table of powers
    is read at secret positions: a neighbour on the same processor core might observe that.
    """

    def __init__(self, n: int, base: int, *, full_randomness: bool = False) -> None:
        self.n, self.base = mpz(n), mpz(base)
        self.square = self.n * self.n
        self.full_randomness = full_randomness
        self._table: list[list[Integer]] | None = None

    @classmethod
    def checked(cls, n: int, base: int, bits: int, *, full_randomness: bool) -> "PublicKey":
        """Return a key that another party sent, after the checks that can be made."""
        if n.bit_length() != bits or n % 2 == 0 or gmpy2.is_prime(n):
            raise ProtocolError(f"the other party's Paillier modulus is not one of {bits} bits.")
        if not 1 < base < n * n or gmpy2.gcd(base, n) != 1:
            raise ProtocolError("the other party's Paillier base is out of range.")
        return cls(n, base, full_randomness=full_randomness)

    @property
    def bits(self) -> int:
        """Length of the modulus."""
        return int(self.n.bit_length())

    def encrypt(self, value: int) -> Integer:
        """Encrypt an integer, reduced modulo n."""
        plain = (1 + self.n * (value % self.n)) % self.square
        return plain * self.randomizer() % self.square

    def randomizer(self) -> Integer:
        """Return a fresh random encryption of 0."""
        if self.full_randomness:
            r = secrets.randbelow(int(self.n) - 1) + 1
            return gmpy2.powmod_sec(r, self.n, self.square)
        return self._short_power(secrets.randbits(SHORT_EXPONENT_BITS))

    def scale(self, ciphertext: Integer, factor: int) -> Integer:
        """Encrypt `factor` times the plaintext; the factor is secret and positive."""
        return gmpy2.powmod_sec(ciphertext, factor, self.square)

    def combine(self, ciphertexts: list[Integer], factors: list[int]) -> Integer:
        """Encrypt the sum of factors times plaintexts, without fresh randomness."""
        result = mpz(1)
        for ciphertext, factor in zip(ciphertexts, factors, strict=True):
            result = result * self.scale(ciphertext, factor) % self.square
        return result

    def pack(self, ciphertexts: list[Integer], slot: int) -> Integer:
        """Encrypt all plaintexts side by side, each `slot` bits wide, the first one lowest."""
        # Horner's rule: one public shift per ciphertext in place of one long power each.
        *others, result = ciphertexts
        for ciphertext in reversed(others):
            result = gmpy2.powmod(result, 1 << slot, self.square) * ciphertext % self.square
        return result

    def _short_power(self, exponent: int) -> Integer:
        if self._table is None:
            self._table = self._powers()
        result = mpz(1)
        # One table row per byte of the exponent: a power is 32 products and no squaring.
        for row in self._table:
            result = result * row[exponent & (2**_WINDOW - 1)] % self.square
            exponent >>= _WINDOW
        return result

    def _powers(self) -> list[list[Integer]]:
        table, base = [], self.base
        for _ in range(SHORT_EXPONENT_BITS // _WINDOW):
            row = [mpz(1)]
            for _ in range(2**_WINDOW - 1):
                row.append(row[-1] * base % self.square)
            table.append(row)
            base = row[-1] * base % self.square
        return table


@dataclass(frozen=True)
class SecretKey:
    """The two primes and what follows from them; decrypts by the Chinese remainder theorem."""

    p: Integer = field(repr=False)
    q: Integer = field(repr=False)
    public: PublicKey = field(repr=False)

    @classmethod
    def generate(cls, bits: int = 3072, *, full_randomness: bool = False) -> "SecretKey":
        """Make a key; 3,072 bits are 128-bit security, 2,048 bits 112."""
        if bits not in SECURITY:
            raise ParameterError(f"a key has {', '.join(map(str, SECURITY))} bits, got {bits}.")
        primes: list[Integer] = []
        while len(primes) < 2:  # both 3 modulo 4, as [DJN10] wants
            numbers = rsa.generate_private_key(65537, bits).private_numbers()
            primes += [mpz(x) for x in (numbers.p, numbers.q) if x % 4 == 3 and x not in primes]
        return cls.from_primes(primes[0], primes[1], full_randomness=full_randomness)

    @classmethod
    def from_primes(cls, p: int, q: int, *, full_randomness: bool = False) -> "SecretKey":
        """Make a key from given primes (tests use small ones)."""
        n = mpz(p) * q
        if p == q or gmpy2.gcd(n, (mpz(p) - 1) * (mpz(q) - 1)) != 1:
            raise ParameterError("these primes do not make a Paillier key.")
        h = mpz(secrets.randbelow(int(n) - 2) + 2)
        base = gmpy2.powmod_sec(h * h % n, n, n * n)
        public = PublicKey(int(n), int(base), full_randomness=full_randomness)
        return cls(mpz(p), mpz(q), public)

    def decrypt(self, ciphertext: Integer) -> int:
        """Plaintext from 0 to n - 1."""
        if not 0 < ciphertext < self.public.square or gmpy2.gcd(ciphertext, self.public.n) != 1:
            raise ProtocolError("a Paillier ciphertext is out of range.")
        at_p = self._part(ciphertext, self.p, self.q)
        at_q = self._part(ciphertext, self.q, self.p)
        lift = (at_p - at_q) * gmpy2.invert(self.q, self.p) % self.p
        return int(at_q + self.q * lift)

    @staticmethod
    def _part(ciphertext: Integer, p: Integer, q: Integer) -> Integer:
        """Plaintext modulo one prime: L(c^(p-1) mod p^2) / L(g^(p-1) mod p^2) with g = 1 + pq."""
        power = gmpy2.powmod_sec(ciphertext % (p * p), p - 1, p * p)
        return (power - 1) // p * gmpy2.invert(-q % p, p) % p

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a secret key is not pickled.")
