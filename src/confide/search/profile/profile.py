"""A person's profile: built from documents, looked at, edited, and exposed only as far as its owner says.

    documents --> Profile.build --> .hide .rename .delete .forget (each gives a new profile) --> .expose(min_detail=)
                                                                                             --> .release(...)

The profile stays on the machine. What may leave it is an `ExposedProfile`; see `confide.search.exposed`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from html import escape
from itertools import islice
from os import PathLike
from typing import Any, Literal, get_args

from confide.core.errors import InputError, RequirementError, UsageError
from confide.core.numbers import python_number
from confide.core.release import OwnerPart, Release
from confide.core.requirements import Exposure
from confide.core.requirements.base import check_count, exact, is_number
from confide.core.transactions.support import support_count
from confide.search.evidence.background import language_background
from confide.search.evidence.informative import keep_informative
from confide.search.evidence.snippets import Snippets
from confide.search.profile.branches import find, lasting_names, named
from confide.search.profile.documents import Collection, collect_documents
from confide.search.profile.edits import Edits, edited
from confide.search.profile.exposing import Exposed, expose
from confide.search.profile.growth import ProfileThresholds, grow
from confide.search.profile.interests import MOST_DOCUMENTS, Interest
from confide.search.words import Words

__all__ = ["Profile", "Settings", "Vocabulary", "exposure_ratio"]

Vocabulary = Literal["informative", "all"]
"""Which terms of a text may become interests: those that stand out, or all, as the thesis has it."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a profile is built; see `Profile.build`."""

    minsup: int | float = 5
    delta: float = 0.6
    min_share: float = 0.001
    max_depth: int = 8
    languages: tuple[str, ...] = ("english",)
    vocabulary: Vocabulary = "informative"
    names: bool = False

    def __post_init__(self) -> None:
        support_count(self.minsup, 1)
        if self.vocabulary not in get_args(Vocabulary):
            raise RequirementError(
                f"vocabulary={self.vocabulary!r} is none of: {', '.join(get_args(Vocabulary))}",
                parameter="vocabulary",
                value=self.vocabulary,
            )
        if not is_number(self.delta) or not 0 < self.delta < 1:
            raise RequirementError(
                f"delta={self.delta} is not between 0 and 1; 0.6 is usual", parameter="delta", value=self.delta
            )
        if not is_number(self.min_share) or not 0 <= self.min_share <= 1:
            raise RequirementError(
                f"min_share={self.min_share} is not a share; use a number from 0 to 1",
                parameter="min_share",
                value=self.min_share,
            )
        check_count("max_depth", self.max_depth, least=1, why="leaves no interests")
        if self.max_depth > 50:
            raise RequirementError(
                f"max_depth={self.max_depth} is deeper than any profile; use at most 50",
                parameter="max_depth",
                value=self.max_depth,
            )

    def growth(self, documents: int) -> ProfileThresholds:
        """The thresholds for so many documents."""
        return ProfileThresholds(
            minsup=support_count(self.minsup, documents),
            delta=exact(self.delta),
            min_share=exact(self.min_share),
            max_depth=int(self.max_depth),
        )


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Profile:
    """A hierarchy of interests with their weights, heaviest first; it and its documents never leave the machine.

    >>> from confide.core.samples import figure_30
    >>> profile = Profile.build(figure_30(), minsup=2, delta=0.6)
    >>> print(profile)
    research 5
      personalized/search 3
      AI 2
    sports 3.5
      soccer 2
    sex 1.5
    >>> exposed = profile.expose(min_detail=0.3)
    >>> print(*exposed.pairs, round(exposed.exp_ratio, 3))
    <research, 0.301> <personalized/search, 0.523> <sports, 0.456> 0.848
    >>> round(profile.expose(min_detail=0.3, hide=["sports"]).exp_ratio, 3)
    0.654
    """

    root: Interest
    settings: Settings
    collection: Collection | None = None
    edits: Edits = field(default_factory=Edits)
    snippets: Snippets = field(default_factory=Snippets)

    @classmethod
    def build(
        cls,
        documents: Any,
        *,
        minsup: int | float = 5,
        delta: float = 0.6,
        min_share: float = 0.001,
        max_depth: int = 8,
        languages: Iterable[str] = ("english",),
        vocabulary: Vocabulary = "informative",
        names: bool = False,
        index: object = None,
    ) -> "Profile":
        """Build a profile from texts, lists of terms, or whatever `confide.search.profile.documents` takes.

        A term becomes an interest if at least `minsup` documents hold it (a count, or a share of the documents);
        larger: fewer interests. Two terms are one interest, or one belongs under the other, if they overlap by more
        than `delta`; larger: fewer do, so the tree is flatter. A node is split only while it has `min_share` of all
        documents, and down to `max_depth`: without such a rule ordinary texts make millions of nodes. `languages`
        names those the texts are written in. Of texts, terms become interests that are surely more common than in
        ordinary texts of these languages, at most ten of a document; `vocabulary="all"` takes every term, as the
        thesis does. With an `index` (`LocalIndex`) its texts, too, say what is ordinary. `names=True` lets names in a
        message's From, To and Cc count as words. Takes seconds for 100,000 documents of 50 terms.
        """
        settings = Settings(
            minsup=python_number(minsup), delta=python_number(delta), min_share=python_number(min_share),
            max_depth=python_number(max_depth), languages=tuple(languages), vocabulary=vocabulary, names=names,
        )  # fmt: skip
        collection = collect_documents(documents, Words(settings.languages), names=names)
        return cls._grown(collection if index is None else collection.beside(index), settings, Edits())

    @classmethod
    def _grown(
        cls, collection: Collection, settings: Settings, edits: Edits, snippets: Snippets | None = None
    ) -> "Profile":
        if not (n := len(collection)):
            raise InputError("there are no documents to build a profile from")
        if n > MOST_DOCUMENTS:
            raise InputError(f"{n:,} documents are more than the {MOST_DOCUMENTS:,} a profile can count")
        growth = settings.growth(n)
        if growth.minsup > n:
            raise InputError(f"minsup={growth.minsup:,} is more than the {n:,} documents there are; use a smaller one")
        data = collection.data
        if settings.vocabulary == "informative" and collection.forms:  # lists of terms are taken as they are
            ground = collection.usual.beside(language_background(settings.languages))
            data = keep_informative(data, ground, minsup=growth.minsup)
        tree = _with_words(grow(data, growth), collection)
        if edits != Edits():
            tree = edited(tree, edits)
        if not tree.children and not (edits.deleted or edits.dropped):
            raise InputError(
                f"no term is in {growth.minsup:,} or more of the {n:,} documents and stands out in them; use more "
                "documents, a smaller minsup, or vocabulary='all'"
            )
        return cls(root=tree, settings=settings, collection=collection, edits=edits, snippets=snippets or Snippets())

    # -- looking --------------------------------------------------------------------------------------------------

    @property
    def n_documents(self) -> int:
        """|D|: the documents the profile was built from."""
        return self.root.documents

    def __len__(self) -> int:
        return sum(1 for _ in self.root.walk()) - 1

    def __repr__(self) -> str:
        return f"<Profile of {self.n_documents:,} documents, {len(self):,} interests>"

    def _repr_html_(self) -> str:
        """For notebooks: what `print` shows. Every interest is the owner's; nothing is exposed yet."""
        return f"<p>{escape(repr(self))}</p><pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        def lines(interest: Interest, depth: int) -> Iterable[str]:
            for child in interest.children:
                mark = " (hidden)" if child.hidden else ""
                yield f"{'  ' * depth}{child.label} {round(child.support, 3):g}{mark}"
                yield from lines(child, depth + 1)

        first = list(islice(lines(self.root, 0), 10))  # `confide search profile show` shows them all
        more = len(self) - len(first)
        return "\n".join([*first, f"... and {more:,} more"] if more else first)

    # -- exposing -------------------------------------------------------------------------------------------------

    def expose(
        self, *, min_detail: float, hide: Iterable[str] = (), query: str | None = None, verify: bool = True
    ) -> Exposed:
        """What a search wrapper would get: interests that make up at least `min_detail` of the documents.

        A larger `min_detail` exposes less. `hide` names branches that stay here whatever their weight (beside those
        hidden in the profile). With `query`, only branches related to it are exposed. What would be sent is checked
        against the profile by the auditor; `verify=False` is for previews that are not sent.
        """
        requirement = Exposure(min_detail=min_detail)
        names = _names(hide)
        for name in names:
            find(self.root, name)
        related = None
        if query is not None:
            from confide.search.profile.relations import related_to

            related = related_to(self.root, self.collection, query, self.settings.languages, min_detail=min_detail)
        made = expose(self.root, requirement, hide=[named(name) for name in names], related=related, hidden=names)
        if verify:
            self._issue(made, query=query)
        return made

    def release(
        self, *, min_detail: float, hide: Iterable[str] = (), query: str | None = None
    ) -> Release[dict[str, Any]]:
        """The exposed part as a release: a file to hand out, and a passport that its owner can verify."""
        from confide.search.profile.exposure_release import owner_part

        exposed = self.expose(min_detail=min_detail, hide=hide, query=query, verify=False)
        return self._issue(exposed, query=query, owner=owner_part(self.root, exposed))

    def _issue(self, exposed: Exposed, *, query: str | None, owner: OwnerPart | None = None) -> Release[dict[str, Any]]:
        from confide.search.profile.exposure_release import issue

        return issue(exposed, self.evidence(hide=exposed.hidden), by_query=query is not None, owner=owner)

    def evidence(self, *, hide: Iterable[str] = ()) -> dict[str, Any]:
        """What the owner shows the auditor, and nobody else: the tree, and what was to be hidden in it."""
        from confide.search.profile.profile_file import tree_to_dict

        places = [find(self.root, name) for name in _names(hide)]
        hidden = {id(interest) for found in places for interest, _ in found}
        return {"interests": tree_to_dict(self.root, hidden=hidden)}

    # -- editing: each gives a new profile ------------------------------------------------------------------------

    def hide(self, branch: str) -> "Profile":
        """The branch, and all below it, never leaves the machine, whatever minDetail is."""
        return self._edited(replace(self.edits, hidden=_joined(self.edits.hidden, lasting_names(self.root, branch))))

    def show(self, branch: str) -> "Profile":
        """Take back `hide`."""
        names = lasting_names(self.root, branch)
        if not set(names) & set(self.edits.hidden):
            raise UsageError(f"{branch!r} is not hidden by itself; hidden: {', '.join(self.edits.hidden) or 'nothing'}")
        return self._edited(replace(self.edits, hidden=tuple(n for n in self.edits.hidden if n not in names)))

    def rename(self, branch: str, name: str) -> "Profile":
        """Call a branch otherwise; its owner alone sees the name. Words that are sent stay as they are."""
        if not name.strip() or len(name) > 200:
            raise UsageError(f"a name has 1 to 200 characters, not {len(name)}")
        given = dict.fromkeys(lasting_names(self.root, branch), name.strip())
        return self._edited(replace(self.edits, renamed={**self.edits.renamed, **given}))

    def delete(self, branch: str) -> "Profile":
        """Take a branch out of the profile for good; its weight goes to the "others" of its parent.

        The documents behind it stay; `forget` takes those.
        """
        return self._edited(replace(self.edits, deleted=_joined(self.edits.deleted, lasting_names(self.root, branch))))

    def drop(self, word: str) -> "Profile":
        """Take a word out for good: it orders nothing, and interests of no other word go with all below them.

        The documents that hold it stay.
        """
        stems = {stem for form in Words(self.settings.languages).stems_of(word) for stem in form}
        known = {term for interest in self.root.walk() for term in interest.terms}
        if self.collection is not None:
            known |= set(self.collection.data.labels)
        terms = tuple(sorted((stems | {word}) & known))
        if not terms:
            raise InputError("the profile does not hold this word")
        return self._edited(replace(self.edits, dropped=_joined(self.edits.dropped, terms)))

    def remember(self, texts: Iterable[str]) -> "Profile":
        """Count the terms of snippets that a search brought, as a background of what engines return."""
        return replace(self, snippets=self.snippets.with_texts(texts, Words(self.settings.languages)))

    def keep_searches(self) -> "Profile":
        """Count what later searches bring, beside what is there."""
        return replace(self, snippets=replace(self.snippets, kept=True))

    def forget_searches(self, *, keep: bool | None = None) -> "Profile":
        """Forget what earlier searches brought; `keep` says whether that of later ones is kept."""
        return replace(self, snippets=self.snippets.without(kept=keep))

    def _edited(self, edits: Edits) -> "Profile":
        return replace(self, root=edited(self.root, edits), edits=edits)

    def changed(
        self,
        *,
        forget: Iterable[str] = (),
        delete: Iterable[str] = (),
        rename: Iterable[tuple[str, str]] = (),
        show: Iterable[str] = (),
        hide: Iterable[str] = (),
        drop: Iterable[str] = (),
    ) -> "Profile":
        """Several changes, in the order of these arguments, so that a branch is called by the name it has then."""
        profile = self
        for name in forget:
            profile = profile.forget(name)
        for branch in delete:
            profile = profile.delete(branch)
        for branch, name in rename:
            profile = profile.rename(branch, name)
        for branch in show:
            profile = profile.show(branch)
        for branch in hide:
            profile = profile.hide(branch)
        for word in drop:
            profile = profile.drop(word)
        return profile

    def forget(self, name: str) -> "Profile":
        """Build the profile again without the documents of this name, with the same settings and edits."""
        if self.collection is None:
            raise InputError("this profile keeps no documents, so none can be forgotten; build it again")
        found = [i for i, known in enumerate(self.collection.names) if known == name]
        if not found:
            raise InputError("the profile has no document of this name; show it with its documents to see their names")
        return self._grown(self.collection.without(found), self.settings, self.edits, self.snippets)

    def without_documents(self) -> "Profile":
        """The tree alone: a smaller file, from which no document can be read or forgotten."""
        return replace(self, collection=None)

    # -- keeping --------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str], *, passphrase: str | None = None, replace: bool = False) -> None:
        """Write the profile to a file that its owner alone can read; with a passphrase it is encrypted."""
        from confide.search.profile.profile_file import write_profile

        write_profile(self, path, passphrase=passphrase, replace=replace)

    @classmethod
    def read(cls, path: str | PathLike[str], *, passphrase: str | None = None) -> "Profile":
        """Read back what `save` wrote."""
        from confide.search.profile.profile_file import read_profile

        return read_profile(path, passphrase=passphrase)

    def export(self) -> dict[str, Any]:
        """The tree as plain data for other programs: labels, supports and self-information, without documents."""
        from confide.search.entropy import self_information

        def plain(interest: Interest) -> dict[str, Any]:
            return {
                "label": interest.label,
                "words": list(interest.words),
                "support": interest.support,
                "share": interest.units / self.root.units,
                "self_information": self_information(interest.units, self.root.units),
                "documents": interest.documents,
                "hidden": interest.hidden,
                "children": [plain(child) for child in interest.children],
            }

        return {"documents": self.n_documents, "interests": [plain(child) for child in self.root.children]}


def exposure_ratio(profile: Profile, *, min_detail: float, hide: Iterable[str] = ()) -> float:
    """expRatio: how much of a profile is exposed at `min_detail`, from 0 (nothing) to 1 (everything).

    >>> from confide.core.samples import figure_30
    >>> profile = Profile.build(figure_30(), minsup=2, delta=0.6)
    >>> round(exposure_ratio(profile, min_detail=0.3), 3), exposure_ratio(profile, min_detail=0)
    (0.848, 1.0)
    """
    return profile.expose(min_detail=min_detail, hide=hide, verify=False).exp_ratio


def _names(hide: Iterable[str]) -> tuple[str, ...]:
    if isinstance(hide, str):
        raise RequirementError("hide= is a list of branches", parameter="hide")
    return tuple(hide)


def _joined(known: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *names)))


def _with_words(tree: Interest, collection: Collection) -> Interest:
    """Give every term the word it is shown as."""
    forms = collection.forms
    words = tuple(forms.get(term, term) for term in tree.terms)
    return replace(tree, words=words, children=tuple(_with_words(child, collection) for child in tree.children))
