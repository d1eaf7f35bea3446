"""What JavaScript engines must give: the reference's ids, in files that Node and the page read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from . import peers, texts

SLICE = 12_000  # characters: what engines get that would need minutes for all
START = 10_000  # and those of a first text


def run(task: dict[str, Any]) -> dict[str, Any]:
    folder = Path(task["folder"])
    references = [(vocabulary, peers.reference(vocabulary)) for vocabulary in task["vocabularies"]]
    for name, text in task["texts"].items():
        first, second = texts.halves(text)
        parts = {"first": first, "second": second, "slice": second[:SLICE], "start": text[:START]}
        (folder / f"text-{name}.json").write_text(json.dumps(parts), encoding="utf-8")
        for vocabulary, reference in references:
            facts = {
                part: {"ids": list(reference.ids(parts[part])), "bytes": len(parts[part].encode())}
                for part in ("second", "slice", "start")
            }
            (folder / f"ids-{vocabulary}-{name}.json").write_text(json.dumps(facts), encoding="utf-8")
    return {"versions": peers.versions()}
