"""Streams: what is frequent in a shop's last records, released again and again."""

from pathlib import Path

from confide.cli.demos import DemoPart
from confide.core.files import write_text
from confide.core.release import passport_path
from confide.core.samples.invented_baskets import baskets
from confide.stream.jobs.requests import StreamRelease
from confide.stream.pipeline.whole_run import release_stream

__all__ = ["run"]


def run(folder: Path) -> DemoPart:
    """Release an invented stream and verify it."""
    from confide.report import render

    shop = baskets(6000, seed=4)
    shop.write(folder / "stream.jsonl", replace=True)
    request = StreamRelease(
        records=folder / "stream.jsonl",
        min_support=25,
        epsilon=0.05,
        window=2000,
        every=200,
        noise_key=folder / "stream.key",
    )
    target = folder / "frequent.jsonl"
    done = release_stream(request, output=target, replace=True)
    assert done.release is not None
    write_text(folder / "stream.html", render(done.release), replace=True)
    return DemoPart(
        title="A live stream",
        promise=done.release.requirement.promise(),
        summary=f"{done.run.releases} releases of the last 2,000 baskets; each was checked before it left.",
        page=folder / "stream.html",
        passports=(passport_path(target),),
    )
