"""The examples of ``docs/live.md`` run, and print what they say."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "live.md"


def test_the_examples():
    failed, tried = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert tried > 15 and not failed
