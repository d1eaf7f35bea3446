"""Encodings as plain values, JSON and CSV, for other programs."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from . import Shown

COLUMNS = ["ids", "tokens", "offsets", "offsets_utf16", "offsets_bytes", "word_ids", "type_ids", "sequence_ids"]
COLUMNS += ["attention_mask", "special_tokens_mask"]
HEADER = ["index", "id", "token", "text", "start", "end", "utf16_start", "utf16_end", "byte_start", "byte_end"]
HEADER += ["word", "type", "sequence", "special"]


def to_dict(shown: Shown) -> dict[str, Any]:
    """Its texts, and every column by its name."""
    values: dict[str, Any] = {"texts": list(shown.texts)}
    for name in COLUMNS:
        column = getattr(shown, name)
        values[name] = list(map(list, column)) if name.startswith("offsets") else list(column)
    if shown.overflowing:
        values["overflowing"] = list(map(to_dict, shown.overflowing))
    return values


def to_json(shown: Shown) -> str:
    return json.dumps(to_dict(shown), ensure_ascii=False)


def to_csv(shown: Shown) -> str:
    """A line for each token, below a line of names. What a token does not have is empty. Texts are JSON's strings,
    as in the page's export: none breaks a line, and no spreadsheet takes one for a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEADER)
    offsets = zip(shown.offsets, shown.offsets_utf16, shown.offsets_bytes, strict=True)
    columns = zip(
        shown.ids,
        shown.tokens,
        offsets,
        shown.word_ids,
        shown.type_ids,
        shown.sequence_ids,
        shown.text_ids,
        shown.special_tokens_mask,
        strict=True,
    )
    for index, (token, name, spans, word, kind, sequence, of, added) in enumerate(columns):
        start, end = spans[0]
        text = "" if of is None else _quoted(shown.texts[of][start:end])
        special = int(token in shown.special_ids or bool(added))
        numbers = [edge for span in spans for edge in span]
        writer.writerow([index, token, _quoted(name), text, *numbers, word, kind, sequence, special])
    return out.getvalue()


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
