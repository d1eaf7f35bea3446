"""The trimmed standard library holds all that bpeek needs."""

from pathlib import Path
from typing import Any

import bpeek
import precompile

SOURCES = Path(bpeek.__file__).parent


def test_every_module_imports(wasm: Any) -> None:
    paths = (path.relative_to(SOURCES.parent) for path in SOURCES.rglob("*.py"))
    parts = (path.with_suffix("").parts for path in paths if not precompile.is_left_out(path.as_posix()))
    names = sorted(".".join(part).removesuffix(".__init__") for part in parts)
    assert wasm.run(f"from importlib import import_module\n[import_module(name).__name__ for name in {names}]") == names


def test_what_no_page_calls_is_left_out(wasm: Any) -> None:
    assert precompile.is_left_out("bpeek/compat/__init__.py")
    assert wasm.run("from importlib.util import find_spec\nfind_spec('bpeek.compat')") is None


def test_modules_are_compiled_ahead(wasm: Any) -> None:
    origins = wasm.run("import sys\n[module.__spec__.origin for module in sys.modules.values() if module.__spec__]")
    assert not [origin for origin in origins if origin and origin.endswith(".py")]


def test_errors_that_nobody_expected_have_a_traceback(wasm: Any) -> None:
    assert "ZeroDivisionError" in wasm.run(
        "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    text = traceback.format_exc()\ntext"
    )
