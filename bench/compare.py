"""bpeek of two commits on the same texts: processes take turns, and each is set against the reference beside it."""

from __future__ import annotations

import io
import statistics
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from .environment import child
from .paths import CACHE, ROOT
from .table import geomean, markdown


def _source(commit: str) -> Path:
    """The ``src`` of a commit, unpacked; that of the work tree for ``.``."""
    if commit == ".":
        return ROOT / "src"
    done = subprocess.run(
        ["git", "rev-parse", f"{commit}^{{commit}}"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    folder = CACHE / "commits" / done.stdout.strip()
    if not folder.exists():
        archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(folder, filter="data")
    return folder / "src"


def _relative(rows: list[dict[str, Any]]) -> dict[tuple[str, str, str], float]:
    """For each vocabulary, text and mode: bpeek's speed as a multiple of the reference's in the same process."""
    reference, ours = rows[::2], rows[1::2]
    if wrong := [row for row in ours if row["error"]]:
        raise SystemExit("\n".join(f"{row['vocabulary']} {row['text']}: {row['error']}" for row in wrong))
    return {
        (row["vocabulary"], row["text"], mode): min(beside["seconds"][mode]) / min(seconds)
        for beside, row in zip(reference, ours, strict=True)
        for mode, seconds in row["seconds"].items()
    }


def compare(first: str, second: str, plan: Any) -> str:
    sources = [_source(first), _source(second)]
    found: list[list[dict[tuple[str, str, str], float]]] = [[], []]
    vocabularies = plan.vocabularies[:2]
    for turn in range(plan.rounds):
        for side in (0, 1) if turn % 2 else (1, 0):
            task = {"run": "native", "vocabularies": vocabularies, "texts": plan.texts, "rounds": 1}
            task["engines"] = ["tiktoken", "tokenizers", "sentencepiece", "bpeek"]
            found[side].append(_relative(child(task, sources[side])["rows"]))
    median = [{key: statistics.median(each[key] for each in rounds) for key in rounds[0]} for rounds in found]
    changes = {key: median[1][key] / median[0][key] for key in median[0]}
    rows = [
        [vocabulary, text, *(f"{changes[vocabulary, text, mode]:.2f}" for mode in ("cold", "unseen", "warm"))]
        for vocabulary, text in dict.fromkeys(key[:2] for key in changes)
    ]
    means = [
        f"**{geomean(value for key, value in changes.items() if key[2] == mode):.2f}**"
        for mode in ("cold", "unseen", "warm")
    ]
    rows.append(["**geomean**", "", *means])
    title = f"Speed of {second} as a multiple of {first}'s ({plan.rounds} rounds, taking turns; above 1 is faster)"
    return f"{title}\n\n{markdown(['vocabulary', 'text', 'cold', 'unseen', 'warm'], rows)}"
