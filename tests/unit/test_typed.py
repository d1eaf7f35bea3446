"""A user's program. Mypy checks it with the sources, so that what works also has the right types."""

import gzip
import io
import zipfile
from base64 import b64encode
from pathlib import Path

import bpeek
from bpeek import Encoding, Tokenizer, Trusted
from bpeek.budget import Slice
from bpeek.loading import Source

RANKS = b"".join(b"%b %d\n" % (b64encode(bytes([byte])), byte) for byte in range(256)) + b"YWI= 256\n"
PATTERN = r"\w+|\W"
SPECIAL = {"<|end|>": 257}


def load(source: Source) -> Tokenizer:
    return bpeek.load(source, pattern=PATTERN, special_tokens=SPECIAL)


def test_files_of_any_kind(tmp_path: Path) -> None:
    path = tmp_path / "tiny.tiktoken"
    path.write_bytes(RANKS)
    with gzip.open(tmp_path / "tiny.gz", "wb") as packing, zipfile.ZipFile(tmp_path / "tiny.zip", "w") as archive:
        packing.write(RANKS)
        archive.write(path, path.name)
    toks = [load(path), load(str(path)), load(RANKS), load(io.BytesIO(RANKS))]
    with path.open("rb") as file, gzip.open(tmp_path / "tiny.gz") as packed:
        toks += [load(file), load(packed)]
    with zipfile.ZipFile(tmp_path / "tiny.zip") as archive, archive.open(path.name) as member:
        toks.append(load(member))
    assert [tok.encode_ordinary("ab") for tok in toks] == [[256]] * 7


def test_texts_of_any_kind() -> None:
    tok = load(RANKS)
    trusted = [Trusted("<|end|>"), Trusted("ab")]
    mixed = [*trusted, "<|end|>"]
    encodings: list[Encoding] = [tok.encode("ab"), tok.encode(trusted), tok.encode(mixed), tok.encode(tuple(mixed))]
    assert [encoding.ids[:2] for encoding in encodings] == [[256], [257, 256], [257, 256], [257, 256]]
    kept: Slice = tok.truncate("ab ab", 2, side="left")
    change = tok.document("ab").replace(0, 1, "")
    ids: list[int] = [*change.ids, *tok.stream_encoder().feed("a "), kept.count]
    assert (kept.text, tok.decode(ids[:1])) == (" ab", "b")
