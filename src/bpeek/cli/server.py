"""Serve a folder the way a good static host does, to this machine alone.

Right MIME types (a browser refuses modules and WebAssembly without them), files compressed ahead as ``.br`` and
``.gz``, and caching: names in ``assets/`` carry a hash and never change, everything else is revalidated.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import unquote

from ..errors import BpeekError

ENCODINGS = {".br": "br", ".gz": "gzip"}


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar = {  # type: ignore[misc]  # typeshed has it as an instance's
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".tiktoken": "text/plain",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
        ".whl": "application/zip",
    }
    encoding: str | None = None

    def __init__(self, *args: Any, given: Mapping[str, Path] = MappingProxyType({}), **options: Any) -> None:
        self.given = given
        super().__init__(*args, **options)

    def parse_request(self) -> bool:
        """Only for pages of this machine: another site's name may be made to stand for its address."""
        if not super().parse_request():
            return False
        if self.headers.get("Host", "").partition(":")[0] in ("127.0.0.1", "localhost"):
            return True
        self.send_error(HTTPStatus.MISDIRECTED_REQUEST)
        return False

    def translate_path(self, path: str) -> str:
        given = self.given.get(unquote(path.partition("?")[0]))
        if given is not None:
            self.encoding = None
            return str(given)
        file = super().translate_path(path)
        if os.path.isdir(file) and self.path.partition("?")[0].endswith("/"):
            file = os.path.join(file, "index.html")
        accepted = {item.partition(";")[0].strip() for item in self.headers.get("Accept-Encoding", "").split(",")}
        self.encoding = None
        for suffix, encoding in ENCODINGS.items():
            if encoding in accepted and os.path.exists(file + suffix):
                self.encoding = encoding
                return file + suffix
        return file

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        path = os.fspath(path)
        return super().guess_type(path[:-3] if self.encoding else path)

    def end_headers(self) -> None:
        if self.encoding:
            self.send_header("Content-Encoding", self.encoding)
        self.send_header("Vary", "Accept-Encoding")
        hashed = "/assets/" in self.path
        self.send_header("Cache-Control", "public, max-age=31536000, immutable" if hashed else "no-cache")
        self.send_header("X-Content-Type-Options", "nosniff")
        super().end_headers()

    def list_directory(self, path: str | os.PathLike[str]) -> None:
        """Folders are not shown."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the address is what matters on the terminal."""


class Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        # Browsers drop connections as they please.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(
    folder: Path, ports: range = range(1), handler: type[Handler] = Handler, given: Mapping[str, Path] | None = None
) -> Server:
    """A server on the first free one of ``ports``; port 0 is any free one. ``given`` are more files, by their paths
    in addresses."""
    for port in ports:
        try:
            return Server(("127.0.0.1", port), functools.partial(handler, directory=str(folder), given=given or {}))
        except OSError:
            continue
    which = f"port {ports.start} is" if len(ports) == 1 else f"all ports from {ports.start} to {ports.stop - 1} are"
    raise BpeekError(f"{which} taken or not allowed; choose another one with --port")


def run(httpd: Server, fragment: str = "", launch: Callable[[str], object] | None = None) -> None:
    """Until Ctrl+C. ``launch`` opens the address, to which ``fragment`` is added."""
    address = f"http://127.0.0.1:{httpd.server_port}/{fragment}"
    print(f"Open {address} (Ctrl+C stops)", flush=True)
    with httpd, suppress(KeyboardInterrupt):
        if launch is not None:
            launch(address)  # the socket listens already
        httpd.serve_forever()
    print()
