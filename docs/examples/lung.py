"""Three sites learn about lung cancer together: the figures of the tutorial.

Run ``python docs/examples/lung.py`` for all of it (some minutes), or with ``--quick``.  Needs the
extras sites and plot.  Figures go to ``docs/assets``.
"""

import sys
from pathlib import Path

import numpy as np
from lifelines.datasets import load_lung

from shoal.federated import Study, compare_sites, survival_target

RANGES = {
    "age": (30, 90),
    "sex": (1, 2),
    "ph.ecog": (0, 4),
    "ph.karno": (40, 100),
    "pat.karno": (20, 100),
    "wt.loss": (-30, 80),
}
AGREED = {"ph.ecog": 1, "ph.karno": 80, "pat.karno": 80, "wt.loss": 7}  # where a value is missing
SITES = {"A": (1, 5), "B": (6, 12), "C": (13, 33)}  # institutions, by number
YEAR = 365
SHARES = (0.2, 0.4, 0.6, 0.8)


def load_sites():
    """Frames and outcomes of the three sites."""
    table = load_lung().dropna(subset=["inst"]).fillna(AGREED)
    sites = {}
    for name, (first, last) in SITES.items():
        rows = table[table["inst"].between(first, last)]
        sites[name] = rows[list(RANGES)], survival_target(rows["time"], rows["status"])
    return sites


def run(n_splits):
    """Every comparison of the tutorial."""
    sites, found = load_sites(), {}
    for model in ("cox", "svm"):
        for share in SHARES:
            study = Study(model, YEAR, share, n_splits=n_splits)
            found[model, "share", share] = compare_sites(sites, RANGES, study)
        for components in (2, 3, 4):
            study = Study(model, YEAR, 0.4, components, n_splits)
            found[model, "components", components] = compare_sites(sites, RANGES, study)
        found[model, "components", 5] = found[model, "share", 0.4]
        study = Study(model, 2 * YEAR, 0.6, n_splits=n_splits)
        found[model, "two years", 0.6] = compare_sites(sites, RANGES, study)
    study = Study("cox", YEAR, 0.6, n_splits=n_splits)
    found["cox", "concordance", 0.6] = compare_sites(sites, RANGES, study, score="concordance")
    return found


def plot(found, folder):
    """The paper's figures: bars, training share, scatter, components."""
    import matplotlib as mpl  # noqa: PLC0415  only figures need it

    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    for model in ("cox", "svm"):
        figure, axes = plt.subplots(1, 4, figsize=(15, 3.6), layout="constrained")
        bars(axes[0], found[model, "share", 0.6])
        lines(axes[1], found, model)
        scatter(axes[2], found[model, "share", 0.4])
        components(axes[3], found, model)
        figure.suptitle(f"NCCTG lung, {model.upper()}: AUC at one year")
        figure.savefig(folder / f"lung_{model}.png", dpi=80)
        plt.close(figure)


def bars(axis, comparison):
    """Mean AUC of every model, with deviations."""
    rows = comparison.rows()
    names = [row["model"].replace(" ", "\n") for row in rows]
    axis.bar(names, [row["mean"] for row in rows], yerr=[row["deviation"] for row in rows])
    axis.set(ylim=(0.45, 0.8), ylabel="AUC", title="60 % trained on")


def lines(axis, found, model):
    """AUC by training share."""
    for name in found[model, "share", 0.4].scores:
        means = [np.nanmean(found[model, "share", s].scores[name]) for s in SHARES]
        axis.plot([100 * s for s in SHARES], means, marker="o", label=name)
    axis.set(xlabel="trained on, %", title="training share")
    axis.legend(fontsize=7)


def scatter(axis, comparison):
    """Pooled against private, one point per split."""
    axis.plot([0.45, 0.8], [0.45, 0.8], color="grey", linewidth=1)
    axis.scatter(comparison.scores["pooled"], comparison.scores["joint private"], s=8)
    axis.set(xlabel="pooled", ylabel="joint private", title="each split, 40 %")


def components(axis, found, model):
    """AUC by rows of B."""
    rows = [found[model, "components", m].rows()[0] for m in (2, 3, 4, 5)]
    means, deviations = [r["mean"] for r in rows], [r["deviation"] for r in rows]
    axis.errorbar([2, 3, 4, 5], means, deviations, marker="o", capsize=3, label="joint private")
    axis.axhline(found[model, "share", 0.4].rows()[-1]["mean"], color="grey", label="pooled")
    axis.set(xlabel="components of B", xticks=[2, 3, 4, 5], title="m', 40 %")
    axis.legend(fontsize=7)


def main():
    """Run, print and plot."""
    quick = "--quick" in sys.argv
    found = run(5 if quick else 100)
    folder = Path(__file__).parents[1] / "assets"
    for _case, comparison in found.items():
        {r["model"]: f"{r['mean']:.3f}±{r['deviation']:.3f}" for r in comparison.rows()}
        _gap, _error = comparison.gap()
        comparison.single_site_mean()
    if not quick:
        folder.mkdir(exist_ok=True)
        plot(found, folder)


if __name__ == "__main__":
    main()
