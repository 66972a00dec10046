"""A profile as a file: versioned JSON that is checked as it is read, for its owner's eyes only, encrypted if wanted.

Encrypted: a key is drawn from the passphrase by scrypt and the whole file sealed with ChaCha20-Poly1305, the head of
the file included, so that nothing in it can be changed unnoticed. Without the passphrase there is no way back.
"""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import asdict
from os import PathLike, urandom
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.files import read_regular, write_text
from confide.core.json_text import canonical_json, read_json
from confide.core.transactions.container import Transactions
from confide.search.evidence.snippets import Snippets
from confide.search.profile.documents import Collection
from confide.search.profile.edits import Edits
from confide.search.profile.interests import MOST_DOCUMENTS, UNIT, Interest

if TYPE_CHECKING:
    from confide.search.profile.profile import Profile

__all__ = ["read_profile", "tree_to_dict", "write_profile"]

FORMAT = "confide profile"
SEALED = "confide encrypted profile"
VERSION = 3
_SEAL_VERSION = 1
_FIRST = {"vocabulary": "all", "names": True}  # how profiles of version 1 were built
_SECOND = {"texts": 0, "counts": {}, "kept": True}  # what those before version 3 know of earlier searches
_OLD_EDITS = "hidden deleted renamed"
_COST = 1 << 16  # scrypt's n: 64 MB and a fifth of a second for every guess
_MOST_COST = 1 << 20
_DEEPEST = 60


def write_profile(profile: "Profile", path: str | PathLike[str], *, passphrase: str | None, replace: bool) -> None:
    """Write the file, readable by its owner only (mode 600)."""
    text = canonical_json(_to_dict(profile))
    if passphrase is not None:
        if not passphrase:
            raise UsageError("the passphrase is empty")
        text = json.dumps(_sealed(text.encode(), passphrase), indent=2) + "\n"
    write_text(path, text, replace=replace, private=True)


def read_profile(path: str | PathLike[str], *, passphrase: str | None) -> "Profile":
    """Read a file that `write_profile` wrote, or say in one line what is wrong with it."""
    source = Path(path)
    data = read_json(read_regular(source), what="a profile", source=source)
    if isinstance(data, dict) and data.get("format") == SEALED:
        if passphrase is None:
            raise UsageError(f"{source} is encrypted; give its passphrase", parameter="passphrase")
        data = read_json(_opened(data, passphrase, source), what="a profile", source=source)
    elif passphrase is not None:  # somebody may have put another profile in its place
        raise InputError("is not encrypted, but a passphrase was given; leave it out if that is right", source=source)
    try:
        return _from_dict(data)
    except InputError as error:
        raise InputError(error.what, source=source) from None
    except RequirementError as error:
        raise InputError(f"settings that no profile has: {error}", source=source) from None


# -- plain data ---------------------------------------------------------------------------------------------------


def tree_to_dict(interest: Interest, *, hidden: set[int] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
    """An interest and all below it as plain data; those in `hidden` (by identity) are marked so."""
    return {
        "terms": list(interest.terms),
        "words": list(interest.words),
        "units": interest.units,
        "documents": interest.documents,
        "hidden": interest.hidden or id(interest) in hidden,
        "name": interest.name,
        "children": [tree_to_dict(child, hidden=hidden) for child in interest.children],
    }


def _to_dict(profile: "Profile") -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "unit": UNIT,
        "settings": {**asdict(profile.settings), "languages": list(profile.settings.languages)},
        "edits": {
            "hidden": list(profile.edits.hidden),
            "deleted": list(profile.edits.deleted),
            "dropped": list(profile.edits.dropped),
            "renamed": dict(profile.edits.renamed),
        },
        "searches": {**asdict(profile.snippets), "counts": dict(profile.snippets.counts)},
        "interests": tree_to_dict(profile.root),
        "documents": None if profile.collection is None else _documents_to_dict(profile.collection),
    }


