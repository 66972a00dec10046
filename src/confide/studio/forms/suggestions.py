"""What a new form begins with: the file it was opened for, the schema beside that, names for what it writes."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from confide.core.jobs.catalogue import Job
from confide.core.jobs.fields import RequestField, fields_of
from confide.core.jobs.kinds import names_files
from confide.studio.forms.field_texts import given_fields
from confide.studio.project.file_kinds import FileList
from confide.studio.project.project_folder import Project
from confide.studio.project.run_files import free_name

__all__ = ["begin_form", "fitting_files", "schema_of_table"]

_OF_FIELD = {"schema": ("schema",), "records": ("baskets", "table"), "table": ("table",), "taxonomy": ("hierarchy",)}
_ENDINGS = {"share": ".json", "join": ".json", "stream": ".jsonl", "mine": ".csv", "search": ".json"}


def begin_form(project: Project, files: FileList, job: Job[Any], query: Mapping[str, str]) -> dict[str, list[str]]:
    """The texts of a new form; `query` gives fields by name."""
    known = {field.name: field for field in given_fields(job)}
    texts = {name: _default(field) for name, field in known.items()}
    texts |= {name: [text] for name, text in query.items() if name in known}
    for field in fields_of(job.request):
        if names_files(field.kind) and field.required and not texts[field.name]:
            fitting = fitting_files(files, field.name)
            texts[field.name] = fitting[:1] if len(fitting) == 1 else []
    source = next(
        (texts[field.name][0] for field in fields_of(job.request) if field.position and texts[field.name]), ""
    )
    if "schema" in known and source:
        found = schema_of_table(files, source)
        texts["schema"] = texts["schema"] or ([found] if found else [])
    if job.delivery.HANDS_OUT and "output" in known and not texts["output"]:
        texts["output"] = [_output(project, job, source)]
        if "report" in known:
            texts["report"] = [f"{texts['output'][0].partition('.')[0]}.html"]
    return texts


def fitting_files(files: FileList, field: str) -> list[str]:
    """Names of the files that a field most likely wants, by what the folder's files are."""
    kinds = _OF_FIELD.get(field, ())
    return [file.name for kind in kinds for file in files.all() if file.kind == kind and not file.passport]


def _default(field: RequestField) -> list[str]:
    if field.default in (None, (), False):
        return []
    return ["yes"] if field.default is True else [str(field.kind.plain(field.default))]


def schema_of_table(files: FileList, table: str) -> str:
    """The schema of a table by its name: NAME.schema.toml, or the proposal for it; empty where there is none."""
    schemas = [file.name for file in files.all() if file.kind == "schema"]
    stem = table.rpartition("/")[2].partition(".")[0]
    own = [name for name in schemas if PurePosixPath(name).name in (f"{stem}.schema.toml", f"{stem}.toml")]
    own += [name for name in schemas if PurePosixPath(name).parts[:1] == (f"{stem}-schema",)]
    return own[0] if own else ""


def _output(project: Project, job: Job[Any], source: str) -> str:
    name = source.rpartition("/")[2]
    stem, _, ending = name.partition(".")
    suffix = _ENDINGS.get(job.name.split()[0]) or (
        f".{ending}" if ending in ("csv", "parquet", "dat", "jsonl") else ".csv"
    )
    word = {"publish": "released", "collect": "perturbed"}.get(job.name.split()[0], job.name.split()[-1])
    return free_name(project, f"{stem or job.name}-{word}", suffix)
