"""Stream: a published run, release after release, also while a job of the folder writes it."""

from confide.studio.stages.live_runs import find_published_runs, read_run_end
from confide.studio.visit import Answer, Page, Visit

__all__ = ["show_stream"]

WIDTH, HEIGHT = 120, 24


def show_stream(visit: Visit) -> Answer:
    """Choose a run; then its newest release, and how supports went; drawn anew while it is being written."""
    studio, name = visit.studio, visit.text("run")
    jobs = [job for job in studio.jobs.all() if job.job == "stream release"]
    if not name:
        names = [file.name for file in studio.files.all() if file.kind == "baskets"]
        runs = find_published_runs(studio.project, names)
        written = {job.files.get("output", "") for job in jobs if not job.over}
        values = {
            "runs": [(run, run in written) for run in runs],
            "sources": [name for name in names if name not in runs],
            "starting": [job for job in jobs if not job.over and job.files.get("output", "") not in runs],
        }
        again = 1 if values["starting"] else None
        return Page(template="choose_stream.html.j2", title="Stream", values=values, again_after=again)
    end = read_run_end(studio.project, name)
    job = next((job for job in jobs if job.files.get("output") == name), None)
    live = job is not None and not job.over
    values = {
        "name": name,
        "end": end,
        "job": job,
        "live": live,
        "most": max((ranked.high for ranked in end.top), default=1),
        "rows": [(ranked, course_points(course)) for ranked, course in zip(end.top, end.courses, strict=True)],
        "width": WIDTH,
        "height": HEIGHT,
    }
    return Page(template="stream.html.j2", title=f"Stream: {name}", values=values, again_after=1 if live else None)


def course_points(course: tuple[int | None, ...]) -> list[str]:
    """The published supports of a set as points of lines, one line for each stretch without a gap."""
    known = [value for value in course if value is not None]
    if not known:
        return []
    low, high = min(known), max(known)
    step = WIDTH / max(1, len(course) - 1)
    lines: list[list[str]] = [[]]
    for at, value in enumerate(course):
        if value is None:
            lines.append([])
        else:
            y = HEIGHT / 2 if high == low else 2 + (HEIGHT - 4) * (high - value) / (high - low)
            lines[-1].append(f"{at * step:.1f},{y:.1f}")
    return [" ".join(line if len(line) > 1 else line * 2) for line in lines if line]
