"""What JavaScript calls: plain arguments in, plain results out, errors as data.

Imports nothing of Pyodide, so it runs and is tested under CPython as well. Tokenizers are kept
here under small numbers, because objects do not cross to JavaScript cheaply.
"""

from __future__ import annotations

from array import array
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from itertools import count
from typing import Any

from . import loading
from .budget import Slice
from .document import Document
from .encoding import Encoding
from .errors import BpeekError, Worded
from .formats.presets import presets
from .offsets import to_utf16
from .stream import StreamDecoder, StreamEncoder
from .tokenizer import Tokenizer

_tokenizers: dict[int, Tokenizer] = {}
_documents: dict[int, Document] = {}
_streams: dict[int, StreamEncoder | StreamDecoder] = {}
_handles = count(1)
MOST_NAMED = 100  # useless rules

POLICIES: dict[str, dict[str, Any]] = {
    "special": {},
    "text": {"add_special_tokens": False, "allowed_special": (), "disallowed_special": ()},
    "error": {"add_special_tokens": False, "allowed_special": (), "disallowed_special": "all"},
}


def call(method: str, *args: Any) -> dict[str, Any]:
    """Run one method; ``{"ok": result}``, or ``{"error": facts}`` for an error made on purpose."""
    try:
        return {"ok": _METHODS[method](*args)}
    except BpeekError as error:
        facts = {key: value for key, value in vars(error).items() if isinstance(value, (str, int, type(None)))}
        return {"error": {"name": type(error).__name__, **facts, "message": _sentence(error)}}
    except MemoryError:
        return {"error": {"name": "MemoryError", "message": "There is not enough memory for this file or text."}}


def _sentence(error: BpeekError) -> str:
    """What an error says, with options in the place of Python's arguments."""
    told = error.args[0]
    if isinstance(told, Worded):
        error.args = (told.in_javascript, *error.args[1:])
        if hasattr(error, "message"):
            error.message = told.in_javascript
    return str(error)


