"""Results into Markdown tables and pictures: printed after each part, and published on request."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from . import plots
from .paths import DOC, IMAGES, PUBLISHED, README, RESULTS
from .table import duration, geomean, markdown, speed

Row = dict[str, Any]
OURS = ("bpeek", "bpeek (Pyodide)")
OFFSETS = " + UTF-16 offsets"
WITHOUT = " without the kernel"
MODES = ("cold", "unseen", "warm")


def best(row: Row, mode: str = "unseen") -> float:
    """MB/s in the fastest round: what slows a round down is other programs."""
    times = row["seconds"].get(mode)
    return row["bytes"] / min(times) / 1e6 if times else math.nan


def grouped(rows: Iterable[Row], *keys: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys) if len(keys) > 1 else row[keys[0]], []).append(row)
    return groups


def by_engine(rows: Iterable[Row]) -> dict[str, Row]:
    return {row["engine"]: row for row in rows}


def ours(engines: Iterable[str]) -> str | None:
    return next((name for name in engines if name in OURS), None)


def ratio(engines: Mapping[str, Row], a: str | None, b: str | None, mode: str) -> float:
    if a is None or b is None or a not in engines or b not in engines:
        return math.nan
    return best(engines[a], mode) / best(engines[b], mode)


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    if row["error"]:
        return "**ids differ**" if row["error"].startswith("ids differ") else "failed"
    return speed(best(row)) + ("‡" if row.get("part") == "slice" else "")


def _number(value: float, strong: bool = False) -> str:
    return "–" if math.isnan(value) else f"**{value:.2f}**" if strong else f"{value:.2f}"


def _mean(values: Iterable[float]) -> float:
    return geomean(value for value in values if not math.isnan(value))


def _worst(values: Iterable[float], of: Callable[..., float] = min) -> float:
    return of((value for value in values if not math.isnan(value)), default=math.nan)


def fastest_other(engines: Mapping[str, Row], mode: str) -> str | None:
    """The fastest peer whose ids are right."""
    peers = [name for name, row in engines.items() if not name.startswith("bpeek") and not row["error"]]
    return max(peers, key=lambda name: best(engines[name], mode), default=None)


def _throughput(vocabulary: str, rows: list[Row], rival: Callable[[dict[str, Row], str], str | None]) -> str:
    """One table: speeds on unseen text, and ratios to a rival in all three modes; those of Python alone, too."""
    texts = {text: by_engine(of) for text, of in grouped(rows, "text").items()}
    names = list(dict.fromkeys(row["engine"] for row in rows))
    us = ours(names)
    without = f"{us}{WITHOUT}"
    head = [vocabulary, *names, *(f"÷ {mode}" for mode in MODES), "offsets"]
    head += [f"÷ {mode},{WITHOUT}" for mode in MODES if without in names]
    lines, ratios = [], []
    for text, engines in texts.items():
        values = [ratio(engines, us, rival(engines, mode), mode) for mode in MODES]
        # Time with offsets, as a multiple of the time for ids alone.
        values.append(ratio(engines, us, f"{us}{OFFSETS}", "unseen"))
        values += [ratio(engines, without, rival(engines, mode), mode) for mode in MODES if without in names]
        ratios.append(values)
        lines.append([text, *(_cell(engines.get(name)) for name in names), *map(_number, values)])
    columns = list(zip(*ratios, strict=True))
    lines.append(["**geometric mean**", *[""] * len(names), *(_number(_mean(each), strong=True) for each in columns)])
    worst = [
        _number(_worst(each, max if name == "offsets" else min))
        for name, each in zip(head[-len(columns) :], columns, strict=True)
    ]
    lines.append(["worst text", *[""] * len(names), *worst])
    return markdown(head, lines)


def _missing(answer: Row) -> str:
    return "\n".join(f"- {row['vocabulary']}, {row['engine']}: {row['error']}" for row in answer.get("missing", ()))


def native(answer: Row) -> str:
    def reference(engines: dict[str, Row], mode: str) -> str:
        return next(iter(engines))

    parts = [_throughput(name, rows, reference) for name, rows in grouped(answer["rows"], "vocabulary").items()]
    return "\n\n".join(filter(None, [*parts, _missing(answer)]))


def javascript(answer: Row) -> str:
    parts = [_throughput(name, rows, fastest_other) for name, rows in grouped(answer["rows"], "vocabulary").items()]
    loads = [[row["vocabulary"], row["engine"], duration(row["seconds"])] for row in answer.get("loads", ())]
    if loads:
        parts.append(markdown(["vocabulary", "engine", "load to first ids"], loads))
    return "\n\n".join(filter(None, [*parts, _missing(answer), visits(answer)]))


def visits(answer: Row) -> str:
    facts = answer.get("visits")
    if not facts:
        return ""
    rows = [
        [visit, duration(facts[f"{key}_worker"]), duration(facts[f"{key}_navigation"])]
        for visit, key in (("first", "first"), ("later", "later"))
    ]
    table = markdown(["visit to the page", "`new Worker` to first tokens", "navigation to first tokens"], rows)
    return f"{table}\n\nSent on the first visit, compressed: {facts['first_visit_bytes'] / 1e6:.2f} MB."


def phases(answer: Row) -> str:
    lines = []
    for row in answer["rows"]:
        seconds, new = row["seconds"], row["new"]
        each = seconds["merging"] / new * 1e6 if new else 0
        shares = [f"{time / sum(seconds.values()):.0%}" for time in seconds.values()]
        counts = [f"{row['pieces']:,}", f"{new / row['pieces']:.1%}", f"{each:.1f} µs"]
        lines.append([f"{row['vocabulary']}, {row['text']}", *counts, *shares])
    return markdown(["text", "pieces", "of them new", "a new one takes", "cutting", "looking up", "merging"], lines)


def scaling(answer: Row) -> str:
    lines = []
    for (vocabulary, kind), rows in grouped(answer["rows"], "vocabulary", "kind").items():
        reference = rows[0]
        for row in rows:
            sizes, seconds = row["sizes"], row["seconds"]
            longest = [f"{sizes[-1]:,}", duration(seconds[-1])] if sizes else ["–", "–"]
            same = sizes and sizes == reference["sizes"]
            cells = [_number(seconds[-1] / reference["seconds"][-1] if same else math.nan)]
            cells += [_number(math.nan if row["growth"] is None else row["growth"]), row["error"] or ""]
            lines.append([f"{vocabulary} `{kind}`", row["engine"], *longest, *cells])
    head = ["text", "engine", "characters", "time", "÷ reference", "growth per doubling", "note"]
    return markdown(head, lines)


def piece(answer: Row) -> str:
    lines, stopped = [], []
    for kind, rows in grouped(answer["rows"], "kind").items():
        reference, *_ = rows
        for row in rows:
            name = f"{row['vocabulary']} `{kind}`"
            if row["engine"] == "budget":
                stopped.append([name, *map(duration, row["seconds"].values())])
                continue
            cells = [duration(row["seconds"]), _number(row["seconds"] / reference["seconds"])]
            cells += [f"{row['memory'] / row['size']:.0f}", "" if row["ids"] == reference["ids"] else "**ids differ**"]
            lines.append([name, row["engine"], f"{row['size']:,}", *cells])
    head = ["piece", "engine", "characters", "time", "÷ tiktoken", "bytes of memory a character", "note"]
    budgets = markdown(["1,000 tokens of it", "`fits`", "`truncate`", "`bpeek encode -t 1000`, a new process"], stopped)
    return f"{markdown(head, lines)}\n\n{budgets}"


def coldstart(answer: Row) -> str:
    return _by_reference(answer, "import, load, first ids", lambda row: statistics.median(row["seconds"]), duration)


def memory(answer: Row) -> str:
    table = _by_reference(answer, "memory kept", lambda row: row["memory"], _megabytes)
    runtimes = {row["engine"]: max(row["runtime"]) for row in answer["rows"] if row["error"] is None}
    each = ", ".join(f"{engine} {_megabytes(size)}" for engine, size in runtimes.items())
    return f"{table}\n\nOnce for all vocabularies, code and runtime: {each}."


def _megabytes(size: float) -> str:
    return f"{size / 1e6:.0f} MB"


def _by_reference(answer: Row, what: str, value: Callable[[Row], float], shown: Callable[[float], str]) -> str:
    """What each engine needs for a vocabulary, and as a multiple of the first one's and of Python's alone."""
    lines = []
    for vocabulary, rows in grouped(answer["rows"], "vocabulary").items():
        values = {row["engine"]: value(row) if row["error"] is None else math.nan for row in rows}
        reference, without = next(iter(values.values())), values.get(f"bpeek{WITHOUT}", math.nan)
        for row in rows:
            needed, ours = values[row["engine"]], row["engine"].startswith("bpeek")
            cells = [row["error"] or shown(needed), _number(needed / reference)]
            lines.append([vocabulary, row["engine"], *cells, _number(needed / without) if ours else ""])
    return markdown(["vocabulary", "engine", what, "÷ reference", f"÷ bpeek{WITHOUT}"], lines)


def first(answer: Row) -> str:
    lines, gains = [], []
    for (vocabulary, text), rows in grouped(answer["rows"], "vocabulary", "text").items():
        engines = by_engine(rows)
        us = ours(engines)
        pair = [engines[name] for name in (us, f"{us}{WITHOUT}")]
        if wrong := next((row["error"] for row in pair if row["error"]), None):
            lines.append([vocabulary, text, wrong, "", "", "", ""])
            continue
        loads, firsts = ([min(row[key]) for row in pair] for key in ("load", "first"))
        gains.append(firsts[1] / firsts[0])
        lines.append([vocabulary, text, *map(duration, (*firsts, *loads)), _number(gains[-1])])
    lines.append(["**geometric mean**", *[""] * 5, _number(_mean(gains), strong=True)])
    head = ["vocabulary", "text", "first text", f"first text,{WITHOUT}", "load", f"load,{WITHOUT}", "faster by"]
    return markdown(head, lines)


PARTS: dict[str, tuple[str, Callable[[Row], str]]] = {
    "native": ("CPython", native),
    "phases": ("Where the time of unseen text goes", phases),
    "node": ("Node", javascript),
    "browser": ("Chromium, in a module worker", javascript),
    "scaling": ("Texts that tokenizers dislike", scaling),
    "piece": ("One piece of many megabytes", piece),
    "coldstart": ("Cold start", coldstart),
    "memory": ("Memory that a vocabulary keeps", memory),
    "first": ("The first text of 10,000 characters, in Pyodide", first),
}


def _facts(answer: Row) -> str:
    facts = answer["facts"]
    versions = ", ".join(f"{name} {version}" for name, version in answer.get("versions", {}).items())
    quick = " Quick run: short texts, few rounds." if answer["quick"] else ""
    machine = f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}"
    return f"Commit {facts['commit']}. {machine}.{f' {versions}.' if versions else ''}{quick}"


def tables(answers: Mapping[str, Row], level: str = "##") -> str:
    parts = []
    for name, (title, render) in PARTS.items():
        if answer := answers.get(name):
            parts.append(f"{level} {title}\n\n{_facts(answer)}\n\n{render(answer)}")
    return "\n\n".join(parts)


def summary(answers: Mapping[str, Row]) -> str:
    """For the README: one line for each place, vocabulary and rival; geometric means over all texts."""
    lines = []
    for part, place in (("native", "CPython"), ("node", "Pyodide in Node"), ("browser", "Pyodide in Chromium")):
        for vocabulary, rows in grouped(answers.get(part, {}).get("rows", ()), "vocabulary").items():
            texts = [by_engine(of) for of in grouped(rows, "text").values()]
            us = ours(texts[0])
            if us is None:
                continue
            first = next(iter(texts[0]))
            against = first if part == "native" else "the fastest JavaScript or WebAssembly peer"
            rival = (lambda engines, mode, first=first: first) if part == "native" else fastest_other

            def ratios(name: str, mode: str, texts: Any = texts, rival: Any = rival) -> list[float]:
                return [ratio(engines, name, rival(engines, mode), mode) for engines in texts]

            cells = [_mean(ratios(us, mode)) for mode in MODES]
            cells += [_worst(ratios(us, "unseen")), _mean(ratios(f"{us}{WITHOUT}", "unseen"))]
            lines.append([place, vocabulary, against, *map(_number, cells)])
    head = ["bpeek in", "vocabulary", "speed, as a multiple of", *MODES, "worst text, unseen", f"unseen,{WITHOUT}"]
    return markdown(head, lines)


def _between_marks(path: Path, content: str) -> None:
    """Replace what stands between the marks of a file; a file without marks stays as it is."""
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    block = f"<!-- bench:begin -->\n{content}\n<!-- bench:end -->"
    path.write_text(
        re.sub(r"<!-- bench:begin -->.*<!-- bench:end -->", lambda _: block, text, flags=re.DOTALL), encoding="utf-8"
    )


def publish() -> None:
    """Results of this machine, as far as they are on the common texts, into the repository's files."""
    answers = json.loads(PUBLISHED.read_text(encoding="utf-8")) if PUBLISHED.exists() else {}
    for part in PARTS:
        if (file := RESULTS / f"{part}.json").exists():
            answer = json.loads(file.read_text(encoding="utf-8"))
            if answer["publishable"]:
                answers[part] = answer
    PUBLISHED.write_text(json.dumps(answers, separators=(",", ":")) + "\n", encoding="utf-8")
    IMAGES.mkdir(parents=True, exist_ok=True)
    for name, svg in plots.pictures(answers).items():
        (IMAGES / f"bench-{name}.svg").write_text(svg, encoding="utf-8")
    _between_marks(DOC, tables(answers, "###"))
    _between_marks(README, summary(answers))
