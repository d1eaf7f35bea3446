"""Compile modules to ``.pyc`` by the interpreter that will run them: this file runs inside Pyodide.

The standard library in npm's ``pyodide`` is source, and compiling it again on every visit is most of the
time that Pyodide takes to start. ``tools/runtime.mjs`` calls `wheel` and `stdlib` while building.
"""

import ast
import contextlib
import importlib
import importlib._bootstrap_external
import importlib.util
import inspect
import io
import sys
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

# Without docstrings and assertions: a third less to download.
OPTIMIZE = 2
# What the interpreter and Pyodide import by name only when the need comes, so that no `import` shows it.
ON_DEMAND = """
encodings.ascii encodings.cp437 encodings.idna encodings.latin_1 encodings.utf_16_le encodings.utf_8
importlib.metadata linecache pyodide.code tokenize traceback
""".split()
# Modules that nothing in a page calls: they are for Python's own users, who install the whole wheel.
LEFT_OUT = {
    *("__main__", "cli", "compat", "comparison", "conversion", "display", "pool", "widget"),
    *("formats/write_hf_json", "kernel/native", "pattern/translate"),
}


def is_left_out(path: str) -> bool:
    """Is this the path of a module, such as ``bpeek/compat/__init__.py``, that stays out of the runtime?"""
    package, _, module = path.removesuffix(".py").partition("/")
    return package == "bpeek" and not LEFT_OUT.isdisjoint([module, module.split("/")[0]])


def pyc(name: str, source: bytes) -> bytes:
    # An unchecked hash instead of a time stamp: the same source gives the same bytes, and nothing is checked at import.
    code = compile(source, name, "exec", dont_inherit=True, optimize=OPTIMIZE)
    return importlib._bootstrap_external._code_to_hash_pyc(code, importlib.util.source_hash(source), False)


def pack(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip that depends on nothing but its files; stored, since HTTP compresses it better as a whole."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files:
            archive.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def compiled(archive: zipfile.ZipFile, names: Iterable[str]) -> dict[str, bytes]:
    files = {}
    for name in sorted(names):
        data = archive.read(name)
        if name.endswith(".py"):
            name, data = name + "c", pyc(name, data)
        files[name] = data
    return files


def wheel(path: str) -> bytes:
    """A wheel with ``.pyc`` in place of ``.py``, and without what is left out."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not is_left_out(name)]
        (record,) = (name for name in names if name.endswith(".dist-info/RECORD"))
        files = compiled(archive, set(names) - {record})
    lines = []
    for name, data in files.items():
        digest = urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=")
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return pack([*files.items(), (record, "".join([*lines, f"{record},,\n"]).encode())])


def imports(source: str) -> set[str]:
    """The modules that any import statement names, inside functions too; our own are imported one by one anyway."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def needed(package: str) -> set[str]:
    """Names in `sys.modules` once every module of the installed `package`, and all that they name, is imported."""
    root = importlib.import_module(package)
    folder = Path(root.__path__[0])
    # By their files, for `pkgutil` imports every package to look into it.
    paths = [path.relative_to(folder.parent) for path in sorted(folder.rglob("*.py"))]
    parts = [path.with_suffix("").parts for path in paths if not is_left_out(path.as_posix())]
    ours = [".".join(part).removesuffix(".__init__") for part in parts]
    for name in ours:
        importlib.import_module(name)
    for name in {*ON_DEMAND}.union(*(imports(inspect.getsource(sys.modules[name])) for name in ours)):
        # Not a module but a name in one, or an optional dependency that is not here.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return set(sys.modules)


def stdlib(package: str) -> bytes:
    """The part of the standard library that the installed `package` needs, compiled."""
    (library,) = (path for path in sys.path if path.endswith(".zip"))
    with zipfile.ZipFile(library) as archive:
        paths = {name.replace(".", "/") for name in needed(package)}
        names = {name for name in archive.namelist() if name.removesuffix(".py").removesuffix("/__init__") in paths}
        return pack(compiled(archive, names).items())
