"""`site.toml` and `join.toml`: what a site's owner and the coordinator write down. All faults are reported at once.

site.toml, at a site                             join.toml, at the coordinator
--------------------------------------           ----------------------------------------------
name = "hospital"                                name = "registry"
listen = "127.0.0.1:7001"                        target = "hospital"
coordinator = "registry"                         edges = [["hospital", "insurer"]]
state = "hospital-state"                         state = "registry-state"

[table]                                          [sites.hospital]        # order breaks ties
file = "hospital.csv"                            address = "127.0.0.1:7001"
types = { age = "integer" }                      config = "hospital.toml"   # simulate only
class = "readmitted"      # target only
                                                 [sites.insurer]
[neighbours.insurer]                             address = "127.0.0.1:7002"
address = "127.0.0.1:7002"                       config = "insurer.toml"
on = ["patient"]
                                                 [tree]
[policy]                                         max_depth = 6
forbid = ["name"]
min_records = 1                                  [tls]
                                                 ca = "keys/ca.pem"
[tls]                                            certificate = "keys/registry.pem"
ca = "keys/ca.pem"                               key = "keys/registry.key"
certificate = "keys/hospital.pem"
key = "keys/hospital.key"

Paths are taken from the folder of the file they stand in. The coordinator's file names no column: which columns join
is each site's own affair. Instead of `[policy]` a site may say `policy_file = "policy.toml"`, kept by other hands.
"""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from confide.core.errors import ConfideError, InputError, UsageError
from confide.core.files import read_toml
from confide.core.json_text import faults_of
from confide.core.tables.reading import PLAIN, Reading
from confide.join.protocol.party_names import NAME
from confide.join.protocol.policy import Policy

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "File",
    "JoinConfig",
    "NeighbourConfig",
    "SiteConfig",
    "SourceConfig",
    "TableConfig",
    "TlsConfig",
    "TreeConfig",
]

M = TypeVar("M", bound=BaseModel)

File = str | PathLike[str]
PartyName = Annotated[str, Field(pattern=NAME)]


def _address(text: str) -> str:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError("must be HOST:PORT")
    return text


