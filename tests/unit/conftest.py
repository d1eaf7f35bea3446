"""A tokenizer behind the bridge, for the tests of the bridge."""

import pytest
from tests.unit.tiny import FILE, PATTERN, SPECIAL

from bpeek import bridge


@pytest.fixture
def handle():
    loaded = bridge.call("load", FILE, "tiny.tiktoken", PATTERN, SPECIAL)["ok"]
    yield loaded["handle"]
    bridge.call("unload", loaded["handle"])
