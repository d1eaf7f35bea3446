"""The built site and its server: what a first visit costs, and how files are served."""

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPResponse
from pathlib import Path

import pytest

import serve

FIRST_VISIT_BYTES = 4_500_000
LATER = ("r50k_base.ranks", "p50k_base.ranks", "o200k_base.ranks")
COMPRESSED = (".br", ".gz")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serve.server(serve.SITE) as httpd:
        threading.Thread(target=httpd.serve_forever).start()
        yield f"http://127.0.0.1:{httpd.server_port}/"
        httpd.shutdown()


def get(url: str, **headers: str) -> HTTPResponse:
    response: HTTPResponse = urllib.request.urlopen(urllib.request.Request(url, headers=headers))
    with response:
        return response


def files(pattern: str) -> list[Path]:
    return [path for path in serve.SITE.rglob(pattern) if path.is_file() and path.suffix not in COMPRESSED]


def test_first_visit_is_small() -> None:
    sizes = {}
    for path in files("*"):
        small = path.with_name(path.name + ".br")
        sizes[path.name] = min(file.stat().st_size for file in (path, small) if file.exists())
    assert "cl100k_base.ranks" in sizes
    assert sum(size for name, size in sizes.items() if name not in LATER) <= FIRST_VISIT_BYTES


@pytest.mark.parametrize(
    ("pattern", "kind"), [("*.html", "text/html"), ("*.js", "text/javascript"), ("*.wasm", "application/wasm")]
)
def test_types_and_encodings(address: str, pattern: str, kind: str) -> None:
    for path in files(pattern):
        url = address + path.relative_to(serve.SITE).as_posix()
        for accepted in ("br", "gzip", "identity"):
            response = get(url, **{"Accept-Encoding": accepted})
            assert response.headers["Content-Type"] == kind
            assert response.headers.get("Content-Encoding", "identity") == accepted


def test_caching(address: str) -> None:
    assert get(address).headers["Cache-Control"] == "no-cache"
    (wasm,) = files("*.wasm")
    assert "immutable" in get(address + wasm.relative_to(serve.SITE).as_posix()).headers["Cache-Control"]


def test_nothing_outside_the_folder_is_served(address: str) -> None:
    with pytest.raises(urllib.error.HTTPError, match="404") as caught:
        get(address + "../../pyproject.toml")
    caught.value.close()
