"""The trimmed standard library holds all that bpeek needs."""

from pathlib import Path
from typing import Any

import bpeek

SOURCES = Path(bpeek.__file__).parent


def test_every_module_imports(wasm: Any) -> None:
    parts = (path.relative_to(SOURCES.parent).with_suffix("").parts for path in SOURCES.rglob("*.py"))
    names = sorted(".".join(part).removesuffix(".__init__") for part in parts)
    assert wasm.run(f"from importlib import import_module\n[import_module(name).__name__ for name in {names}]") == names


def test_modules_are_compiled_ahead(wasm: Any) -> None:
    origins = wasm.run("import sys\n[module.__spec__.origin for module in sys.modules.values() if module.__spec__]")
    assert not [origin for origin in origins if origin and origin.endswith(".py")]


def test_errors_that_nobody_expected_have_a_traceback(wasm: Any) -> None:
    assert "ZeroDivisionError" in wasm.run(
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    text = traceback.format_exc()\ntext"
    )
