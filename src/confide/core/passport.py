"""The passport of a release: what it claims, in JSON, without a single personal value.

Roles of columns and labels of private items are in it, since a verifier needs them. `sha256` ties it to one file; an
optional Ed25519 signature ties it to the holder of the key. The JSON Schema of this format is
`passport.schema.json` beside this file.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from confide.core.artefacts.names import FileName, KindName, check_file_name
from confide.core.errors import InputError, UsageError, VerificationError
from confide.core.figures import Figure, Figures, Unit
from confide.core.files import read_bytes, read_regular, write_text
from confide.core.json_text import canonical_json, check_json_size, faults_of, read_json
from confide.core.requirements import Requirement
from confide.core.requirements.base import PassportWords
from confide.core.requirements.version_2 import version_2_words
from confide.core.runtime.lazy import call
from confide.core.runtime.memory import MemoryBudget
from confide.core.stages import usual_artefact

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["Artefact", "Passport", "Signature", "versions"]

FORMAT: Final = "confide-passport"
VERSION: Final = 3
READABLE = (2, VERSION)  # version 2 is verified by its own frozen sentences
LARGEST_PASSPORT = 64 << 20  # a list of private labels may be long; a passport is still not a dataset
LONGEST_HEADLINE = 500


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Artefact(_Part):
    """The file a passport is about. `type` says how to load it; `format` which of the type's formats it is in."""

    name: FileName
    type: KindName
    format: str | None = None
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    bytes: int = Field(ge=0)


class Signature(_Part):
    """Ed25519 over the canonical JSON of everything else."""

    algorithm: Literal["Ed25519"] = "Ed25519"
    public_key: str = Field(pattern=r"^[A-Za-z0-9+/]{43}=$")
    value: str = Field(pattern=r"^[A-Za-z0-9+/]{86}==$")


