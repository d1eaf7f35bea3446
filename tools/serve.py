"""Serve the built site: ``python tools/serve.py [FOLDER]``, with the server of ``bpeek serve``."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))  # bpeek need not be installed

from bpeek.cli.server import Handler, run, server  # noqa: E402  (found by the line above)

__all__ = ["SITE", "Handler", "server"]

SITE = ROOT / "dist" / "site"

if __name__ == "__main__":
    run(server(Path(sys.argv[1]) if sys.argv[1:] else SITE, range(8000, 8100)))
