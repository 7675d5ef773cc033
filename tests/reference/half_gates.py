"""Half gates once more, from the equations of the paper (Zahur, Rosulek, Evans 2015, figure 2).

One gate and one copy at a time, on Python's integers; labels are 128 bits, lowest byte first.  It
knows of a circuit only its list of gates, and shares no code with what it is compared with.
"""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes


class Hash:
    """H(x, i) = P(P(x) ^ i) ^ P(x), where P is AES-128 under a public key."""

    def __init__(self, key):
        self._encrypt = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update

    def _permute(self, block):
        return int.from_bytes(self._encrypt(block.to_bytes(16, "little")), "little")

    def __call__(self, label, tweak):
        inner = self._permute(label)
        return self._permute(inner ^ tweak) ^ inner


def steps(n_inputs, gates):
    """AND gates that are garbled together: gates of one depth, in the order of their wires."""
    depth, found = [0] * n_inputs, {}
    for wire, (is_and, left, right) in enumerate(gates, n_inputs):
        depth.append(1 + max(depth[left // 2], depth[right // 2]))
        if is_and:
            found.setdefault(depth[wire], []).append(wire)
    return [found[level] for level in sorted(found)]


def tweaks(n_inputs, gates, copies, copy):
    """The place of each AND gate among the tables, and its two numbers, for one of the copies."""
    used, places, numbers = 0, {}, {}
    for level in steps(n_inputs, gates):
        for rank, wire in enumerate(level):
            places[wire] = len(places)
            numbers[wire] = tuple(
                used + (half * len(level) + rank) * copies + copy for half in (0, 1)
            )
        used += 2 * len(level) * copies
    return places, numbers


def garble(n_inputs, gates, inputs, offset, key, copies=1, copy=0):
    """False-labels of all wires, and the two ciphertexts of each AND gate, in the tables' order."""
    places, numbers = tweaks(n_inputs, gates, copies, copy)
    hashed, wires, tables = Hash(key), list(inputs), [None] * len(places)
    for wire, (is_and, left, right) in enumerate(gates, n_inputs):
        a, b = (wires[x // 2] ^ (offset if x % 2 else 0) for x in (left, right))
        if not is_and:
            # Negations of an exclusive or stand at its output, where they cost nothing.
            wires.append(wires[left // 2] ^ wires[right // 2])
            continue
        j, k = numbers[wire]
        p_a, p_b = a % 2, b % 2
        generator = hashed(a, j) ^ hashed(a ^ offset, j) ^ p_b * offset
        left_half = hashed(a, j) ^ p_a * generator
        evaluator = hashed(b, k) ^ hashed(b ^ offset, k) ^ a
        right_half = hashed(b, k) ^ p_b * (evaluator ^ a)
        tables[places[wire]] = (generator, evaluator)
        wires.append(left_half ^ right_half)
    return wires, tables


def evaluate(n_inputs, gates, held, tables, key, copies=1, copy=0):
    """The label of every wire that belongs to its value, from those of the inputs."""
    places, numbers = tweaks(n_inputs, gates, copies, copy)
    hashed, wires = Hash(key), list(held)
    for wire, (is_and, left, right) in enumerate(gates, n_inputs):
        a, b = wires[left // 2], wires[right // 2]
        if not is_and:
            wires.append(a ^ b)
            continue
        j, k = numbers[wire]
        generator, evaluator = tables[places[wire]]
        left_half = hashed(a, j) ^ (a % 2) * generator
        right_half = hashed(b, k) ^ (b % 2) * (evaluator ^ a)
        wires.append(left_half ^ right_half)
    return wires
