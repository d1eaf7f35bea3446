"""Serve a folder the way a good static host does: ``python tools/serve.py [FOLDER]``.

Right MIME types (a browser refuses modules and WebAssembly without them), files compressed ahead by ``tools/site.mjs``,
and caching: names in ``assets/`` carry a hash and never change, everything else is revalidated.
"""

import functools
import os
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

ENCODINGS = {".br": "br", ".gz": "gzip"}
SITE = Path(__file__).resolve().parent.parent / "dist" / "site"


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar = {
        **SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".tiktoken": "text/plain",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
        ".whl": "application/zip",
    }
    encoding: str | None = None

    def translate_path(self, path: str) -> str:
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

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the address is what matters on the terminal."""


class Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        # Browsers drop connections as they please.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def server(folder: Path, ports: range = range(1), handler: type[Handler] = Handler) -> Server:
    """A server on the first free one of `ports`; port 0 is any free one."""
    for port in ports:
        try:
            return Server(("127.0.0.1", port), functools.partial(handler, directory=str(folder)))
        except OSError:
            continue
    raise SystemExit(f"No port from {ports.start} to {ports.stop - 1} is free.")


def main(folder: Path = SITE) -> None:
    with server(folder, range(8000, 8100)) as httpd:
        print(f"Open http://127.0.0.1:{httpd.server_port}/ (Ctrl+C stops)", flush=True)
        try:
            httpd.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
