"""Published files by their SHA-256: which model family a vocabulary belongs to."""

from __future__ import annotations

_FAMILIES = {
    "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc": "Mistral 7B v0.1 (npm's llama2)",
}


def family(sha256: str) -> str | None:
    """The name of a published vocabulary, if these are its bytes."""
    return _FAMILIES.get(sha256)
