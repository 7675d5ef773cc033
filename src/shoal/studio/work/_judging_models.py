"""What a model file tells about the people it was trained on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from shoal.audit import audit
from shoal.studio.work._bench import Args, Bench, read_schema
from shoal.studio.work._registered import task
from shoal.typing import Progress

_MOST = 10


@task("audit")
def audit_model(bench: Bench, args: Args, progress: Progress, part: Any) -> dict[str, Any]:
    """Audit a model on the project's table; pickles are never loaded here."""
    progress(0, 0, "auditing")
    model = Path(args["model"])  # audited in a process of its own
    result = audit(
        model, bench.engine(args), read_schema(args), k=args["k"], release=args["publishes"]
    )
    return {
        "answer": result.answer,
        "verdict": result.verdict,
        "kind": result.kind,
        "k": result.k,
        "safe_k": result.safe_k,
        "method": result.method,
        "notes": list(result.notes),
        "exposed": dict(result.exposed),
        "confidence": {
            name: max(values.values(), default=0.0) for name, values in result.confidence.items()
        },
        "breaches": [
            {"rows": b.rows, "bins": b.bins, "causes": len(b.causes)}
            for b in result.breaches[:_MOST]
        ],
        "n_breaches": len(result.breaches),
    }