def _documents_to_dict(collection: Collection) -> dict[str, Any]:
    return {
        "terms": list(collection.data.labels),
        "forms": dict(collection.forms),
        "names": list(collection.names),
        "sources": list(collection.sources),
        "rows": base64.b64encode(collection.data.indptr.astype("<i8").tobytes()).decode(),
        "codes": base64.b64encode(collection.data.indices.astype("<i4").tobytes()).decode(),
        **(
            {"usual": {**asdict(collection.usual), "counts": dict(collection.usual.counts)}}
            if collection.usual.texts
            else {}
        ),
    }


def _from_dict(data: Any) -> "Profile":
    from confide.search.profile.profile import Profile, Settings

    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError("not a profile; make one with confide search profile build")
    if data.get("version") not in range(1, VERSION + 1) or data.get("unit") != UNIT:
        raise InputError(f"a profile of another version; this program reads versions 1 to {VERSION}")
    if data["version"] < VERSION:
        data = {**data, "searches": _SECOND, "edits": {"dropped": [], **_fields(data["edits"], _OLD_EDITS, "edits")}}
    _fields(data, "format version unit settings edits searches interests documents", "the profile")
    names = "minsup delta min_share max_depth languages"
    if data["version"] == 1:
        settings = {**_fields(data["settings"], names, "settings"), **_FIRST}
    else:
        settings = _fields(data["settings"], f"{names} vocabulary names", "settings")
    if not isinstance(settings["names"], bool):
        raise InputError("settings.names must be true or false")
    edits = _fields(data["edits"], f"{_OLD_EDITS} dropped", "edits")
    renamed = edits["renamed"]
    if not isinstance(renamed, dict) or not all(isinstance(name, str) for name in renamed.values()):
        raise InputError("edits.renamed must map branches to names")
    root = _interest(data["interests"], "interests", 0)
    if root.terms or root.units != root.documents * UNIT or not 1 <= root.documents <= MOST_DOCUMENTS:
        raise InputError("the weight of the whole profile is not that of its documents")
    collection = None if data["documents"] is None else _collection(data["documents"])
    if collection is not None and len(collection) != root.documents:
        raise InputError("the profile counts other documents than it keeps")
    return Profile(
        root=root,
        settings=Settings(**{**settings, "languages": _texts(settings["languages"], "settings.languages")}),
        collection=collection,
        edits=Edits(
            hidden=_texts(edits["hidden"], "edits.hidden"),
            deleted=_texts(edits["deleted"], "edits.deleted"),
            dropped=_texts(edits["dropped"], "edits.dropped"),
            renamed=renamed,
        ),
        snippets=_snippets(data["searches"], "searches"),
    )


def _snippets(data: Any, place: str) -> Snippets:
    _fields(data, "texts counts kept", place)
    texts, counts = data["texts"], data["counts"]
    if type(texts) is not int or not isinstance(counts, dict) or not isinstance(data["kept"], bool):
        raise InputError(f"{place} must hold a number of texts, counts, and whether they are kept")
    if any(type(count) is not int or not 1 <= count <= texts for count in counts.values()):
        raise InputError(f"{place}.counts must be whole numbers, of at most as many as there are texts")
    return Snippets(texts, counts, data["kept"])


