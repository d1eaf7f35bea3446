"""``python -m bpeek`` is the ``bpeek`` command."""

from .cli import main

if __name__ == "__main__":
    main()
