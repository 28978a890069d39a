"""Whether a file that zstd packed is whole: DuckDB takes what is left of one for all of it."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from stanoff.errors import InputError

MAGIC, SKIPPED = 0xFD2FB528, 0x184D2A50  # of a frame, and of one that holds no data
CONTENT_SIZES = (0, 2, 4, 8)
RUN = 1  # a block of one byte, repeated


def check_whole(path: str) -> None:
    """Refuse a file that was cut off; its blocks are stepped over, not unpacked.

    Parameters
    ----------
    path : str
        A file that ends with ``.zst``.
    """
    size = Path(path).stat().st_size
    with Path(path).open("rb") as file:
        try:
            while file.tell() < size:
                _skip_frame(file, path)
        except EOFError:
            raise _cut_off(path) from None
        if file.tell() > size:
            raise _cut_off(path)


def _cut_off(path: str) -> InputError:
    return InputError(f"{path} is cut off: what zstd packed in it does not end.")


def _skip_frame(file: BinaryIO, path: str) -> None:
    """Step over one frame: its header, its blocks, its checksum."""
    magic = _number(file, 4)
    if magic & ~0xF == SKIPPED:
        file.seek(_number(file, 4), 1)
        return
    if magic != MAGIC:
        raise InputError(f"{path} is not what zstd writes, or is damaged.")
    flags = _number(file, 1)
    single = flags >> 5 & 1
    content = CONTENT_SIZES[flags >> 6] or single
    file.seek((not single) + (0, 1, 2, 4)[flags & 3] + content, 1)
    last = False
    while not last:
        block = _number(file, 3)
        last = bool(block & 1)
        file.seek(1 if block >> 1 & 3 == RUN else block >> 3, 1)
    file.seek(4 * (flags >> 2 & 1), 1)


def _number(file: BinaryIO, size: int) -> int:
    read = file.read(size)
    if len(read) < size:
        raise EOFError
    return int.from_bytes(read, "little")
