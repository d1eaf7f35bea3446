"""``python -m bench``: everything, or one part; then the tables and pictures.

python -m bench                     all parts, about three quarters of an hour
python -m bench --quick             the same on fewer, shorter texts (under 3 minutes)
python -m bench native node         only these parts
python -m bench compare A B         bpeek of two commits, taking turns
python -m bench report              tables and pictures of what was measured last
python -m bench native --texts DIR  one's own files (.txt, .txt.gz)
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .environment import child, facts
from .paths import PUBLISHED, RESULTS, ROOT

sys.path.insert(0, str(ROOT / "tools"))

from . import report, texts

PARTS = ("native", "phases", "scaling", "piece", "coldstart", "memory", "first", "node", "browser")
VOCABULARIES = ("cl100k_base", "o200k_base", "llama3", "qwen3", "deepseek_v3", "llama2", "gemma3", "mistral_v1")


JAVASCRIPT = ("cl100k_base", "o200k_base", "llama3", "qwen3", "gemma3", "llama2")


class Plan:
    """How much of everything: quick or full, and what the command line narrows."""

    def __init__(self, options: argparse.Namespace) -> None:
        quick = options.quick
        self.quick = quick
        self.rounds = options.rounds or (2 if quick else 3)
        names = options.only or (() if options.texts or not quick else texts.QUICK)
        self.limit = options.characters or (100_000 if quick else None)
        self.texts = texts.load(names, options.texts, self.limit)
        # Most engines there are slow, and there are seven of them.
        self.short_texts = {name: text[: options.characters or 300_000] for name, text in self.texts.items()}
        self.vocabularies = options.vocabularies or (VOCABULARIES[:3] if quick else VOCABULARIES)
        self.javascript = [name for name in self.vocabularies if name in JAVASCRIPT]
        if quick:
            self.javascript = self.javascript[:2]
        # What is encoded before anything else: text that Python's tables are small for, and text that they are not.
        self.first_texts = {name: text for name, text in self.texts.items() if name in texts.QUICK[: 2 - quick]}
        self.engines = options.engines


def native(plan: Plan) -> Any:
    # Each vocabulary in a process of its own, so that none inherits another's memory.
    answers = []
    for vocabulary in plan.vocabularies:
        task = {"run": "native", "vocabularies": [vocabulary], "texts": plan.texts, "rounds": plan.rounds}
        answers.append(child({**task, "engines": plan.engines}))
    joined = {key: [row for answer in answers for row in answer[key]] for key in ("rows", "missing")}
    return {**answers[0], **joined}


def phases(plan: Plan) -> Any:
    names = [name for name in plan.vocabularies if name in ("cl100k_base", "o200k_base", "llama3")]
    return child({"run": "phases", "vocabularies": names, "texts": plan.texts, "rounds": plan.rounds})


def scaling(plan: Plan) -> Any:
    from .scaling import SIZES

    task = {
        "run": "scaling",
        "sizes": SIZES[:4] if plan.quick else SIZES,
        "kinds": [],
        "rounds": 1 if plan.quick else 2,
    }
    task |= {"patience": 2 if plan.quick else 20, "engines": ["tiktoken", "tokenizers", "bpeek", "bpeek_without"]}
    names = plan.vocabularies[:1] if plan.quick else [v for v in plan.vocabularies if v in ("cl100k_base", "llama3")]
    answers = [child({**task, "vocabularies": [name]}) for name in names]
    return {**answers[0], "rows": [row for answer in answers for row in answer["rows"]]}


def piece(plan: Plan) -> Any:
    from .piece import KINDS, SIZE

    task = {"run": "piece", "size": SIZE // 16 if plan.quick else SIZE}
    kinds = [*KINDS][:1] if plan.quick else [*KINDS]
    rows = []
    for kind in kinds:
        for engine in ("tiktoken", "bpeek", "bpeek without the kernel", "budget"):
            print(f"\rone piece: {kind} {engine}\033[K", end="", file=sys.stderr, flush=True)
            answer = child({**task, "kind": kind, "engine": engine})
            rows.append({"kind": kind, "vocabulary": KINDS[kind][0], "engine": engine, "size": task["size"], **answer})
    print(file=sys.stderr)
    return {"rows": rows}


def coldstart(plan: Plan) -> Any:
    wanted = [name for name in plan.vocabularies if name in ("cl100k_base", "o200k_base", "llama3", "gemma3")]
    return {"rows": _fresh_processes("coldstart", wanted[:1] if plan.quick else wanted, 2 if plan.quick else 5)}


def memory(plan: Plan) -> Any:
    from .memory import LONG

    text = next(iter(plan.texts.values()))[:LONG]
    names = plan.vocabularies[:1] if plan.quick else plan.vocabularies
    return {"rows": _fresh_processes("memory", names, 1, text=text)}


def _fresh_processes(run: str, names: Sequence[str], turns: int, **task: Any) -> list[dict[str, Any]]:
    """One row for each vocabulary and engine, with what each of its processes found."""
    import vocabs

    from .coldstart import ENGINES

    found: dict[tuple[str, str], list[Any]] = {}
    for name in names:
        path = vocabs.fetch(name)
        for turn in range(turns):
            for engine in ENGINES[path.suffix[1:]][:: -1 if turn % 2 else 1]:
                print(f"\r{run} {name} {engine}\033[K", end="", file=sys.stderr, flush=True)
                answer = child({"run": run, "engine": engine, "path": str(path), **task})
                found.setdefault((name, engine), []).append(answer)
    print(file=sys.stderr)
    return [_row(vocabulary, engine, answers) for (vocabulary, engine), answers in found.items()]


def _row(vocabulary: str, engine: str, answers: list[Any]) -> dict[str, Any]:
    row = {"vocabulary": vocabulary, "engine": engine, "error": answers[0].get("error")}
    if row["error"] is None:
        columns = {key: [answer[key] for answer in answers] for key in answers[0] if key in ("seconds", "runtime")}
        row |= columns | {"memory": min(answer["memory"] for answer in answers)}
    return row


def first(plan: Plan) -> Any:
    from . import javascript

    names = list(plan.vocabularies[:2] if plan.quick else plan.vocabularies)
    return javascript.first_texts(plan.first_texts, names, 1 if plan.quick else 2)


def node(plan: Plan) -> Any:
    from . import javascript

    return javascript.in_node(plan.short_texts, plan.javascript, plan.rounds)


def browser(plan: Plan) -> Any:
    from . import javascript

    return javascript.in_chromium(plan.short_texts, plan.javascript, plan.rounds)


RUN: dict[str, Callable[[Plan], Any]] = {
    "native": native,
    "phases": phases,
    "scaling": scaling,
    "piece": piece,
    "coldstart": coldstart,
    "memory": memory,
    "first": first,
    "node": node,
    "browser": browser,
}


def measure(parts: list[str], plan: Plan, publishable: bool) -> None:
    RESULTS.mkdir(parents=True, exist_ok=True)
    for part in parts:
        start = time.perf_counter()
        answer = RUN[part](plan)
        # What was measured on other texts or less thoroughly must not get into the published tables.
        answer |= {"facts": facts(), "quick": plan.quick, "publishable": publishable}
        (RESULTS / f"{part}.json").write_text(json.dumps(answer, indent=1), encoding="utf-8")
        print(report.tables({part: answer}))
        print(f"{part}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "python -m bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("command", nargs="*", help=f"{', '.join(PARTS)}, report, or compare COMMIT COMMIT")
    parser.add_argument("--quick", action="store_true", help="fewer texts, shorter, fewer rounds")
    parser.add_argument("--texts", type=Path, metavar="DIR", help="measure on the files of this folder")
    parser.add_argument("--only", nargs="+", default=(), metavar="TEXT", help="only these texts")
    parser.add_argument("--vocabularies", nargs="+", default=(), metavar="NAME", help="only these vocabularies")
    parser.add_argument(
        "--engines", nargs="+", default=(), metavar="NAME", help="only these native engines, the reference first"
    )
    parser.add_argument("--rounds", type=int, help="how often everything is measured")
    parser.add_argument("--characters", type=int, help="at most so many of each text")
    parser.add_argument(
        "--publish", action="store_true", help=f"also write {PUBLISHED.relative_to(ROOT)}, the docs and the README"
    )
    return parser


def main() -> None:
    parser = arguments()
    options = parser.parse_args()
    if options.command[:1] == ["compare"]:
        from .compare import compare

        if len(options.command) != 3:
            parser.error("compare needs two commits")
        print(compare(*options.command[1:], Plan(options)))
        return
    unknown = set(options.command) - {*PARTS, "report"}
    if unknown:
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    parts = [part for part in PARTS if part in options.command or not options.command]
    if parts:
        measure(parts, Plan(options), publishable=options.texts is None)
    if options.publish or "report" in options.command:
        report.publish()


if __name__ == "__main__":
    main()
