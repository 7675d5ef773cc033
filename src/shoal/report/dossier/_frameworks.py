"""Where each framework's questions are answered in a dossier; nothing here is legal advice."""

from __future__ import annotations

FRAMEWORKS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "ISO/IEC 27559:2022": (
        (
            "Clause 6: context of the release",
            "context",
            "Recipients, purpose, controls, other data",
        ),
        ("Clause 7: data, people and attackers", "variables", "Roles of variables, who is counted"),
        ("Clause 8: identifiability, threshold, mitigation", "risk", "Risk before and after"),
        (
            "Clause 9: governance before, during and after",
            "signature",
            "Review, incident, who signs",
        ),
    ),
    "WP29 opinion 05/2014": (
        ("Singling out", "attacks", "Queries that one person alone matches; groups in section 3"),
        ("Linkability", "attacks", "Two sources on a person joined through released rows"),
        ("Inference", "attacks", "Sensitive values guessed, beside guessing without the release"),
    ),
    "HIPAA, 45 CFR 164.514(b)": (
        ("(1) expert determination: methods", "risk", "Model, counts and threshold; the promise"),
        ("(1) expert determination: results", "attacks", "Attacks with intervals and baseline"),
        ("(1) expert determination: who", "signature", "An expert has to sign; Shoal is none"),
        ("(2) safe harbor", "harbor", "Eighteen kinds of identifiers, column by column"),
    ),
    "NIST SP 800-188": (
        ("Goals and risks of the release", "context", "Purpose, recipients, other data"),
        ("Technique for identifiers and quasi-identifiers", "variables", "What was done to each"),
        ("Formal privacy and its limits", "open", "What is promised, and what is not"),
        ("Evaluation: re-identification studies", "attacks", "Attacks carried out"),
        ("Evaluation: fitness for use", "utility", "What was lost"),
        ("Oversight and review", "signature", "Who signed, when it is looked at again"),
    ),
}
"""Requirement, section of the dossier, and what is found there."""
