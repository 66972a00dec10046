"""The jobs `sample baskets|quest|people|documents|chain`: invented data, the same everywhere for the same seed."""

from dataclasses import dataclass
from pathlib import Path

from confide.core.jobs.catalogue import Job
from confide.core.jobs.delivery import Delivery, FileOnly
from confide.core.jobs.fields import setting, source
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.core.jobs.request import Request

__all__ = [
    "GROUPS",
    "JOBS",
    "SampleBaskets",
    "SampleChain",
    "SampleDocuments",
    "SampleFolder",
    "SamplePeople",
    "SampleQuest",
]


@dataclass(frozen=True, kw_only=True)
class SampleFolder(Delivery):
    """Several files go into a folder, which is made if it is not there."""

    folder: Path = source(help="The folder to write into.", metavar="DIR")
    replace: bool = setting(False, help="Overwrite files that exist.")


@dataclass(frozen=True, kw_only=True)
class _Invention(Request):
    seed: int = setting(1, ge=0, help="Which invention.")


@dataclass(frozen=True, kw_only=True)
class SampleBaskets(_Invention):
    """A shop's baskets, with private items marked by the prefix `s:` (.dat, .csv, .jsonl, .parquet)."""

    records: int = setting(2000, ge=1, le=10_000_000, help="How many baskets.")


def sample_baskets(request: SampleBaskets, host: Host = QUIET) -> Outcome:
    """Invent baskets; `Transactions`."""
    from confide.core.samples.invented_baskets import baskets

    shop = baskets(request.records, seed=request.seed)
    return Outcome(answer=shop, summary=f"{len(shop):,} baskets over {shop.n_items:,} items")


@dataclass(frozen=True, kw_only=True)
class SampleQuest(_Invention):
    """Baskets of the IBM Quest generator; NAME such as T10I4D100K says length, pattern length and number.

    Without a suffix, -o names a new folder of Parquet files: as many baskets as the disk holds.
    """

    name: str = source(help="What to generate, such as T10I4D10K.", metavar="NAME")


def sample_quest(request: SampleQuest, host: Host = QUIET) -> Outcome:
    """Generate baskets, in memory (`Transactions`) or, for a folder, part by part."""
    from confide.core.samples.quest import quest, write_quest

    if host.output is not None and not host.output.suffix:
        return Outcome(
            save=lambda folder, replace: (
                f"{write_quest(request.name, folder, seed=request.seed):,} baskets written to the folder {folder}"
            )
        )
    shop = quest(request.name, seed=request.seed)
    return Outcome(answer=shop, summary=f"{len(shop):,} baskets over {shop.n_items:,} items")


@dataclass(frozen=True, kw_only=True)
class SamplePeople(_Invention):
    """A registry of invented people (.csv, .parquet), its schema and hierarchies beside it."""

    rows: int = setting(1000, ge=1, le=10_000_000, help="How many people.")


def sample_people(request: SamplePeople, host: Host = QUIET) -> Outcome:
    """Invent people; a table."""
    from confide.core.samples.people import people
    from confide.core.samples.people_files import write_people

    def save(path: Path, replace: bool) -> str:
        schema = write_people(path, request.rows, seed=request.seed, replace=replace)
        return f"{request.rows:,} people written to {path}, their schema to {schema}"

    return Outcome(answer=None if host.output else people(request.rows, seed=request.seed), save=save)


@dataclass(frozen=True, kw_only=True)
class SampleDocuments(_Invention):
    """Notes of an invented person, a text file each, in DIR: to build a profile from."""

    texts: int = setting(300, ge=1, le=100_000, help="How many notes.")


def sample_documents(request: SampleDocuments, host: Host = QUIET) -> Outcome:
    """Invent notes; a list of texts."""
    from confide.core.files import write_text
    from confide.core.samples.invented_documents import documents

    notes = list(documents(request.texts, seed=request.seed))

    def save(folder: Path, replace: bool) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(notes):
            write_text(folder / f"note-{number:05}.txt", text + "\n", replace=replace)
        return f"{len(notes):,} notes written to {folder}"

    return Outcome(answer=notes, files={"folder": save})


@dataclass(frozen=True, kw_only=True)
class SampleChain(_Invention):
    """Tables that join in a chain, each with its site.toml, and a join.toml: a trial of confide join, in DIR.

    Certificates are expected in DIR/keys, from confide join keys. ids.csv names some joined records by row number;
    T1-held-out.csv and so on hold other records, to try a tree on.
    """

    tables: int = setting(2, ge=2, le=100, help="Tables T1, T2, ... of a chain.")
    rows: int = setting(200, ge=2, le=10_000_000, help="Records of each.")
    depth: int = setting(4, ge=1, help="Of the tree to grow.")
    port: int = setting(7001, ge=1, le=65000, help="First port of the sites.")


def sample_chain(request: SampleChain, host: Host = QUIET) -> Outcome:
    """Invent tables that join; `Chain`."""
    from confide.core.files import write_text
    from confide.core.samples.chain import chain_tables
    from confide.core.samples.chain_sites import chain_files
    from confide.core.tables.frames import write_table

    chain = chain_tables(request.tables, rows=request.rows, seed=request.seed)
    held_out = chain_tables(request.tables, rows=request.rows, seed=request.seed + 1)  # independent of the others

    def save(folder: Path, replace: bool) -> str:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in chain.tables.items():
            write_table(table, folder / f"{name}.csv", replace=replace)
        for name, table in held_out.tables.items():
            write_table(table, folder / f"{name}-held-out.csv", replace=replace)
        for name, text in chain_files(chain, depth=request.depth, port=request.port, held_out=True).items():
            write_text(folder / name, text, replace=replace)
        names = " ".join(f"--site {name}" for name in chain.tables)
        return (
            f"{request.tables} tables of {request.rows:,} records and their configurations written to {folder}\n"
            f"next: confide join keys {folder / 'keys'} {names} --coordinator registry"
        )

    return Outcome(answer=chain, files={"folder": save})


GROUPS = {"sample": "Write invented data to try things on. Nobody in it exists."}

JOBS = (
    Job(
        name="sample baskets",
        request=SampleBaskets,
        at="confide.cli.jobs.sample:sample_baskets",
        delivery=FileOnly,
        examples=("confide sample baskets -o baskets.csv --records 5000",),
    ),
    Job(
        name="sample quest",
        request=SampleQuest,
        at="confide.cli.jobs.sample:sample_quest",
        delivery=FileOnly,
        examples=("confide sample quest T10I4D10K -o T10I4D10K.dat",),
    ),
    Job(
        name="sample people",
        request=SamplePeople,
        at="confide.cli.jobs.sample:sample_people",
        delivery=FileOnly,
        examples=("confide sample people -o people.csv --rows 500",),
    ),
    Job(
        name="sample documents",
        request=SampleDocuments,
        at="confide.cli.jobs.sample:sample_documents",
        delivery=SampleFolder,
        examples=("confide sample documents notes",),
    ),
    Job(
        name="sample chain",
        request=SampleChain,
        at="confide.cli.jobs.sample:sample_chain",
        delivery=SampleFolder,
        examples=("confide sample chain trial --tables 3 --rows 200",),
    ),
)
