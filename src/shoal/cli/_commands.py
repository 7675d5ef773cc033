"""Names of the commands and one line on each, so that `shoal --help` loads none of them.

A command is a typer app named `app` in the module named here.  Add yours on a line of its own;
the list is sorted when it is shown.
"""

RENAMED: dict[str, dict[str, str]] = {
    "anonymize": {"--ranges": "--statistics"},
    "attack release": {"--people": "--original", "--known": "--known-row"},
    "attack shadow": {"--most-people": "--people"},
    "audit": {"--figure": "--plot"},
    "twoparty keys": {"--folder": "--out"},
    "twoparty id3": {"--output": "--out"},
    "twoparty bayes-net": {"--output": "--out"},
}
"""Options that had another name; the old one still works and is not shown.  "": an argument."""

COMMANDS: dict[str, tuple[str, str]] = {
    "attack": (
        "publish._attack",
        "Attack a release, a transform or a random kernel before you rely on it.",
    ),
    "audit": (
        "models._audit",
        "Find out whether a model can be published, and what it tells about people.",
    ),
    "mask": (
        "publish._mask",
        "Publish as many columns as can go together without telling people apart.",
    ),
    "quasi": ("publish._quasi", "Find the columns that single people out, alone and together."),
    "site": (
        "together._site",
        "Mine across sites: keys, encoded rows, shares, and reading results back.",
    ),
    "bayes": (
        "models._bayes",
        "Train a naive Bayes classifier that can be published with its counts.",
    ),
    "cluster": (
        "models._cluster",
        "Find clusters that can be published as centroids with their sizes.",
    ),
    "rules": (
        "models._rules",
        "Mine association rules that can be published with support and confidence.",
    ),
    "tree": ("models._tree", "Train a decision tree that can be published with its counts."),
    "together": (
        "together._together",
        "Mine a joint table with many other owners; two helpers compute and learn nothing else.",
    ),
    "twoparty": (
        "together._twoparty",
        "Mine a joint table with one other party; nobody else sees anything.",
    ),
    "anonymize": (
        "publish._anonymize",
        "Release a table so that everybody hides among at least k people.",
    ),
    "apply": ("publish._apply", "Recode new rows as an earlier release was."),
    "compare": ("publish._compare", "Show what a release keeps, or what each method loses."),
    "check": ("publish._check", "Tell whether a table keeps a promise; exit 1 when it does not."),
    "reproduce": (
        "_reproduce",
        "Run the papers' experiments again, beside the published numbers.",
    ),
    "perturb": (
        "publish._perturb",
        "Change values at random: nothing is promised, and risk is measured.",
    ),
    "sets": (
        "publish._sets",
        "Release a column of sets so that nobody is found by a few of their items.",
    ),
    "report": ("publish._report", "Write a page on a release: promise, risk, utility, limits."),
    "metrics": ("publish._metrics", "Measure groups and risks of a table, raw or released."),
    "risk": ("publish._risk", "Tell how likely people are found in the population, and by what."),
    "dossier": (
        "_dossier",
        "Write the file on a release that a reviewer reads: context, risk, attacks, signature.",
    ),
    "datasets": (
        "_datasets",
        "List public data that examples and experiments use, fetch it, and check it.",
    ),
    "demo": (
        "_demo",
        "Release a real table, from suggestion to check, in one go.",
    ),
    "schema": ("publish._schema", "Suggest what the columns of a table are, or show a schema."),
    "studio": ("_studio", "Do the whole job in a browser, on this machine alone."),
    "explain": ("publish._explain", "Say why a row was left out or made so coarse."),
    "frontier": ("publish._frontier", "Plot what is lost against k, for every method."),
    "version": (
        "_version",
        "Say which version this is, and which versions it runs with.",
    ),
}
