"""Where the benchmark finds and keeps things."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("BPEEK_CACHE") or ROOT / ".cache") / "bench"
VENV = CACHE / "venv"
NODE = CACHE / "node"
TASKS = CACHE / "tasks"
RESULTS = ROOT / "dist" / "bench"
PUBLISHED = ROOT / "bench" / "published.json"
DOC = ROOT / "docs" / "benchmarks.md"
README = ROOT / "README.md"
IMAGES = ROOT / "docs" / "images"
