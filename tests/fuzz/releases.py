"""Random releases: a table, an engine, a method, models and options, made and judged.

Several cases in a row share one table, which is opened once: opening it takes longer than a
release.  Everything follows from (seed, case), so a failure can be made again by these two numbers.
"""

import dataclasses
import inspect
import random
import shutil
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from shoal import Schema, privacy
from shoal.anonymize._registry import METHODS, make_method, method_class
from shoal.errors import GuaranteeError, ShoalError
from shoal.tables import RowOptions, open_table
from tests.fuzz import engines, tables
from tests.judge.judge import Claim, judge

FORMATS = (None, None, None, ".csv", ".parquet", ".arrow")
"""How a release is given out: most in memory, since files take longer."""

PARAMETERS = {
    "max_suppression": (0.0, 0.1, 0.5, 1.0),
    "metric": (None,),
    "partial": (False, True),
    "search": ("greedy", "optimal", "heuristic"),
    "hardened": (False, True),
    "refine": (True, False),
    "ranges": ("lines", "exact"),
    "splits": ("partial", "full"),
    "relaxed": (True, False),
    "spread": (0.0, 1.0),
    "loss": (0.0, 1.0),
}
"""Parameters of methods that are varied; a method takes those that it has."""


PEOPLE_ELSEWHERE = ("DeltaPresence", "KMap")
"""Models that ask whom a label fits."""

BY_REGIONS = ("mondrian", "local", "constrained")
"""Methods that solve a table region by region."""

PER_TABLE = 20
"""Cases that share a table."""


@dataclass
class Outcome:
    """What became of a case: "judged", "refused", or what was broken."""

    kind: str
    broken: list = field(default_factory=list)
    about: str = ""


@dataclass
class Case:
    """A release to be made."""

    engine: str
    columns: dict
    method: str
    parameters: dict
    models: list
    output: dict
    suffix: str | None
    regions: int | None = None

    def __str__(self):
        kinds = ", ".join(f"{n!r}: {d.sort} {d.schema}" for n, d in self.columns.items())
        rows = len(next(iter(self.columns.values())).values)
        return (
            f"{self.engine} {rows} rows ({kinds}) {self.method} {self.parameters} {self.models} "
            f"{self.output} {self.suffix} regions {self.regions}"
        )


def draw_table(seed: int, case: int) -> tuple[str, dict, random.Random]:
    """Engine and columns of the table of a case, and the generator to go on with."""
    rng = random.Random(f"{seed}:table {case // PER_TABLE}")
    engine = rng.choices(engines.KINDS, engines.WEIGHTS.values())[0]
    return engine, tables.table(rng, engine), rng


def draw(seed: int, case: int) -> Case:
    """The case; what it takes of its table is drawn once more."""
    engine, columns, _ = draw_table(seed, case)
    rng = random.Random(f"{seed}:{case}")
    method = rng.choice(list(METHODS))
    drawn = Case(
        engine,
        columns,
        method,
        _parameters(rng, method),
        _column_models(random.Random(f"{seed}:{case}:columns"), columns, _models(rng, columns)),
        _output(rng, columns),
        rng.choice(FORMATS),
    )
    _draw_form(random.Random(f"{seed}:{case}:form"), drawn)
    cut = random.Random(f"{seed}:{case}:regions")
    if method in BY_REGIONS and cut.random() < 0.1:
        drawn.regions = cut.choice((1, 2, 3))
    return drawn


def _draw_form(rng, case):
    """Numbers and dates in another form than labels, in a quarter of the cases."""
    form = rng.choice(("intervals", "midpoints", "draws", "means", "means"))
    if rng.random() < 0.75 or any(model["model"] in PEOPLE_ELSEWHERE for model in case.models):
        return
    case.output["form"] = form
    if form == "means":
        case.output = {"keep_suppressed": False, "form": form} | {
            name: case.output[name] for name in ("shuffle", "keep_order") if name in case.output
        }


def _parameters(rng, method):
    known = inspect.signature(method_class(method)).parameters
    drawn = {}
    for name, choices in PARAMETERS.items():
        value = rng.choice(choices)
        if name in known and rng.random() < 0.6 and _suits(known[name].default, value, name):
            drawn[name] = value
    return drawn


def _suits(default, value, name):
    own = {"search": {"greedy": ("greedy",), "optimal": ("optimal", "heuristic")}.get(default, ())}
    return value in own.get(name, (value,)) and type(value) is type(default)