def load(
    files: bytes | list[bytes],
    name: str | None = None,
    pattern: str | None = None,
    special_tokens: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """A tokenizer from one file, or from the bytes of ``vocab.json`` and ``merges.txt``."""
    tokenizer = loading.load(files, name=name, pattern=pattern, special_tokens=special_tokens)
    handle = next(_handles)
    _tokenizers[handle] = tokenizer
    spec = tokenizer.spec
    special = tokenizer.special_tokens
    return {
        "handle": handle,
        "format": spec.format,
        "name": spec.name,
        "vocab_size": tokenizer.vocab_size,
        "n_special": len(special),
        "special_tokens": [[content, token_id] for content, token_id in special.items()],
        "patterns": _patterns(spec.pre_tokenizer),
        "kernel": tokenizer.kernel,
        **spec.source,
    }


def _patterns(step: Any) -> list[str]:
    """The regular expressions of a pre-tokenizer, in order."""
    if not isinstance(step, Mapping):
        return []
    inner = [source for part in step.get("pretokenizers", ()) for source in _patterns(part)]
    pattern = step.get("pattern")
    return [*inner, *([pattern["Regex"]] if isinstance(pattern, Mapping) and "Regex" in pattern else [])]


def encode(handle: int, text: str, policy: Any = "special") -> array[int]:
    """``ids · starts · ends · byte_starts · byte_ends``, one after the other; UTF-16 units and bytes."""
    encoding = _encoding(handle, text, policy)
    return _packed(encoding.ids, *encoding.utf16_columns(), *encoding.byte_spans)


def _encoding(handle: int, text: str, policy: Any) -> Encoding:
    return _tokenizers[handle].encode(text, **_options(policy))


def _options(policy: Any) -> dict[str, Any]:
    """A policy as arguments. One that allows some special tokens says how the others are read."""
    if isinstance(policy, str):
        return POLICIES[policy]
    return {**POLICIES[policy["others"]], "allowed_special": policy["allowed"]}


def ids(handle: int, text: str) -> array[int]:
    """Ids alone, special tokens being text."""
    return _tokenizers[handle].encode_to_array(text)


def count_tokens(handle: int, text: str, policy: Any = "special") -> int:
    return _tokenizers[handle].count(text, **_options(policy))


def fits(handle: int, text: str, n: int, policy: Any = "special") -> bool:
    """Has the text at most ``n`` tokens?"""
    return _tokenizers[handle].fits(text, n, **_within(handle, text, policy))


def truncate(handle: int, text: str, n: int, side: Any = "right", policy: Any = "special") -> array[int]:
    """``start · end · count`` of as much of a text as has at most ``n`` tokens; places are UTF-16 units."""
    return _slices(text, [_tokenizers[handle].truncate(text, n, side, **_within(handle, text, policy))])


def chunks(handle: int, text: str, n: int, overlap: int = 0, policy: Any = "special") -> array[int]:
    """``starts · ends · counts`` of the parts of a text that have at most ``n`` tokens each."""
    return _slices(text, list(_tokenizers[handle].chunks(text, n, overlap, **_within(handle, text, policy))))


def _within(handle: int, text: str, policy: Any) -> dict[str, Any]:
    """A policy as arguments that say which special tokens are recognised, after a look for those that are refused."""
    told = _options(policy).get
    _tokenizers[handle]._allowed(False, told("allowed_special"), told("disallowed_special"), (text,))
    return _recognised(policy)


def _recognised(policy: Any) -> dict[str, Any]:
    """A policy without its refusal."""
    return {key: value for key, value in _options(policy).items() if key != "disallowed_special"}


def _slices(text: str, slices: list[Slice]) -> array[int]:
    starts, ends = (to_utf16(text, [getattr(each, edge) for each in slices]) for edge in ("start", "end"))
    return _packed(starts, ends, [each.count for each in slices])


def decode(handle: int, ids: list[int], skip_special_tokens: bool = True) -> str:
    return _tokenizers[handle].decode(ids, skip_special_tokens=skip_special_tokens)


def token(handle: int, token_id: int) -> dict[str, Any]:
    """What the vocabulary says of one id."""
    tokenizer = _tokenizers[handle]
    return {
        "id": token_id,
        "bytes": array("B", tokenizer.token_bytes(token_id)),
        "text": tokenizer.id_to_token(token_id),
        "special": token_id in tokenizer.special_tokens.values(),
    }


def names(text: str) -> list[str]:
    """Unicode's name of each character; empty if it has none, as control characters have not."""
    import unicodedata  # part of Pyodide's own binary, so that it costs no download

    return [unicodedata.name(character, "") for character in text]


def explain(handle: int, text: str, policy: Any = "special") -> dict[str, Any]:
    """How a text becomes tokens, as ``Explanation.to_dict``; places in the text are UTF-16 units."""
    explained = _tokenizers[handle].explain(text, **_options(policy))
    last = len(explained.text)
    places = to_utf16(explained.text, range(last + 1))
    facts = explained.to_dict()
    for part in (*facts["notices"], *facts["stretches"], *facts["tokens"]):
        for placed in (part, *part.get("pieces", ())):
            # Some of the reference's own spans reach past the text.
            placed["start"], placed["end"] = (places[min(placed[edge], last)] for edge in ("start", "end"))
    return facts


def around(handle: int, text: str, start: int, end: int) -> array[int]:
    """Where the shortest part of a text begins and ends that holds what is from ``start`` to ``end``, with room for
    a special token on either side, and whose tokens are there those of the whole: so ``explain`` of it is enough.
    Places are UTF-16 units. It begins with the character before a border, which stands for all before it."""
    tokenizer = _tokenizers[handle]
    borders, room = tokenizer._road.borders, max(map(len, tokenizer.special_tokens), default=0)
    data = text.encode("utf-16-le")
    left, right = (len(data[: 2 * place].decode("utf-16-le", "ignore")) for place in (start, end))
    first = borders.last(text, max(0, left - room))
    last = borders.next(text, max(1, right + room))
    return array("I", (len(text[:at].encode("utf-16-le")) // 2 for at in (max(0, first - 1), last)))


def inspect(handle: int) -> dict[str, Any]:
    """What a vocabulary is like, as ``Inspection.to_dict``, and as text. Of useless rules, there may be a
    great many: only some are named."""
    found = _tokenizers[handle].inspect()
    facts = found.to_dict()
    facts["rules"]["useless"] = facts["rules"]["useless"][:MOST_NAMED]
    return {**facts, "report": str(found)}


def unload(handle: int) -> None:
    _tokenizers.pop(handle, None)


def open_document(handle: int, text: str, policy: Any = "special") -> dict[str, Any]:
    """A document, and its columns as ``encode`` gives them. Nothing raises for a special token in it."""
    document = _tokenizers[handle].document(text, **_recognised(policy))
    number = next(_handles)
    _documents[number] = document
    return {"document": number, "columns": _packed(*document.columns(utf16=True))}


def replace(document: int, start: int, end: int, new: str) -> array[int]:
    """``index · removed``, then the five columns of the new tokens. Places are UTF-16 units of the text."""
    edited = _documents[document]
    change = edited.replace(edited.from_utf16(start), edited.from_utf16(end), new)
    pairs = (change.offsets_utf16, change.offsets_bytes)
    columns = [[pair[side] for pair in column] for column in pairs for side in (0, 1)]
    return _packed([change.index, change.removed], change.ids, *columns)


def count_part(document: int, start: int, end: int) -> int:
    """The number of tokens of a part of a document by itself."""
    text = _documents[document]
    return text.count(text.from_utf16(start), text.from_utf16(end))


def close_document(document: int) -> None:
    _documents.pop(document, None)


def encoder(handle: int, policy: Any = "text") -> int:
    """A stream of text to ids. Nothing raises for a special token in it."""
    return _kept(_tokenizers[handle].stream_encoder(**_recognised(policy)))


def decoder(handle: int, skip_special_tokens: bool = True) -> int:
    """A stream of ids to text, as ``decode`` makes it."""
    return _kept(_tokenizers[handle].stream_decoder(skip_special_tokens=skip_special_tokens))


def _kept(stream: StreamEncoder | StreamDecoder) -> int:
    number = next(_handles)
    _streams[number] = stream
    return number


def feed(stream: int, chunk: Any, last: bool) -> array[int] | str:
    """What has become certain. The ``last`` chunk brings the rest, and ends the stream."""
    found = _streams[stream].feed(chunk)
    if last:
        found += _streams.pop(stream).finish()  # type: ignore[operator]  # both are text, or both are ids
    return found if isinstance(found, str) else array("I", found)


def _packed(*columns: Iterable[int]) -> array[int]:
    """One after the other. An array's numbers are not looked at."""
    packed = array("I")
    for column in columns:
        if isinstance(column, array):
            packed.extend(column)
        else:
            packed.fromlist([*column])  # `extend` takes 4 times as long
    return packed


def warm_up() -> None:
    """Do once what a first text in the usual vocabulary asks for, with one of single bytes: from then on a snapshot of
    the memory has the modules, tables and patterns."""
    ranks = b"".join(b"%b %d\n" % (b64encode(bytes([byte])), byte) for byte in range(256))
    pattern = next(preset.pattern for preset in presets() if preset.name == "cl100k_base")
    tokenizer = loading.load(ranks, pattern=pattern, special_tokens={"<|end|>": 256})
    tokenizer.document("Caf\xe9 \u6f22 \U0001f99c 1").columns()


_METHODS: dict[str, Callable[..., Any]] = {
    "load": load,
    "encode": encode,
    "ids": ids,
    "count": count_tokens,
    "fits": fits,
    "truncate": truncate,
    "chunks": chunks,
    "decode": decode,
    "token": token,
    "names": names,
    "explain": explain,
    "around": around,
    "inspect": inspect,
    "unload": unload,
    "open": open_document,
    "replace": replace,
    "count_part": count_part,
    "close": close_document,
    "encoder": encoder,
    "decoder": decoder,
    "feed": feed,
    "warm_up": warm_up,
}
