"""Split patterns, run exactly as the references run them, on the standard library's ``re``.

A pattern is parsed in its own dialect, its classes become sets of code points (Unicode 16.0), and what comes out
is a plain regular expression for ``re`` over the Basic Multilingual Plane; astral characters go by proxy.
"""

from .matcher import Pattern, compile
from .seams import Seams

__all__ = ["Pattern", "Seams", "compile"]
