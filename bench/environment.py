"""Peers, installed by name at pinned versions into folders of the benchmark's own; and facts about the machine."""

import json
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from .paths import CACHE, NODE, ROOT, VENV

PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PACKAGE_JSON = ROOT / "bench" / "js" / "package.json"


def run(*command: object, **options: Any) -> None:
    subprocess.run(list(map(str, command)), check=True, **options)


def python_versions(group: str = "bench") -> list[str]:
    """Requirements of the peers, and of what is measured beside them: a dependency group."""
    found = []
    for each in tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"][group]:
        found += [each] if isinstance(each, str) else python_versions(each["include-group"])
    return found


def node_versions() -> dict[str, str]:
    return json.loads(PACKAGE_JSON.read_text())["dependencies"]


def ensure_python() -> Path:
    """The interpreter of a virtual environment with the Python peers."""
    stamp, wanted = VENV / ".installed", "\n".join([sys.version, *python_versions()])
    if not stamp.exists() or stamp.read_text() != wanted:
        print("installing the Python peers", file=sys.stderr)
        run(sys.executable, "-m", "venv", VENV)
        pip = [PYTHON, "-m", "pip", "install", "-qqq", "--disable-pip-version-check"]
        run(*pip, *python_versions())
        stamp.write_text(wanted)
    return PYTHON


def ensure_node() -> Path:
    """The folder whose ``node_modules`` hold the JavaScript peers and a bundler."""
    stamp, wanted = NODE / ".installed", PACKAGE_JSON.read_text()
    if not stamp.exists() or stamp.read_text() != wanted:
        print("installing the JavaScript peers", file=sys.stderr)
        NODE.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE_JSON, NODE / "package.json")
        run("npm", "install", "--silent", "--no-audit", "--no-fund", cwd=NODE)
        stamp.write_text(wanted)
    return NODE


def child(task: dict[str, Any], source: Path = ROOT / "src") -> Any:
    """Run one task of ``bench.worker`` in the peers' environment, on the bpeek in ``source``."""
    CACHE.mkdir(parents=True, exist_ok=True)
    paths = map(str, (source, ROOT, ROOT / "tools"))
    # One thread each: that is what is compared.
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TOKENIZERS_PARALLELISM": "false"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled modules are kept, as those of an installed package are
    env["PYTHONPYCACHEPREFIX"] = str(CACHE / "pycache")
    command = [str(ensure_python()), "-m", "bench.worker"]
    done = subprocess.run(command, input=json.dumps(task), env=env, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def facts() -> dict[str, Any]:
    """What the figures depend on."""
    return {
        "commit": _git("describe", "--always", "--dirty", "--exclude=*") or "unknown",
        "date": _git("log", "-1", "--format=%cs"),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
    }