def _interest(data: Any, place: str, depth: int) -> Interest:
    if depth > _DEEPEST:
        raise InputError("interests are nested too deeply")
    _fields(data, "terms words units documents hidden name children", place)
    terms, words = _texts(data["terms"], f"{place}.terms"), _texts(data["words"], f"{place}.words")
    units, documents = data["units"], data["documents"]
    for name, number in (("units", units), ("documents", documents)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise InputError(f"{place}.{name} must be a whole number of 0 or more")
    if len(terms) != len(words) or bool(terms) != (depth > 0):
        raise InputError(f"{place}: every interest has terms, and a word for each; the root has none")
    if not isinstance(data["hidden"], bool) or not isinstance(data["name"], str | None):
        raise InputError(f"{place}: hidden must be true or false, name a text or null")
    if not isinstance(data["children"], list):
        raise InputError(f"{place}.children must be a list")
    children = tuple(_interest(child, f"{place}.{i}", depth + 1) for i, child in enumerate(data["children"]))
    if sum(child.units for child in children) > units:
        raise InputError(f"{place}: its children outweigh it")
    return Interest(
        terms=terms, words=words, units=units, documents=documents, children=children, name=data["name"],
        hidden=data["hidden"],
    )  # fmt: skip


def _collection(data: Any) -> Collection:
    usual = Snippets()
    if isinstance(data, dict) and "usual" in data:
        usual = _snippets(data["usual"], "documents.usual")
        data = {name: value for name, value in data.items() if name != "usual"}
    _fields(data, "terms forms names sources rows codes", "documents")
    labels = _texts(data["terms"], "documents.terms")
    forms = data["forms"]
    if not isinstance(forms, dict) or not all(isinstance(word, str) for word in forms.values()):
        raise InputError("documents.forms must map terms to words")
    rows, codes = _array(data["rows"], "<i8", "documents.rows"), _array(data["codes"], "<i4", "documents.codes")
    try:
        found = Transactions.from_arrays(rows, codes, labels)
    except UsageError as error:
        raise InputError(f"documents do not fit together: {error}") from None
    names, sources = _texts(data["names"], "documents.names"), _texts(data["sources"], "documents.sources")
    if len(names) not in (0, len(found)) or len(sources) not in (0, len(found)):
        raise InputError("documents.names and documents.sources must name each document")
    return Collection(data=found, forms=forms, names=names, sources=sources, usual=usual)


def _fields(data: Any, names: str, place: str) -> dict[str, Any]:
    if not isinstance(data, dict) or set(data) != set(names.split()):
        raise InputError(f"{place} must hold {', '.join(names.split())}, and nothing else")
    return data


def _texts(data: Any, place: str) -> tuple[str, ...]:
    if not isinstance(data, list) or not all(isinstance(text, str) for text in data):
        raise InputError(f"{place} must be a list of texts")
    return tuple(data)


def _array(data: Any, kind: str, place: str) -> Any:
    try:
        return np.frombuffer(base64.b64decode(data, validate=True), dtype=kind)
    except (TypeError, ValueError, binascii.Error):
        raise InputError(f"{place} cannot be read") from None


# -- sealing ------------------------------------------------------------------------------------------------------


def _head(salt: bytes, nonce: bytes, cost: int) -> dict[str, Any]:
    return {
        "format": SEALED,
        "version": _SEAL_VERSION,
        "key": {"from": "scrypt", "n": cost, "r": 8, "p": 1, "salt": base64.b64encode(salt).decode()},
        "cipher": {"name": "chacha20-poly1305", "nonce": base64.b64encode(nonce).decode()},
    }


def _key(passphrase: str, salt: bytes, cost: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=cost, r=8, p=1).derive(passphrase.encode())


def _sealed(text: bytes, passphrase: str) -> dict[str, Any]:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    salt, nonce = urandom(16), urandom(12)
    head = _head(salt, nonce, _COST)
    box = ChaCha20Poly1305(_key(passphrase, salt, _COST)).encrypt(nonce, text, canonical_json(head).encode())
    return {**head, "data": base64.b64encode(box).decode()}


def _opened(data: Mapping[str, Any], passphrase: str, source: Path) -> bytes:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    try:
        cost = data["key"]["n"]
        salt, nonce, box = (
            base64.b64decode(text, validate=True)
            for text in (data["key"]["salt"], data["cipher"]["nonce"], data["data"])
        )
        if not isinstance(cost, int) or not 2 <= cost <= _MOST_COST or cost & (cost - 1) or len(nonce) != 12:
            raise ValueError
        head = _head(salt, nonce, cost)
        if {name: value for name, value in data.items() if name != "data"} != head:
            raise ValueError
    except (KeyError, TypeError, ValueError, binascii.Error):
        raise InputError("is not an encrypted profile as this program writes it", source=source) from None
    try:
        return ChaCha20Poly1305(_key(passphrase, salt, cost)).decrypt(nonce, box, canonical_json(head).encode())
    except InvalidTag:
        raise InputError("another passphrase, or a changed file: it cannot be opened", source=source) from None
