"""Oblivious polynomial evaluation, with a shared result."""

from shoal.secure._party import Party


def serve_polynomials(party: Party, modulus: int, polynomials: list[list[int]]) -> list[int]:
    """Share f(point) for each polynomial f of this party and point of the other.

    Run against :func:`evaluate_polynomials`.

    Parameters
    ----------
    party : Party
        This end.
    modulus : int
        Of the shares of the result; transfers need a power of two.
    polynomials : list of list of int
        Coefficients, the constant first; all of the same degree.

    Returns
    -------
    list of int
        This party's shares.

    Notes
    -----
    **Reveals.**  The degree, to the other party.  **Assumes.**  What products assume.
    **Costs.**  One inner product of length `degree` per polynomial; one round.

    **Departures from the paper.**  An inner product of coefficients and powers, by transfers or by
    Paillier, in place of noisy interpolation [NP06]_.

    References
    ----------
    .. [NP06] M. Naor, B. Pinkas.  Oblivious polynomial evaluation.  SIAM Journal on Computing
       35(5), 2006.  doi:10.1137/S0097539704383633
    """
    shares = party.modular_products(modulus, [polynomial[1:] for polynomial in polynomials])
    return [
        (share + polynomial[0]) % modulus
        for share, polynomial in zip(shares, polynomials, strict=True)
    ]


def evaluate_polynomials(party: Party, modulus: int, points: list[int], degree: int) -> list[int]:
    """Share f(point) for each point of this party; the degree is known to both."""
    powers = [[pow(point, i, modulus) for i in range(1, degree + 1)] for point in points]
    return party.modular_products(modulus, powers)
