"""Attacks on any table, beside Anonymeter where it is installed: docs/guide/attacks.md.

    python benchmarks/bench_attacks.py PEER_PYTHON

Adult in seven columns: a third of the rows is the original, a third the control, and published is
half of the original among as many of the other rows, so that what leaks is known.  PEER_PYTHON is
an interpreter with anonymeter, which is run in a process of its own.
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

COLUMNS = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex"]
HALVES = (["age", "education", "race"], ["workclass", "marital-status", "occupation", "sex"])
QUERIES = 2_000
PEER = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
folder, halves, n = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
ori, syn, control = (pd.read_csv(f"{folder}/{t}.csv") for t in ("ori", "syn", "control"))
known = [c for c in ori if c != "occupation"]
for name, make, options in (
    ("singling out", lambda: SinglingOutEvaluator(ori, syn, n_attacks=n, control=control),
     {"mode": "multivariate"}),
    ("linkability", lambda: LinkabilityEvaluator(ori, syn, aux_cols=halves, n_attacks=n,
     n_neighbors=1, control=control), {}),
    ("inference", lambda: InferenceEvaluator(ori, syn, aux_cols=known, secret="occupation",
     n_attacks=n, control=control), {}),
):
    start = time.perf_counter()
    one = make().evaluate(**options).results()
    taken = time.perf_counter() - start
    print(json.dumps([name, one.attack_rate.value, one.control_rate.value, taken]))
"""


def tables():
    """Original, half of which is published, with rows of nobody else; control."""
    whole = pd.DataFrame(adult().columns)[COLUMNS].sample(frac=1, random_state=0)
    third = len(whole) // 3
    original, control, fresh = (whole[i * third : (i + 1) * third] for i in range(3))
    published = pd.concat([original[: third // 2], fresh[: third // 2]])
    return original, published.sample(frac=1, random_state=1), control


def ours(original, released, control):
    """Rates and times."""
    common = {"control": control, "n_attacks": QUERIES}
    runs = {
        "singling out": lambda: singling_out_attack(released, original, **common),
        "linkability": lambda: linkability_attack(released, original, *HALVES, **common),
        "inference": lambda: inference_attack(released, original, "occupation", **common),
    }
    for name, run in runs.items():
        run()  # compiled, or loaded
        start = time.perf_counter()
        result = run()
        taken = time.perf_counter() - start
        show("shoal", name, result.risk, result.baseline, taken)


def show(who, name, rate, control, seconds):
    """One line of the table."""
    sys.stdout.write(f"| {name} | {who} | {rate:.3f} | {control:.3f} | {seconds:.1f} s |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    given = tables()
    ours(*given)
    if len(sys.argv) > 1:
        with tempfile.TemporaryDirectory() as folder:
            for table, name in zip(given, ("ori", "syn", "control"), strict=True):
                table.to_csv(Path(folder) / f"{name}.csv", index=False)
            command = [sys.argv[1], "-c", PEER, folder, json.dumps(HALVES), str(QUERIES)]
            answer = subprocess.run(command, capture_output=True, text=True, check=True)
        for line in answer.stdout.splitlines():
            show("anonymeter", *json.loads(line))
