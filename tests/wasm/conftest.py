"""`wasm`: the built runtime in a Node process, called as `bpeek.bridge` is called natively."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


class Wasm:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert self._answer() == {"ready": True}

    def call(self, method: str, *args: Any, file: Path | None = None) -> dict[str, Any]:
        """`bpeek.bridge.call` inside Pyodide; the bytes of `file`, if given, are its first argument."""
        return self._request(call=[method, *args], file=file and str(file))

    def run(self, source: str) -> Any:
        return self._request(run=source)

    def _request(self, **request: Any) -> Any:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            pytest.fail("Pyodide in Node ended; its message is above. Has ./build_wasm.sh been run?")
        return json.loads(line)


@pytest.fixture(scope="session", params=["1", "0"], ids=["kernel", "python"])
def wasm(request: pytest.FixtureRequest) -> Iterator[Wasm]:
    """With the kernel for every text, however short, and without it."""
    command = ["node", str(Path(__file__).with_name("bridge.mjs"))]
    env = {**os.environ, "BPEEK_KERNEL": request.param}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", env=env) as process:
        yield Wasm(process)