class Passport(_Part):
    """Claims about one release, and what is needed to check them.

    `context` holds what the verifier needs in addition to the artefact (roles of columns, labels of private items, a
    scheme). `loss` says what the release cost, in numbers, and `units` what each number is, so that the figures can be
    shown from the passport alone. `headline` sums it up in the issuer's own sentence; no verifier vouches for it.
    `randomness` says how it was drawn ("none", "system", or "seeded", which protects nobody). `artefact` is absent
    until the release is written.
    """

    format: Literal["confide-passport"] = FORMAT
    version: Literal[2, 3] = VERSION
    stage: str
    algorithm: str
    requirement: dict[str, Any]
    parameters: dict[str, Any] = {}
    context: dict[str, Any] = {}
    promise: str
    protects_against: tuple[str, ...]
    does_not_protect_against: tuple[str, ...]
    headline: str = Field(default="", max_length=LONGEST_HEADLINE)
    loss: dict[str, Any] = {}
    units: dict[str, Unit | dict[str, Unit]] = {}
    randomness: dict[str, Any] = {"source": "none"}
    versions: dict[str, str] = {}
    created: str = ""
    artefact: Artefact | None = None
    signature: Signature | None = None

    def _repr_html_(self) -> str:
        """For notebooks: what is claimed, of what, and whom that does not stop."""
        said: dict[str, Any] = {"stage": self.stage, "made by": self.algorithm, "created": self.created}
        said |= {"file": "not written yet" if self.artefact is None else self.artefact.name}
        said |= {"signed": self.signature is not None}
        limits = [{"does not stop": limit} for limit in self.does_not_protect_against]
        return str(call("confide.report.notebook:facts_html", "Passport", said | {"limits": limits}, self.promise))

    @classmethod
    def issue(
        cls,
        requirement: Requirement,
        *,
        stage: str,
        algorithm: str,
        parameters: Mapping[str, Any] | None = None,
        context: Mapping[str, Any] | None = None,
        loss: Figures | None = None,
        headline: str = "",
        randomness: Mapping[str, Any] | None = None,
        caveats: tuple[str, ...] = (),
        artefact: str | None = None,
    ) -> "Passport":
        """A passport with the texts and versions filled in; `caveats` join what is not protected against.

        `artefact` is the kind of file to come, which decides the words: those of a table or of a tree.
        """
        words = requirement.words(artefact or usual_artefact(stage), context or {})
        return cls(
            stage=stage,
            algorithm=algorithm,
            requirement=requirement.to_dict(),
            parameters=dict(parameters or {}),
            context=dict(context or {}),
            promise=words.promise,
            protects_against=words.stops,
            does_not_protect_against=tuple(dict.fromkeys((*words.does_not_stop, *caveats))),
            headline=headline,
            loss=dict(loss or {}),
            units=loss.units if loss else {},
            randomness=dict(randomness or {"source": "none"}),
            versions=versions(),
            created=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    def words_of(self, requirement: Requirement) -> PassportWords:
        """What a passport of this version says of a requirement, for a release like this one."""
        if self.version == 2:
            return version_2_words(requirement, self.stage, self.context)
        return requirement.words(self.kind_of_file, self.context)

    def unknown_caveats(self, requirement: Requirement, found: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Limits that it names and nobody knows: not the requirement's, of no closed list, and not `found` true."""
        known = {*self.words_of(requirement).does_not_stop, *found}
        more = (text for text in self.does_not_protect_against if text not in known)
        return tuple(text for text in more if not requirement.knows_caveat(text))

    @property
    def figures(self) -> Figures:
        """The loss with its units, or an error where a figure cannot have its unit."""
        return Figures(*(Figure(name, value, self.units.get(name, "text")) for name, value in self.loss.items()))

    @property
    def kind_of_file(self) -> str:
        """The type of the artefact; before it is written, the one that its stage mostly releases."""
        return self.artefact.type if self.artefact else usual_artefact(self.stage)

    # -- JSON -----------------------------------------------------------------------------------------------------

    def to_json(self) -> str:
        """Indented JSON, ending in a newline."""
        return json.dumps(self.model_dump(mode="json"), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str | bytes | bytearray, *, source: object = None) -> "Passport":
        """Read and check a passport; every fault is named in one line."""
        plain = read_json(
            text, what="a valid passport", source=source
        )  # pydantic would take the last of two equal keys
        if isinstance(plain, dict) and plain.get("format") == FORMAT and plain.get("version") not in READABLE:
            known = " and ".join(map(str, READABLE))
            raise InputError(
                f"is a passport of version {str(plain.get('version'))[:20]!r}; this Confide reads versions {known}: "
                "release the data again, or verify with the Confide that wrote it",
                source=source,
            )
        try:
            passport = cls.model_validate_json(text)
        except ValidationError as error:
            raise InputError(f"not a valid passport ({faults_of(error, whole='passport')})", source=source) from None
        try:
            passport.figures  # noqa: B018 - each figure must fit its unit
        except UsageError as error:
            raise InputError(f"not a valid passport ({error})", source=source) from None
        except OverflowError:
            raise InputError("not a valid passport (a figure is beyond all numbers)", source=source) from None
        Requirement.from_dict(passport.requirement)
        return passport

    @classmethod
    def read(cls, path: str | PathLike[str]) -> "Passport":
        """Read a passport file."""
        text = read_bytes(path, max_bytes=LARGEST_PASSPORT)
        check_json_size(text, MemoryBudget.for_file(len(text)), source=path)
        return cls.from_json(text, source=path)

    def write(self, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Write a passport file, atomically."""
        write_text(path, self.to_json(), replace=replace)

    # -- ties -----------------------------------------------------------------------------------------------------

    def for_artefact(self, path: str | PathLike[str], *, type: str, format: str | None = None) -> "Passport":
        """The same passport tied to this file. A signature, which covered something else, is dropped."""
        return self.for_bytes(read_regular(path), Path(path).name, type=type, format=format)

    def for_bytes(self, data: bytes, name: str, *, type: str, format: str | None = None) -> "Passport":
        """The same passport tied to a file of this name and content."""
        check_file_name(name)
        digest = hashlib.sha256(data).hexdigest()
        artefact = Artefact.model_validate(
            {"name": name, "type": type, "format": format, "sha256": digest, "bytes": len(data)}
        )
        return self.model_copy(update={"artefact": artefact, "signature": None})

    def signed_bytes(self) -> bytes:
        """What a signature covers: canonical JSON (keys sorted, no blanks) of everything but the signature."""
        data = self.model_dump(mode="json", exclude={"signature"})
        return canonical_json(data).encode()

    def sign(self, key: "Ed25519PrivateKey") -> "Passport":
        """The same passport, signed."""
        public = base64.b64encode(key.public_key().public_bytes_raw()).decode()
        value = base64.b64encode(key.sign(self.signed_bytes())).decode()
        return self.model_copy(update={"signature": Signature(public_key=public, value=value)})

    def check_signature(self, trusted: "Ed25519PublicKey | None" = None) -> str:
        """The signer's public key (base64), if the signature holds and, where `trusted` is given, is by that key."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        if self.signature is None:
            raise VerificationError("the passport is not signed")
        raw = base64.b64decode(self.signature.public_key)
        if trusted is not None and trusted.public_bytes_raw() != raw:
            raise VerificationError("the passport is signed by another key than the one you trust")
        try:
            Ed25519PublicKey.from_public_bytes(raw).verify(base64.b64decode(self.signature.value), self.signed_bytes())
        except (InvalidSignature, ValueError):
            raise VerificationError("the signature does not fit the passport: it was changed after signing") from None
        return self.signature.public_key


def versions() -> dict[str, str]:
    """The software a release was made with."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in ("confide", "numpy", "numba", "pyarrow"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a plain source tree
            found[package] = "unknown"
    return found
