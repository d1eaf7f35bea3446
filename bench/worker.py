"""Runs one task in the peers' environment: JSON on standard input, JSON on standard output."""

import json
import sys
from importlib import import_module


def main() -> None:
    task = json.load(sys.stdin)
    # Whatever a library prints must not get between the lines of the answer.
    answer, sys.stdout = sys.stdout, sys.stderr
    json.dump(import_module(f".{task['run']}", __package__).run(task), answer)


if __name__ == "__main__":
    main()
