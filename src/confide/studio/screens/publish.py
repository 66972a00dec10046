"""Publish: which data, by which job. The form, the dry run, the release and its verdict are on the pages of the run."""

from confide.studio.visit import Answer, Page, Visit, address

__all__ = ["show_publish"]

_WAYS = (
    (
        "table",
        "publish table",
        "table",
        "A table",
        "A row for each person, with the same columns. Values become coarser until nobody stands alone.",
    ),
    (
        "baskets",
        "publish transactions",
        "records",
        "Baskets or histories",
        "A set of things for each person. Items go until nobody can be found by a few of them.",
    ),
    (
        "table",
        "share domains",
        "table",
        "Only a model of a table",
        "A decision tree in which no leaf points at anybody. First say what values the columns may have.",
    ),
)


def show_publish(visit: Visit) -> Answer:
    """The ways to publish, each with the files that it fits, and what is in the folder already."""
    studio = visit.studio
    files = studio.files.all()
    ways = [
        (title, words, [(file, address("run", job=job, **{field: file.name})) for file in files
                        if file.kind == kind and not file.passport], address("run", job=job))
        for kind, job, field, title, words in _WAYS
    ]  # fmt: skip
    runs = [job for job in studio.jobs.all() if job.hands_out][:10]
    return Page(template="publish.html.j2", title="Publish", values={"ways": ways, "jobs": runs})
