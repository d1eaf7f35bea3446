"""The direction of imports: each layer imports only from layers above it in the table."""

import ast
from pathlib import Path

import bpeek

LAYERS = [
    ["errors", "unicode", "bytechars", "lookup", "rope"],
    ["arguments", "spec", "offsets", "within", "bpe", "theory", "display"],
    ["pattern", "formats", "encoding", "kernel"],
    ["pipeline"],
    ["roads"],
    ["explain", "inspection", "comparison"],
    ["parts", "conversion"],
    ["document", "stream", "trust", "words"],
    ["budget", "pool"],
    ["tokenizer"],
    ["loading"],
    ["bridge", "compat", "widget"],
    ["cli"],
    ["__init__", "__main__"],
]
LEVEL = {part: level for level, parts in enumerate(LAYERS) for part in parts}
SOURCE = Path(bpeek.__file__).parent


def imported_parts(path: Path) -> set[str]:
    """The first-level parts of bpeek that a module imports, wherever in it."""
    package = [SOURCE.name, *path.relative_to(SOURCE).with_suffix("").parts[:-1]]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else []
            target = [*base, *(node.module or "").split(".")] if node.module else base
            names = [".".join([*target, alias.name]) for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("bpeek.")}
    return found


def test_every_import_points_to_a_higher_layer():
    wrong = [
        f"{path.relative_to(SOURCE)} imports {target}"
        for path in sorted(SOURCE.rglob("*.py"))
        for part in [path.relative_to(SOURCE).parts[0].removesuffix(".py")]
        for target in imported_parts(path) - {part}
        if LEVEL.get(target, 99) >= LEVEL[part]
    ]
    assert not wrong


def test_the_table_names_every_part():
    parts = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert parts - {"__pycache__"} <= set(LEVEL)
