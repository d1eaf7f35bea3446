"""The JavaScript peers and bpeek in Pyodide: in one Node process, or in one worker of a Chromium page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import vocabs

from .environment import child, ensure_node, node_versions, run
from .paths import ROOT, TASKS

# `json` is what engines load that know only tokenizer.json; gpt4o's ids are those of o200k_base.
VOCABULARIES: dict[str, dict[str, str]] = {
    "cl100k_base": {"file": "cl100k_base.tiktoken"},
    "o200k_base": {"file": "o200k_base.tiktoken", "json": "gpt4o.json"},
    **{name: {"file": f"{name}.json", "json": f"{name}.json"} for name in ("llama3", "qwen3", "gemma3", "llama2")},
}
WASM = {
    "wasm/tiktoken.wasm": "tiktoken/lite/tiktoken_bg.wasm",
    "wasm/kitoken.wasm": "kitoken/dist/web_bg.wasm",
}
RUNTIME = ROOT / "web" / "runtime"
PYODIDE = ROOT / "web" / "node_modules" / "pyodide"


def need_runtime() -> None:
    if not (RUNTIME / "lock.json").exists():
        raise SystemExit("The Pyodide runtime is not built yet: run ./build_wasm.sh and try again.")


def bundle(entry: str, platform: str) -> Path:
    """One file that holds an entry point and all JavaScript peers."""
    node = ensure_node()
    out = node / "built" / entry
    options = ["--bundle", "--format=esm", f"--platform={platform}", "--log-level=error", f"--outfile={out}"]
    # Some packages call `require` even in a module.
    options += ["--banner:js=import{createRequire}from'module';const require=createRequire(import.meta.url);"] * (
        platform == "node"
    )
    env = {**os.environ, "NODE_PATH": str(node / "node_modules")}
    run(node / "node_modules" / ".bin" / "esbuild", ROOT / "bench" / "js" / entry, *options, env=env)
    return out


def prepare(texts: dict[str, str], names: list[str], rounds: int) -> dict[str, Any]:
    """Write texts and expected ids; the task that ``measure.mjs`` gets."""
    need_runtime()
    for name in names:
        vocabs.fetch(name)
        if VOCABULARIES.get(name, {}).get("json") == "gpt4o.json":
            vocabs.fetch("gpt4o")
    shutil.rmtree(TASKS, ignore_errors=True)
    # A copy: the build may write a new runtime while we measure.
    shutil.copytree(RUNTIME, TASKS / "runtime")
    child({"run": "expected", "folder": str(TASKS), "texts": texts, "vocabularies": names})
    vocabularies = [{"name": name, **VOCABULARIES[name]} for name in names if name in VOCABULARIES]
    return {"vocabularies": vocabularies, "texts": list(texts), "rounds": rounds}


def first_texts(texts: dict[str, str], names: list[str], rounds: int) -> dict[str, Any]:
    """Each first text after load in a Pyodide of its own, with the kernel and without."""
    prepare(texts, names, rounds)
    task: dict[str, Any] = {"folders": {name: str(path) for name, path in folders().items()}}
    script, rows = bundle("first.mjs", "node"), []
    for vocabulary in names:
        for text in texts:
            for kernel, engine in (("", "bpeek (Pyodide)"), ("0", "bpeek (Pyodide) without the kernel")):
                print(f"\r{vocabulary} {text} {engine}\033[K", end="", file=sys.stderr, flush=True)
                task |= {
                    "file": vocabs.fetch(vocabulary).name,
                    "kernel": kernel,
                    "text": text,
                    "vocabulary": vocabulary,
                }
                (TASKS / "task.json").write_text(json.dumps(task))
                answers = [_answer("node", script, TASKS / "task.json") for _ in range(rounds)]
                row = {"vocabulary": vocabulary, "text": text, "engine": engine, "error": answers[0]["error"]}
                rows.append(row | {key: [answer[key] for answer in answers] for key in ("load", "first", "again")})
    print(file=sys.stderr)
    return {"rows": rows, "versions": {"node": _node_version(), "pyodide": versions()["pyodide"]}}


def _answer(*command: object) -> dict[str, Any]:
    return json.loads(subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True).stdout)


def _node_version() -> str:
    return subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()


def folders() -> dict[str, Path]:
    return {"data": TASKS, "vocab": vocabs.CACHE, "runtime": TASKS / "runtime", "pyodide": PYODIDE}


def wasm_files() -> dict[str, Path]:
    modules = ensure_node() / "node_modules"
    return {name: modules / path for name, path in WASM.items()}


def versions() -> dict[str, str]:
    pyodide = json.loads((PYODIDE / "package.json").read_text())["version"]
    peers = {name: version for name, version in node_versions().items() if name != "esbuild"}
    return {**peers, "pyodide": pyodide}


def in_node(texts: dict[str, str], names: list[str], rounds: int) -> dict[str, Any]:
    task = prepare(texts, names, rounds)
    task["folders"] = {name: str(path) for name, path in folders().items()}
    task["files"] = {name: str(path) for name, path in wasm_files().items()}
    (TASKS / "task.json").write_text(json.dumps(task))
    script = bundle("node.mjs", "node")
    return {**_answer("node", script, TASKS / "task.json"), "versions": {"node": _node_version(), **versions()}}


def in_chromium(texts: dict[str, str], names: list[str], rounds: int) -> dict[str, Any]:
    page = TASKS.parent / "index.html"
    page.write_text("<!doctype html><meta charset=utf-8><title>bench</title>")
    lap = prepare(texts, names, rounds)
    files = {"index.html": page, "worker.mjs": bundle("worker.mjs", "browser"), **wasm_files()}
    answer = child(
        {
            "run": "browser",
            "lap": lap,
            "visits": rounds,
            "site": str(ROOT / "dist" / "site"),
            "folders": {name: str(path) for name, path in folders().items()},
            "files": {name: str(path) for name, path in files.items()},
        }
    )
    return {**answer, "versions": {**versions(), **answer.get("versions", {})}}
