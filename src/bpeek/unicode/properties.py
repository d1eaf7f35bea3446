"""Properties by name. Sets are unpacked when they are first asked for, and kept."""

from __future__ import annotations

from functools import cache

from .codepoints import EVERYTHING, CodePoints

# Long names of the general categories, and the groups that have no entry of their own in the table.
_CATEGORY_NAMES = {
    "Other": "C", "Control": "Cc", "Format": "Cf", "Unassigned": "Cn", "Private_Use": "Co", "Surrogate": "Cs",
    "Letter": "L", "Cased_Letter": "LC", "Lowercase_Letter": "Ll", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
    "Titlecase_Letter": "Lt", "Uppercase_Letter": "Lu", "Mark": "M", "Combining_Mark": "M", "Spacing_Mark": "Mc",
    "Enclosing_Mark": "Me", "Nonspacing_Mark": "Mn", "Number": "N", "Decimal_Number": "Nd", "Letter_Number": "Nl",
    "Other_Number": "No", "Punctuation": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd",
    "Close_Punctuation": "Pe", "Final_Punctuation": "Pf", "Initial_Punctuation": "Pi", "Other_Punctuation": "Po",
    "Open_Punctuation": "Ps", "Symbol": "S", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Math_Symbol": "Sm",
    "Other_Symbol": "So", "Separator": "Z", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
    "Space_Separator": "Zs",
}  # fmt: skip


def fold_name(name: str) -> str:
    """Property names are compared without case, space, hyphen and underscore."""
    return name.lower().replace("_", "").replace("-", "").replace(" ", "")


@cache
def category(name: str) -> CodePoints:
    """A general category by its short name, or a group of them (``L``, ``LC``, ``M`` ...).

    >>> len(category("L")), len(category("Nd"))
    (141028, 760)
    """
    from .unicode16 import CATEGORIES

    if name in CATEGORIES:
        return CodePoints.unpack(CATEGORIES[name])
    parts = ("Lu", "Ll", "Lt") if name == "LC" else [short for short in CATEGORIES if short[0] == name]
    return CodePoints.union(map(category, parts))


@cache
def script(name: str) -> CodePoints:
    """A script by its long name.

    >>> ord("字") in script("Han")
    True
    """
    from .unicode16 import SCRIPTS

    return CodePoints.unpack(SCRIPTS[name])


@cache
def block(name: str) -> CodePoints:
    from .unicode16 import BLOCKS

    return CodePoints.unpack(BLOCKS[name])


@cache
def binary(name: str) -> CodePoints:
    """A property of two values, such as ``White_Space`` or ``Alphabetic``."""
    from .unicode16 import PROPERTIES

    return CodePoints.unpack(PROPERTIES[name])


@cache
def grapheme_break(name: str) -> CodePoints:
    """The characters with this value of Grapheme_Cluster_Break."""
    from .unicode16 import GRAPHEME_BREAK

    return CodePoints.unpack(GRAPHEME_BREAK[name])


@cache
def _names(kind: str) -> dict[str, str]:
    """Names of one kind as people may write them -> as the tables have them."""
    from .unicode16 import BLOCKS, CATEGORIES, PROPERTIES, SCRIPTS

    if kind == "category":
        short = {name: name for name in [*CATEGORIES, *_CATEGORY_NAMES.values()]}
        return {fold_name(name): short for name, short in (_CATEGORY_NAMES | short).items()}
    table = {"script": SCRIPTS, "block": BLOCKS, "binary": PROPERTIES}[kind]
    return {fold_name(name): name for name in table}


@cache
def named(kind: str, name: str) -> CodePoints | None:
    """A set by its kind (``category``, ``script``, ``block``, ``binary``, ``special``) and loosely written name.

    >>> named("category", "letter") == named("category", "L")
    True
    >>> named("script", "Klingon") is None
    True
    """
    folded = fold_name(name)
    if kind == "special":
        special = {"any": EVERYTHING, "assigned": ~category("Cn"), "ascii": CodePoints((0, 128))}
        return special.get(folded)
    known = _names(kind).get(folded)
    return (
        None
        if known is None
        else {"category": category, "script": script, "block": block, "binary": binary}[kind](known)
    )


@cache
def fold_classes() -> dict[str, str]:
    """Each character that has others equal to it under simple case folding -> all of these, itself included.

    >>> sorted(fold_classes()["k"])
    ['K', 'k', '\N{KELVIN SIGN}']
    """
    from .unicode16 import FOLD_FROM, FOLD_TO

    groups: dict[str, str] = {}
    for char, fold in zip(FOLD_FROM, FOLD_TO, strict=True):
        groups[fold] = groups.get(fold, fold) + char
    return {char: same for same in groups.values() for char in same}


@cache
def full_folds() -> dict[str, str]:
    """The characters whose full case folding is longer than one character -> that folding."""
    from .unicode16 import FOLD_FULL

    return FOLD_FULL
