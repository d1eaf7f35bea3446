"""The interface of tiktoken 0.14.0 in pure Python: ``from bpeek.compat import tiktoken``.

Names, arguments, results and errors are tiktoken's. Nothing is downloaded: ``load.read_from`` or the
environment variable ``TIKTOKEN_CACHE_DIR`` says where vocabulary files are.
"""

from .core import Encoding as Encoding
from .model import encoding_for_model as encoding_for_model
from .model import encoding_name_for_model as encoding_name_for_model
from .registry import get_encoding as get_encoding
from .registry import list_encoding_names as list_encoding_names

__version__ = "0.14.0"  # whose interface this is