def _output(rng, columns):
    options = {"keep_suppressed": rng.random() < 0.2}
    known = {field.name for field in dataclasses.fields(RowOptions)}
    order = rng.choice(("none", "seed", "keep"))
    if order == "seed":
        options["shuffle"] = rng.randrange(100)
    elif order == "keep" and "keep_order" in known:
        options["keep_order"] = True
    if rng.random() < 0.2:
        ordered = ("whole", "real", "date", "decimal")
        options["ranges"] = tuple(
            name
            for name, drawn in columns.items()
            if drawn.fact.role == "quasi-identifier" and drawn.sort in ordered
        )
    return options


def _models(rng, columns):
    n_rows = len(next(iter(columns.values())).values)
    k = rng.choice((1, 2, 2, 3, 3, 5))
    models = [{"model": "KAnonymity", "k": min(k, n_rows) if rng.random() < 0.95 else k}]
    if any(drawn.fact.role == "subject" for drawn in columns.values()):
        return models
    if rng.random() < 0.15:
        return [*(models if rng.random() < 0.5 else ()), _whole_model(rng, n_rows)]
    sensitive = {name: d for name, d in columns.items() if d.fact.role == "sensitive"}
    if not sensitive or rng.random() < 0.4:
        if rng.random() < 0.1:
            models.append({"model": "DeltaPresence", "low": 0, "high": rng.choice((0.3, 0.5, 0.9))})
        return models
    name = rng.choice(list(sensitive))
    k, drawn = models[0]["k"], sensitive[name]
    choices = [
        {"model": "DistinctDiversity", "l": rng.choice((1, 2, 3))},
        {"model": "EntropyDiversity", "l": rng.choice((1.0, 1.3, 2.0))},
        {"model": "RecursiveDiversity", "c": rng.choice((0.5, 1.0, 3.0)), "l": rng.choice((1, 2))},
        {"model": "ConfidenceLimit", "c": rng.choice((0.5, 0.7, 0.9))},
        {"model": "TCloseness", "t": rng.choice((0.1, 0.3, 0.5)), "distance": "equal"},
        {"model": "AlphaKAnonymity", "alpha": rng.choice((0.4, 0.5, 0.8)), "k": k},
        {"model": "PSensitive", "p": min(2, k), "k": k},
        {
            "model": "BetaLikeness",
            "beta": rng.choice((0.5, 1.0, 2.0)),
            "enhanced": rng.random() < 0.5,
        },
        {"model": "DeltaDisclosure", "delta": rng.choice((0.5, 1.0, 2.5))},
    ]
    if drawn.fact.kind != "categorical":
        choices += [
            {"model": "TCloseness", "t": rng.choice((0.1, 0.3)), "distance": "ordered"},
            {"model": "Proximity", "e": rng.choice((0.0, 0.5, 2.0)), "m": rng.choice((1, 2))},
        ]
    texts = sorted({v for v in drawn.values if isinstance(v, str)})
    if drawn.sort == "text" and texts:
        choices.append(choices[5] | {"values": tuple(texts[:2])})
    if drawn.fact.above and None not in drawn.values:
        choices.append({"model": "TCloseness", "t": 0.3, "distance": "hierarchical"})
    model = rng.choice(choices)
    # ConfidenceLimit and some others speak of one column only, or are about all of them
    return [*models, model | {"column": name}]


def _column_models(rng, columns, models):
    """Now and then something asked of some columns instead; drawn apart from all else."""
    names = [name for name, drawn in columns.items() if drawn.fact.role == "quasi-identifier"]
    if rng.random() > 0.15 or len(names) < 2 or models[-1]["model"] != "KAnonymity":
        return models
    if any(drawn.fact.role in ("subject", "household") for drawn in columns.values()):
        return models
    kept = models if rng.random() < 0.3 else []
    k = {"model": "KAnonymity", "k": rng.choice((2, 3, 4))}
    if rng.random() < 0.4:
        return [*kept, k | {"model": "LKCPrivacy", "l": rng.choice((1, 2, 2, 3))}]
    sets = [rng.sample(names, rng.randint(1, len(names))) for _ in range(rng.choice((1, 2, 2)))]
    return [*kept, *({"model": "Requirement", "columns": chosen, "asked": k} for chosen in sets)]


def _whole_model(rng, n_rows):
    """A condition on risk, of all rows together or of single ones."""
    risk = rng.choice((0.1, 0.25, 0.4, 0.5, 1.0))
    share = rng.choice((0.0, 0.1, 0.4))
    fraction = {"fraction": rng.choice((0.2, 0.5))} if rng.random() < 0.3 else {}
    return rng.choice((
        {"model": "AverageRisk", "risk": risk} | fraction,
        {"model": "CorrectGuesses", "guesses": max(1, n_rows * risk)} | fraction,
        {"model": "RecordsAtRisk", "share": share, "threshold": risk} | fraction,
        {"model": "RiskThresholds", "at_risk": share, "highest": risk, "success": 0.5} | fraction,
        {"model": "RiskThresholds", "success": risk} | fraction,
        {"model": "Uniqueness", "share": share},
        {"model": "KMap", "k": rng.choice((2, 4)), "fraction": rng.choice((0.2, 0.5))},
    ))  # fmt: skip


