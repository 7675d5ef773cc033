"""`shoal reproduce`: the papers' experiments, run again.

The experiments are a folder of the source tree, not part of the installed package: they are for
those who check our claims, and need more packages than a release does.
"""

import importlib
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

import shoal
from shoal.cli._options import OutFolder, Seed
from shoal.cli._output import output
from shoal.errors import ShoalError

app = typer.Typer()


@app.command()
def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[all|NAME ...]", help="Experiments; all of them unless given."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer rows and repeats: minutes, not an hour.")
    ] = False,
    out: OutFolder = Path("evidence"),
    seed: Seed = 0,
    list_: Annotated[bool, typer.Option("--list", help="Say which there are, and stop.")] = False,
) -> None:
    """Run experiments of the papers; write each published number beside ours.

    Exit code 1 when a number lies outside its bounds and its experiment does not say why.
    An experiment whose data or package is absent is skipped and says how to get it.
    """
    out_ = output()
    papers = _experiments()
    chosen = papers.select(names or [])
    if list_:
        known = {name: papers.EXPERIMENTS[name] for name in chosen}
        out_.emit(known, lambda: out_.table("", ["name", "what"], list(known.items())))
        return
    outcomes: list[Any] = []
    for done, name in enumerate(chosen):
        with out_.progress() as progress:
            progress(done, len(chosen), name)
            outcome = papers.run(name, papers.Setup(quick, seed, progress))
        papers.write_pages([outcome], out)  # one at a time: an interrupted run keeps what it has
        outcomes.append(outcome)
        out_.note(f"{name}: {outcome.state}, {outcome.seconds:.1f} s")
    data = {"out": str(out), "experiments": [papers.describe(outcome) for outcome in outcomes]}
    out_.emit(data, lambda: _show(outcomes, out))
    if any(outcome.state == "differs" for outcome in outcomes):
        raise typer.Exit(1)


def _experiments() -> Any:
    """The folder `reproduce` beside `src`, wherever the command is called from."""
    root = Path(shoal.__file__).resolve().parents[2]
    if not (root / "reproduce" / "__init__.py").exists():
        raise ShoalError(
            "the experiments are in the source tree, not in the installed package. Clone the "
            "project and run `make evidence` there, or `shoal reproduce` after `pip install -e .`."
        )
    if str(root) not in sys.path:
        sys.path.append(str(root))
    return importlib.import_module("reproduce")


def _show(outcomes: list[Any], out: Path) -> None:
    papers = _experiments()
    rows = []
    for outcome in outcomes:
        counts = papers.tally(papers.describe(outcome)["findings"]).values()
        shown = [f"{held} of {n}" if outcome.evidence else "-" for held, n in counts]
        rows.append([outcome.name, outcome.state, *shown, round(outcome.seconds, 1)])
    heads = ["experiment", "state", "numbers agree", "in words", "guards kept", "seconds"]
    output().table("", heads, rows)
    for outcome in outcomes:
        if outcome.skipped is not None:
            output().print(f"{outcome.name} skipped: {outcome.skipped}")
        for finding in outcome.evidence.failures if outcome.evidence else ():
            output().print(
                f"{outcome.name} differs: {finding.where}, {finding.what}: {finding.ours:g}"
            )
    output().print(f"Pages: {out / 'index.md'}")
