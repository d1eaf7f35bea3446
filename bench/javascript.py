"""The JavaScript peers and bpeek in Pyodide: in one Node process, or in one worker of a Chromium page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import vocabs

from .environment import child, ensure_node, node_versions, run
from .paths import ROOT, TASKS

# `json` is what engines load that know only tokenizer.json; gpt4o's ids are those of o200k_base.
VOCABULARIES: dict[str, dict[str, str]] = {
    "cl100k_base": {"file": "cl100k_base.tiktoken"},
    "o200k_base": {"file": "o200k_base.tiktoken", "json": "gpt4o.json"},
    "llama3": {"file": "llama3.json", "json": "llama3.json"},
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
        if VOCABULARIES[name].get("json") == "gpt4o.json":
            vocabs.fetch("gpt4o")
    shutil.rmtree(TASKS, ignore_errors=True)
    # A copy: the build may write a new runtime while we measure.
    shutil.copytree(RUNTIME, TASKS / "runtime")
    lock = json.loads((TASKS / "runtime" / "lock.json").read_text())
    # By itself, Pyodide looks for a package under the name in its lock.
    (TASKS / "runtime" / "bpeek.whl").rename(TASKS / "runtime" / lock["packages"]["bpeek"]["file_name"])
    child({"run": "expected", "folder": str(TASKS), "texts": texts, "vocabularies": names})
    vocabularies = [{"name": name, **VOCABULARIES[name]} for name in names]
    return {"vocabularies": vocabularies, "texts": list(texts), "rounds": rounds}


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
    done = subprocess.run(["node", script, TASKS / "task.json"], stdout=subprocess.PIPE, check=True)
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    return {**json.loads(done.stdout), "versions": {"node": node, **versions()}}


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
