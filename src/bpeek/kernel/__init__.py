"""The inner loops, as tables that Python compiles and a few kilobytes of WebAssembly that read them.

Python decides everything: what a file says, what a pattern means, where may be cut. ``tables`` writes that down,
``compiled`` runs texts through it, ``host`` is where that happens, and ``on_demand`` says when.
"""

from .compiled import NEVER, Kernel, Marks, Unit, size_in
from .host import available
from .on_demand import OnDemand

__all__ = ["NEVER", "Kernel", "Marks", "OnDemand", "Unit", "available", "size_in"]
