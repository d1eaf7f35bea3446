"""The widget's Python side; what it looks like and does in a browser is tested in JupyterLite (tests/browser)."""

import subprocess
import sys

import pytest
from tests.conftest import tokenizer

import bpeek
from bpeek.widget import MOST_TOKENS, TokenView


def drawn(view):
    return view.get_state("_drawn")["_drawn"]


def test_what_is_shown_follows_the_text_and_the_tokenizer():
    tok = tokenizer("cl100k_base")
    view = TokenView(tok, "Hello")
    assert view.encoding == tok.encode("Hello") and ">Hello<" in drawn(view)["html"]
    seen = []
    view.observe(seen.append, "text")
    number = drawn(view)["number"]
    view.set_state({"text": "<b>漢"})  # what the front end sends
    assert view.encoding == tok.encode("<b>漢") and len(seen) == 1
    assert "<b>漢" not in drawn(view)["html"] and "&lt;b" in drawn(view)["html"]
    assert drawn(view)["number"] > number
    view.tokenizer = tokenizer("llama2")
    assert view.encoding.tokens[0] == "<s>"
    assert TokenView(tokenizer("llama2"), "a", add_special_tokens=False).encoding.tokens == ["▁a"]


def test_long_texts_are_cut_short():
    view = TokenView(tokenizer("cl100k_base"), " a" * 10_000)
    assert len(view.encoding) == 10_000 and f"{10_000 - MOST_TOKENS:,} more tokens" in drawn(view)["html"]


def test_it_is_shown_as_a_widget():
    (bundle, _) = TokenView(tokenizer("cl100k_base"))._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    with pytest.raises(bpeek.widget.traitlets.TraitError):
        TokenView("cl100k_base")


def test_without_the_extra_an_error_says_what_to_install():
    code = "import sys; sys.modules['anywidget'] = None; import bpeek.widget"
    ran = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, encoding="utf-8", check=False)
    assert ran.stderr.endswith(
        'ImportError: bpeek.widget needs anywidget, which is not installed: pip install "bpeek[widget]"\n'
    )
