"""Attacks on any table, beside Anonymeter where it is installed: docs/guide/attacks.md.

    python benchmarks/bench_attacks.py [PEER_PYTHON]

Adult in seven columns: a third of the rows is the original, a third the control, and published is
half of the original among as many of the other rows, so that what leaks is known.  PEER_PYTHON is
an interpreter with anonymeter, which is run in a process of its own.  Rates are shown with their
95 % intervals; the last column says whether those of the two overlap.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

from shoal.attacks import inference_attack, linkability_attack, singling_out_attack
from shoal.datasets import adult
from shoal.metrics._wilson import wilson

COLUMNS = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex"]
HALVES = (["age", "education", "race"], ["workclass", "marital-status", "occupation", "sex"])
QUERIES = 2_000
SEEDS = range(3)
PEER = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
folder, halves, n, seed = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
np.random.seed(seed)
ori, syn, control = (pd.read_csv(f"{folder}/{t}.csv") for t in ("ori", "syn", "control"))
known = [c for c in ori if c != "occupation"]
for name, make, options in (
    ("inference", lambda: InferenceEvaluator(ori, syn, aux_cols=known, secret="occupation",
     n_attacks=n, control=control), {"n_jobs": 1}),
    ("linkability", lambda: LinkabilityEvaluator(ori, syn, aux_cols=halves, n_attacks=n,
     n_neighbors=1, control=control), {"n_jobs": 1}),
    ("singling out", lambda: SinglingOutEvaluator(ori, syn, n_attacks=n, n_cols=3,
     control=control, seed=seed), {"mode": "multivariate"}),
):
    if name == "singling out" and seed:
        continue  # minutes each
    start = time.perf_counter()
    one = make().evaluate(**options).results()
    taken = time.perf_counter() - start
    print(json.dumps([name, one.attack_rate.value, one.control_rate.value, taken]), flush=True)
"""


def tables():
    """Original, half of which is published, with rows of nobody else; control."""
    whole = pd.DataFrame(adult().columns)[COLUMNS].sample(frac=1, random_state=0)
    third = len(whole) // 3
    original, control, fresh = (whole[i * third : (i + 1) * third] for i in range(3))
    published = pd.concat([original[: third // 2], fresh[: third // 2]])
    return original, published.sample(frac=1, random_state=1), control


def ours(original, released, control, seed):
    """Attack, success on people and on control rows, time."""
    common = {"control": control, "n_attacks": QUERIES, "random_state": seed}
    runs = {
        "inference": lambda: inference_attack(released, original, "occupation", **common),
        "linkability": lambda: linkability_attack(released, original, *HALVES, **common),
        "singling out": lambda: singling_out_attack(released, original, **common),
    }
    for name, run in runs.items():
        run()  # compiled, or loaded
        start = time.perf_counter()
        result = run()
        yield name, result.risk, result.baseline, time.perf_counter() - start


def peers(folder, seed):
    """The same of Anonymeter."""
    command = [sys.argv[1], "-c", PEER, folder, json.dumps(HALVES), str(QUERIES), str(seed)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def show(seed, one, other):
    """One line of the table."""
    rates = []
    for who in filter(None, (one, other)):
        rates += [f"{rate:.3f} ± {_half(rate):.3f}" for rate in who[1:3]] + [f"{who[3]:.1f} s"]
    alike = ""
    if other is not None:
        alike = all(abs(one[i] - other[i]) <= _half(one[i]) + _half(other[i]) for i in (1, 2))
    sys.stdout.write(f"| {one[0]} | {seed} | {' | '.join(rates)} | {alike} |\n")
    sys.stdout.flush()


def _half(rate):
    low, high = wilson(rate * QUERIES, QUERIES)
    return (high - low) / 2


if __name__ == "__main__":
    given = tables()
    with tempfile.TemporaryDirectory() as folder:
        for table, name in zip(given, ("ori", "syn", "control"), strict=True):
            table.to_csv(Path(folder) / f"{name}.csv", index=False)
        for seed in SEEDS:
            of_peer = {line[0]: line for line in peers(folder, seed)} if sys.argv[1:] else {}
            for line in ours(*given, seed):
                show(seed, line, of_peer.get(line[0]))
