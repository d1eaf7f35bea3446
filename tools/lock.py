"""Enter our wheel in Pyodide's lock file: ``python tools/lock.py dist/bpeek-0.1.0-py3-none-any.whl``.

The Pyodide project's `pyodide-lock` makes the entry from the published wheel (it reads imports from ``.py`` files);
then the checksum becomes that of the compiled one, as `pyodide-build`'s ``py-compile`` does it.
The packages of the full lock are left out: their files are not in npm's ``pyodide``.
"""

import json
import sys
from pathlib import Path

from pyodide_lock.spec import InfoSpec, PyodideLockSpec
from pyodide_lock.utils import add_wheels_to_spec, update_package_sha256

WEB = Path(__file__).resolve().parent.parent / "web"


def main(wheel: Path) -> None:
    full = json.loads((WEB / "node_modules/pyodide/pyodide-lock.json").read_bytes())
    # `pyodide-lock` for Python 3.11 wants a version, which later ones dropped.
    base = PyodideLockSpec(info=InfoSpec(**{"version": "", **full["info"]}), packages={})
    lock = add_wheels_to_spec(base, [wheel])
    update_package_sha256(lock.packages["bpeek"], WEB / "runtime/bpeek.whl")
    lock.to_json(WEB / "runtime/lock.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
