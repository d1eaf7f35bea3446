"""The page of bpeek, as files to serve."""

from pathlib import Path

SITE = Path(__file__).with_name("site")
