"""What each released table of the folder was made from, as the runs and jobs of the folder say."""

from dataclasses import dataclass

from confide.studio.forms.suggestions import schema_of_table
from confide.studio.project.run_files import file_asked
from confide.studio.visit import Studio, Visit

__all__ = ["Origin", "chosen_origin", "origins_of"]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """A table, the schema that says what its columns are, and what was released of it ("" for nothing yet)."""

    table: str
    schema: str
    release: str = ""


def origins_of(studio: Studio) -> list[Origin]:
    """The releases whose origin a job of the folder knows, the latest first; then tables with a schema alone."""
    found: dict[str, Origin] = {}
    names = {file.name for file in studio.files.all()}
    for job in studio.jobs.all():
        output = job.files.get("output", "")
        if job.job == "publish table" and job.state == "done" and output in names and output not in found:
            table, schema = (file_asked(studio.project, job.folder / "run.toml", name) for name in ("table", "schema"))
            if {table, schema} <= names:
                found[output] = Origin(table=table, schema=schema, release=output)
    tables = [file.name for file in studio.files.all() if file.kind == "table" and not file.passport]
    bare = [Origin(table=name, schema=schema) for name in tables if (schema := schema_of_table(studio.files, name))]
    return [*found.values(), *bare]


def chosen_origin(visit: Visit) -> dict[str, list[str]]:
    """The texts of a comparison's form: the files that were chosen, of those that were."""
    return {name: [text] for name in ("table", "schema", "release") if (text := visit.text(name))}
