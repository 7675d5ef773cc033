"""One of three equal parties as a process; called with its place and all addresses."""

import json
import sys

import numpy as np

from shoal.secure import MPyCParty, SecureBayesNet, SecureID3, TablePart
from tests.reference.k2 import sample_asia
from tests.reference.two_parties import table

TREE, ARITIES = table(6, 70, [3, 2, 2]), [3, 2, 2]
NET = sample_asia(400, seed=2)[:, [1, 3, 4]]


def part(codes, arities, index):
    names = [f"a{i}" for i in range(len(arities) - 1)] + ["class"]
    values = [[f"v{j}" for j in range(a)] for a in arities]
    return TablePart(names, values, np.asarray(codes[index::3]), "rows")


def main():
    index, addresses = int(sys.argv[1]), sys.argv[2:]
    with MPyCParty(index, addresses, timeout=60) as party:
        tree = SecureID3("class", max_depth=2, reveal_counts=True)
        tree.fit(part(TREE, ARITIES, index), party)
        net = SecureBayesNet(max_parents=1).fit(part(NET, [2] * 3, index), party)
    found = {
        "tree": tree.tree_.to_dict(),
        "counts": tree.counts_.tolist(),
        "logarithms": tree.n_logarithms_,
        "parents": net.structure_.parents,
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
