"""Names of the commands and one line on each, so that `shoal --help` loads none of them.

The command `two-words` lives in `_two_words.py` of this package, in a typer app named `app`.
Add yours on a line of its own; the list is sorted when it is shown.
"""

COMMANDS: dict[str, str] = {
    "attack": "Attack a release, a transform or a random kernel before you rely on it.",
    "audit": "Find out whether a model can be published, and what it tells about people.",
    "mask": "Publish as many columns as can go together without telling people apart.",
    "quasi": "Find the columns that single people out, alone and together.",
    "site": "Mine across sites: keys, encoded rows, shares, and reading results back.",
    "tree": "Train a decision tree that can be published with its counts.",
    "twoparty": "Mine a joint table with one other party; nobody else sees anything.",
    "anonymize": "Release a table so that everybody hides among at least k people.",
    "apply": "Recode new rows as an earlier release was.",
    "compare": "Run every method on a table and show what each loses.",
    "check": "Tell whether a table keeps a promise; exit 1 when it does not.",
    "reproduce": "Run the papers' experiments again; published numbers beside ours.",
    "report": "Write a page on a release: promise, risk, utility, limits.",
    "metrics": "Measure groups and risks of a table, raw or released.",
    "demo": "Release a real table, from suggestion to check, and say where the results are.",
    "schema": "Suggest what the columns of a table are, or show a schema.",
    "frontier": "Plot what is lost against k, for every method.",
    "version": "Say which version this is, and of what it depends on.",
}
