"""``TokenView``: a text field with its tokens below, in a notebook. ``pip install "bpeek[widget]"`` has it."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

try:
    import anywidget
    import traitlets
except ImportError as error:
    message = f'bpeek.widget needs {error.name}, which is not installed: pip install "bpeek[widget]"'
    raise ImportError(message, name=error.name) from error

from ..display import html
from ..encoding import Encoding
from ..tokenizer import Tokenizer

MOST_TOKENS = 500  # that are drawn, at every key


class TokenView(anywidget.AnyWidget):
    """A text that can be edited, shown in its tokens as one types. The kernel's Python encodes it.

    ``text`` and ``tokenizer`` can be set and observed; ``encoding`` is what ``tokenizer.encode`` makes of the text now.
    ``add_special_tokens`` is as there.

    >>> import bpeek
    >>> tok = bpeek.Tokenizer.from_pieces(["<unk>", "▁", "a", "b"], [0, -1, -2, -3], [2, 1, 1, 1])
    >>> view = TokenView(tok, "a b")
    >>> view.text = "ab"
    >>> view.encoding.tokens
    ['▁', 'a', 'b']
    """

    _esm = files(__package__).joinpath("view.js").read_text("utf-8")
    _css = html.style() + files(__package__).joinpath("view.css").read_text("utf-8")

    text = traitlets.Unicode().tag(sync=True)
    tokenizer = traitlets.Instance(Tokenizer)
    # What is drawn, and a number that grows with it: a view waits for the next before it sends what was typed since.
    _drawn = traitlets.Dict().tag(sync=True)

    def __init__(self, tokenizer: Tokenizer, text: str = "", *, add_special_tokens: bool = True, **traits: Any) -> None:
        self._add_special_tokens = add_special_tokens
        super().__init__(tokenizer=tokenizer, text=text, **traits)
        self._encode()

    @property
    def encoding(self) -> Encoding:
        return self._encoding

    @traitlets.observe("text", "tokenizer")
    def _encode(self, change: object = None) -> None:
        del change
        self._encoding = self.tokenizer.encode(self.text, add_special_tokens=self._add_special_tokens)
        number = self._drawn.get("number", 0) + 1
        self._drawn = {"number": number, "html": html.content(self._encoding, MOST_TOKENS)}
