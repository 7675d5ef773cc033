from shoal.secure.logarithm._polynomial import evaluate_polynomials, serve_polynomials


def test_polynomials_are_evaluated_obliviously(both):
    modulus, polynomials, points = 2**70, [[5, -3, 2, 7], [1, 0, 0, 1]], [11, 2**69 + 5]

    def half(party, values):
        if party.is_first:
            return serve_polynomials(party, modulus, values)
        return evaluate_polynomials(party, modulus, values, 3)

    a, b = both(half, (polynomials,), (points,))
    assert [(p + q) % modulus for p, q in zip(a, b, strict=True)] == [
        sum(c * y**i for i, c in enumerate(f)) % modulus
        for f, y in zip(polynomials, points, strict=True)
    ]
