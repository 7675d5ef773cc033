"""One of three parties of ABY3 as a process: its place, a folder of keys or -, all addresses."""

import json
import sys

from shoal.secure import SecureID3
from shoal.secure.miners._aby3 import ABY3Party
from tests.reference.mpyc_party import ARITIES, TREE, part

NAMES = ("one", "two", "three")


def main():
    index, folder, addresses = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    options = {}
    if folder != "-":
        others = [name for name in NAMES if name != NAMES[index]]
        options = {
            "key": f"{folder}/{NAMES[index]}.key",
            "certificate": f"{folder}/{NAMES[index]}.crt",
            "peers": [f"{folder}/{name}.crt" for name in others],
        }
    with ABY3Party(index, addresses, **options) as party:
        tree = SecureID3("class", max_depth=2, reveal_counts=True)
        tree.fit(part(TREE, ARITIES, index), party)
    found = {"tree": tree.tree_.to_dict(), "counts": tree.counts_.tolist()}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
