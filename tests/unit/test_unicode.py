"""Sets of code points against Python's own sets, and the tables against themselves."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from bpeek.unicode import (
    EMPTY,
    EVERYTHING,
    CodePoints,
    binary,
    block,
    category,
    fold_classes,
    full_folds,
    named,
    script,
)

LIMIT = 0x110000
points = st.frozensets(st.one_of(st.integers(0, 12), st.integers(LIMIT - 8, LIMIT - 1)))


def build(members: frozenset[int]) -> CodePoints:
    return CodePoints.from_ranges((c, c) for c in members)


@given(points, points)
def test_operations_are_those_of_sets(a: frozenset[int], b: frozenset[int]) -> None:
    one, two = build(a), build(b)
    assert set(one | two) == a | b
    assert set(one & two) == a & b
    assert set(one - two) == a - b
    assert (one <= two) == (a <= b)
    assert (one == two) == (a == b)
    assert len(one) == len(a)
    assert bool(one) == bool(a)
    assert ~~one == one
    assert len(~one) == LIMIT - len(a)
    assert CodePoints.union([one, two, one]) == one | two


@given(points, st.integers(0, LIMIT - 1), st.integers(0, LIMIT))
def test_membership_and_limits(a: frozenset[int], code: int, limit: int) -> None:
    assert (code in build(a)) == (code in a)
    assert set(build(a).below(limit)) == {c for c in a if c < limit}


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)).map(sorted).map(tuple)))
def test_ranges_may_touch_and_overlap(ranges: list[tuple[int, int]]) -> None:
    built = CodePoints.from_ranges(ranges)
    assert set(built) == {c for first, last in ranges for c in range(first, last + 1)}
    assert all(a[1] + 1 < b[0] for a, b in zip(built.ranges, built.ranges[1:], strict=False))


def test_constants() -> None:
    assert len(EMPTY) == 0
    assert len(EVERYTHING) == LIMIT
    assert ~EMPTY == EVERYTHING


def test_categories_are_a_partition() -> None:
    groups = [category(name) for name in "LMNPSZC"]
    assert sum(map(len, groups)) == LIMIT
    assert CodePoints.union(groups) == EVERYTHING


def test_scripts_are_a_partition() -> None:
    from bpeek.unicode.unicode16 import SCRIPTS

    assert sum(len(script(name)) for name in SCRIPTS) == LIMIT


def test_known_sizes() -> None:
    """As the references count them: a newer or older table would differ."""
    assert len(category("L")) == 141_028
    assert len(category("N")) == 1_911
    assert len(binary("White_Space")) == 25
    assert block("Basic_Latin") == CodePoints((0, 128))


def test_names_are_loose() -> None:
    assert named("category", "uppercase letter") == category("Lu")
    assert named("script", "OLD-ITALIC") == script("Old_Italic")
    assert named("binary", "whitespace") == binary("White_Space")
    assert named("block", "basiclatin") == block("Basic_Latin")
    assert named("special", "any") == EVERYTHING
    assert named("category", "Lx") is None


def test_folding() -> None:
    assert sorted(fold_classes()["S"]) == ["S", "s", "ſ"]
    assert "1" not in fold_classes()
    assert full_folds()["ß"] == "ss"


def test_import_reads_no_table() -> None:
    """The tables and `re` patterns of others wait for the first question."""
    code = "import sys, bpeek.unicode, bpeek.pattern; sys.exit('bpeek.unicode.unicode16' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
