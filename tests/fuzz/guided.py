"""Mutations that coverage guides, with atheris: ``python -m tests.fuzz.guided toml``.

Takes the readers and the corpus of `mutations`; what follows the reader's name goes to libFuzzer.
atheris is no dependency: ``pip install atheris`` first.
"""

import sys

from tests.fuzz.mutations import CORPUS, TARGETS


def main() -> None:
    """Fuzz one reader until it breaks."""
    import atheris

    name, *options = sys.argv[1:]
    with atheris.instrument_imports(include=["shoal"]):
        from shoal import errors, schema, tables  # noqa: F401  instrumented on import
        from shoal.parties import _wire  # noqa: F401

    def one(data: bytes) -> None:
        try:
            TARGETS[name](data)
        except errors.ShoalError:
            return

    atheris.Setup([sys.argv[0], *options, str(CORPUS / name)], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