def _privacy(case, schema):
    """The models of a case as the package's own, and the population where one is needed."""
    joined, population = None, {}
    for model in case.models:
        given = {key: value for key, value in model.items() if key != "model"}
        if model["model"] == "DeltaPresence":
            population = _population(case)
            names = {name: schema[name] for name in population}
            given["population"] = open_table(population).compress(Schema(names)).cells
        if "asked" in given:
            given["asked"] = given["asked"]["k"]
        made = getattr(privacy, model["model"])(**given)
        joined = made if joined is None else joined & made
    return joined, population


def _population(case):
    names = [n for n, d in case.columns.items() if d.fact.role == "quasi-identifier"]
    people = {n: engines.held(case.engine, case.columns[n]) for n in names}
    return {n: [*values, *values, *reversed(values)] for n, values in people.items()}


class Source:
    """The table of a case, made and opened once for all cases that share it."""

    def __init__(self, seed: int, case: int) -> None:
        self.number = (seed, case // PER_TABLE)
        self.folder = Path(tempfile.mkdtemp(prefix="shoal-fuzz-"))
        engine, columns, rng = draw_table(seed, case)
        self.given = engines.make(rng, engine, columns, self.folder)
        self.opened = None

    def close(self) -> None:
        """Remove its files."""
        shutil.rmtree(self.folder)

    def table(self):
        """What a method is given: first the table itself, then as it was opened."""
        if self.opened is None:
            self.opened = open_table(self.given)
            return self.given
        return self.opened


def run_case(seed: int, case: int, source: Source | None = None) -> Outcome:
    """Make the release, and judge it."""
    own = source is None
    source = source or Source(seed, case)
    try:
        return _run(draw(seed, case), source)
    finally:
        shutil.rmtree(source.folder / "out", ignore_errors=True)
        if own:
            source.close()


def _run(case, source):
    try:
        schema = Schema({name: drawn.schema for name, drawn in case.columns.items()})
        model, population = _privacy(case, schema)
        method = make_method(case.method, schema, model, case.parameters)
        output = RowOptions(**case.output)
        release = method.fit(source.table(), output=output, regions=case.regions).release_
        released, published = _give_out(release, case, source.folder)
        claim = _claim(case, release, population)
    except GuaranteeError as error:
        defect = "defect" in str(error)
        return Outcome("withheld" if defect else "refused", [str(error)] * defect, str(case))
    except ShoalError as error:
        return Outcome("refused", [], f"{type(error).__name__}: {error}")
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        return Outcome("crashed", [f"{type(error).__name__} at {where}: {error}"], str(case))
    broken = judge(released, claim, published)
    kind = "in memory" if case.suffix is None else "written"
    return Outcome("broken" if broken else kind, broken, str(case))


def _give_out(release, case, folder):
    if case.suffix is None:
        return release.table, ()
    out = folder / "out"
    out.mkdir()
    paths = release.write(out / f"release{case.suffix}")
    files = [path for path in out.rglob("*") if path.is_file()]
    published = [path for path in files if not any(".private" in part for part in path.parts)]
    return paths["table"], published


def _claim(case, release, population):
    columns = {name: engines.held(case.engine, drawn) for name, drawn in case.columns.items()}
    if case.engine == "csv" and len(columns) > 1:  # rows of empty cells are left out, with a word
        kept = [row for row in zip(*columns.values(), strict=True) if not all(map(_is_empty, row))]
        columns = {name: [row[at] for row in kept] for at, name in enumerate(columns)}
    return Claim(
        columns,
        {name: drawn.fact for name, drawn in case.columns.items()},
        case.models,
        suppressed=release.n_suppressed,
        keep_suppressed=case.output["keep_suppressed"],
        ranges=case.output.get("ranges", ()),
        guessed=case.engine == "csv",
        population=population,
        form=case.output.get("form", "labels"),
    )


def _is_empty(value):
    return value is None or value == "" or value != value  # the last is what is no number


def run_many(seed: int, cases, until=lambda: False) -> tuple[Counter, list]:
    """Outcomes of cases by kind, and the (case, outcome) of those that are findings."""
    kinds, findings, source = Counter(), [], None
    try:
        for case in cases:
            if until():
                break
            if source is None or source.number != (seed, case // PER_TABLE):
                if source is not None:
                    source.close()
                source = Source(seed, case)
            outcome = run_case(seed, case, source)
            kinds[outcome.kind] += 1
            if outcome.broken:
                findings.append((case, outcome))
    finally:
        if source is not None:
            source.close()
    return kinds, findings
