"""Files inside files: gzip and zip, unpacked within bounds."""

from __future__ import annotations

import io
import zlib

from ..errors import FormatError

MAX_BYTES = 512 << 20


def limit(packed: int) -> int:
    """How much some packed bytes may become: vocabularies shrink to a third or so, bombs a thousandfold.

    >>> limit(10), limit(10_000_000)
    (67108864, 200000000)
    """
    return min(MAX_BYTES, max(64 << 20, 20 * packed))


def gunzip(data: bytes, name: str | None) -> bytes:
    """The content of a ``.gz`` file."""
    import gzip

    most = limit(len(data))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            content = file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"the gzip data is damaged ({error}); download the file again", file=name, byte=0) from None
    if len(content) > most:
        raise _too_large(most, name)
    return content


def unzip(data: bytes, name: str | None) -> list[tuple[bytes, str | None]]:
    """The files of a ``.zip`` that may be vocabularies, with their names."""
    import zipfile

    most = limit(len(data))
    files: list[tuple[bytes, str | None]] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                if member.is_dir() or not member.filename.lower().endswith(_WANTED):
                    continue
                with archive.open(member) as file:
                    content = file.read(most + 1)
                most -= len(content)
                if most < 0:
                    raise _too_large(limit(len(data)), name)
                files.append((content, member.filename.rsplit("/", 1)[-1]))
    except FormatError:
        raise
    # Whatever is wrong inside, zipfile says it with one of these; a password, with RuntimeError.
    except (OSError, EOFError, ValueError, RuntimeError, zlib.error, zipfile.BadZipFile, NotImplementedError) as error:
        raise FormatError(f"the zip archive is damaged or locked ({error}); unpack it by hand", file=name) from None
    return files


_WANTED = (".json", ".txt", ".model", ".tiktoken", ".bpe", ".gguf", ".gz")


def _too_large(most: int, name: str | None) -> FormatError:
    return FormatError(f"it has more than {most:,} bytes when unpacked, too many for a vocabulary", file=name)