Address = Annotated[str, AfterValidator(_address)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class TlsConfig(_Section):
    """PEM files: the common authority, the party's certificate (its first name is the party's) and private key."""

    ca: str
    certificate: str
    key: str


class SourceConfig(_Section):
    """Where a private table comes from.

    One of `file` (CSV, Parquet, or .xlsx with `table` for a sheet that is not the first), `duckdb` (a database file,
    with `query` or `table`) and `postgres` (an address, with `query` or `table`; `postgres_env` names an environment
    variable that holds it): see `sources.load_table`. A column of a CSV file is numbers if all its cells are, unless it
    joins or has a special role; `types` says otherwise ("text", "integer", "number" or "date").
    """

    file: str | None = None
    duckdb: str | None = None
    postgres: str | None = None
    postgres_env: str | None = None
    query: str | None = None
    table: str | None = None
    types: dict[str, str] = {}

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [name for name in ("file", "duckdb", "postgres", "postgres_env") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of file, duckdb, postgres and postgres_env")
        asks = [name for name in ("query", "table") if getattr(self, name) is not None]
        if given == ["file"] and asks and (asks != ["table"] or not str(self.file).lower().endswith(".xlsx")):
            raise ValueError(f"a file has no {asks[0]}")
        if given != ["file"] and len(asks) != 1:
            raise ValueError(f"{given[0]} needs either query or table")
        return self


class TableConfig(SourceConfig):
    """The private table: where it comes from, and what is special about its columns.

    `class` is the class column; `categorical` columns of numbers are only labels; `id` is the column predictions name
    records by.
    """

    class_column: str | None = Field(default=None, alias="class")
    categorical: list[str] = []
    id: str | None = None


class NeighbourConfig(_Section):
    """A table this one joins: where its site is, and the own columns that join it, in the agreed order."""

    address: Address
    on: list[str] = Field(min_length=1)


class SiteConfig(_Section):
    """One site: its table, whom it joins, whose orders it takes, what it allows.

    Without a table it is a helper, which takes part in hidden comparisons and nothing else.
    """

    name: PartyName
    listen: Address
    coordinator: PartyName
    state: str = ""
    table: TableConfig | None = None
    held_out: SourceConfig | None = None
    neighbours: dict[PartyName, NeighbourConfig] = {}
    tls: TlsConfig | None = None
    policy: Policy | None = None
    policy_file: str | None = None
    step_deadline: float = Field(default=600.0, gt=0)
    folder: Path = Path()

    @model_validator(mode="after")
    def _fits(self) -> "SiteConfig":
        if self.name in self.neighbours:
            raise ValueError("a site cannot be its own neighbour")
        if (self.table is None) != (not self.neighbours):
            raise ValueError("a site has a [table] and [neighbours]; a helper has neither")
        if self.table is None and self.held_out is not None:
            raise ValueError("[held_out] is for a site with a [table]")
        if self.table is not None and not self.state:
            raise ValueError("state is missing: a site keeps its splits and its ledger in that folder")
        if self.policy is not None and self.policy_file is not None:
            raise ValueError("give either [policy] or policy_file")
        return self

    @classmethod
    def read(cls, path: File) -> "SiteConfig":
        """Read site.toml."""
        return _read(cls, Path(path))

    @classmethod
    def of(cls, config: "SiteConfig | File") -> "SiteConfig":
        """The configuration itself, or what its file says."""
        return config if isinstance(config, SiteConfig) else cls.read(config)

    def path(self, name: str) -> Path:
        """A path as the file means it."""
        return self.folder / name

    def effective_policy(self) -> Policy:
        """The policy, from the section or its own file."""
        if self.policy_file is None:
            return self.policy or Policy()
        return _read(Policy, self.path(self.policy_file), folder=False)

    def load_table(self, reading: Reading = PLAIN) -> "pa.Table":
        """The private table, from where the [table] section says it is.

        Of a CSV file, columns that join, the class and the id are text: sites compare join values of one type only,
        and one site cannot see how another's read. The other columns are what their cells say.
        """
        if self.table is None:
            raise UsageError(f"{self.name} has no [table]")
        return self._load_source(self.table, self.table, reading)

    def load_held_out(self) -> "pa.Table | None":
        """The records to try trees on, from where the [held_out] section says they are; None without one.

        They are read as the table is, with its roles and types of columns; `types` of the section come on top.
        """
        if self.held_out is None or self.table is None:
            return None
        return self._load_source(self.held_out, self.table)

    def _load_source(self, source: SourceConfig, about: TableConfig, reading: Reading = PLAIN) -> "pa.Table":
        from confide.core.tables.sources import load_table

        return load_table(
            file=None if source.file is None else self.path(source.file),
            duckdb=None if source.duckdb is None else self.path(source.duckdb),
            postgres=source.postgres,
            postgres_env=source.postgres_env,
            table=source.table,
            query=source.query,
            types={**about.types, **source.types} if source.file is not None else source.types,
            text=self._labels(about),
            extra="join",
            reading=reading,
        )

    def _labels(self, table: TableConfig) -> set[str]:
        """Columns whose values are compared, never ordered."""
        joining = {column for neighbour in self.neighbours.values() for column in neighbour.on}
        return joining | {*table.categorical, *(name for name in (table.class_column, table.id) if name is not None)}


class TreeConfig(_Section):
    """How the tree grows; see `JoinTree`. `confidence = 0` prunes nothing."""

    criterion: Literal["information_gain", "gain_ratio", "gini"] = "information_gain"
    min_leaf: int = Field(default=1, ge=1)
    min_branch: int = Field(default=2, ge=1)
    max_depth: int | None = Field(default=None, ge=1)
    confidence: float = Field(default=0.25, ge=0, lt=1)


class SitePlace(_Section):
    """Where the coordinator finds a site, and its site.toml, which only a simulation needs."""

    address: Address
    config: str | None = None


class HelperPlace(_Section):
    """A node without a table that takes part in hidden comparisons."""

    name: PartyName
    address: Address


class JoinConfig(_Section):
    """One run: the sites in the order that breaks ties, who joins whom, who has the class.

    `deadline`: seconds without a sign of life after which a site counts as dead. `step_deadline`: seconds one step (an
    intersection, a level) may take at a living site. `hide_gains`: choose winners by a hidden comparison; with two
    sites `third = NAME` says who else takes part: the coordinator itself, or `[helper]`, a node without a table.
    """

    name: PartyName
    target: PartyName
    edges: list[tuple[PartyName, PartyName]] = Field(min_length=1)
    sites: dict[PartyName, SitePlace] = Field(min_length=2)
    state: str = "join-state"
    tree: TreeConfig = TreeConfig()
    tls: TlsConfig | None = None
    hide_gains: bool = False
    third: PartyName | None = None
    helper: HelperPlace | None = None
    deadline: float = Field(default=30.0, gt=0)
    step_deadline: float = Field(default=600.0, gt=0)
    folder: Path = Path()

    @model_validator(mode="after")
    def _fits(self) -> "JoinConfig":
        from confide.join.coordinator.site_graph import SiteGraph

        try:
            SiteGraph(list(self.sites), self.edges, self.target)
        except ConfideError as error:
            raise ValueError(str(error)) from None
        if (
            self.third is not None
            and self.third != self.name
            and (self.helper is None or self.helper.name != self.third)
        ):
            raise ValueError(f"third = {self.third!r} is neither the coordinator nor the [helper]")
        return self

    @classmethod
    def read(cls, path: File) -> "JoinConfig":
        """Read join.toml."""
        return _read(cls, Path(path))

    @classmethod
    def of(cls, config: "JoinConfig | File") -> "JoinConfig":
        """The configuration itself, or what its file says."""
        return config if isinstance(config, JoinConfig) else cls.read(config)

    def path(self, name: str) -> Path:
        """A path as the file means it."""
        return self.folder / name

    @property
    def parties(self) -> list[str]:
        """All that may be served for this run: the sites, and the helper if there is one."""
        return [*self.sites, *([] if self.helper is None else [self.helper.name])]


def _read(model: type[M], path: Path, *, folder: bool = True) -> M:
    data = read_toml(path)
    if folder:
        if "folder" in data:
            raise InputError("folder: cannot be given; paths are taken from the file's own folder", source=path)
        data["folder"] = path.resolve().parent
    try:
        # TOML has arrays only; edges are pairs, so the lax mode for them alone would not do.
        return model.model_validate(_tuples(data))
    except ValidationError as error:
        raise InputError(faults_of(error, most=20, said=_word_fault), source=path) from None


def _tuples(data: dict[str, Any]) -> dict[str, Any]:
    edges = data.get("edges")
    if isinstance(edges, list):
        data = {**data, "edges": [tuple(edge) if isinstance(edge, list) else edge for edge in edges]}
    return data


def _word_fault(fault: Any) -> str:
    text = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "string_pattern_mismatch":
        return "is not a valid party name; use letters, digits and inner hyphens"
    if fault["type"] == "extra_forbidden":
        return "is not known here"
    if fault["type"] == "missing":
        return "is missing"
    return text
