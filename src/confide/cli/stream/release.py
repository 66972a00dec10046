"""`confide stream release`: a stream in, verified releases out."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from confide.cli.options import ADDRESS, EXISTING, NEW, SHARE, note, print_json
from confide.cli.stream.promise import promise_options, promised, window_options

if TYPE_CHECKING:
    from confide.core.itemsets.container import Itemsets
    from confide.stream.live.hub import Hub
    from confide.stream.sinks.lines import LineSink

__all__ = ["release"]

_SETTINGS = ("records", "seconds", "every", "itemsets", "scheme", "lam", "depth", "noise", "epoch")


@click.command(
    epilog="""\b
Examples:
  confide stream release clicks.jsonl -o frequent.jsonl --min-support 25 --window 1000
  confide stream release clicks.jsonl -o kept.jsonl --state kept.state --min-support 25 --window 1000 --scheme order
  confide stream release clicks.jsonl --min-support 25 --seconds 600 --every 200 --itemsets closed
"""
)
@click.argument("source", metavar="IN", type=ADDRESS)
@click.option("-o", "--output", type=NEW, help="Write releases here (.jsonl), and OUT.passport.json at the end.")
@click.option(
    "--to", "redis", type=ADDRESS, metavar="URL", help="Also into this stream: redis://host:port/0?stream=NAME."
)
@promise_options
@window_options
@click.option("--itemsets", type=click.Choice(["all", "closed"]), default="all", show_default=True)
@click.option("--scheme", type=click.Choice(["basic", "order", "ratio", "hybrid"]), default="basic", show_default=True)
@click.option("--lam", type=SHARE, default=0.4, show_default=True, help="hybrid: share of order, the rest is ratio.")
@click.option("--depth", type=int, default=2, show_default=True, help="order: larger is better and slower.")
@click.option(
    "--noise", type=click.Choice(["uniform", "triangular", "rademacher"]), default="uniform", show_default=True
)
@click.option("--epoch", type=int, help="Releases after which supports that have gone are forgotten [never].")
@click.option("--state", type=NEW, help="Owner's file that a run goes on from after an end or a crash.")
@click.option("--state-key", type=EXISTING, help="File of 32 bytes that encrypts the state.")
@click.option(
    "--sync",
    type=click.Choice(["group", "each"]),
    default="group",
    show_default=True,
    help="What is synced to disk at once.",
)
@click.option("--no-sync", is_flag=True, help="Leave syncing to the system: faster, a power cut may lose releases.")
@click.option(
    "--format", "file_format", type=click.Choice(["dat", "jsonl"]), help="Format of IN, where its name does not say it."
)
@click.option("--follow", is_flag=True, help="Wait for IN to grow.")
@click.option("--limit", type=click.IntRange(1), help="End after so many records.")
@click.option(
    "--serve", "port", type=click.IntRange(0, 65535), help="Show a live page for everybody on this port (0: any)."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of the live page.")
@click.option(
    "--trusted-proxy", metavar="ADDRESS", multiple=True, help="Proxy before the live page: its clients are counted."
)
@click.option(
    "--owner-serve", "owner_port", type=click.IntRange(0, 65535), help="Show the adversary's view on this machine only."
)
@click.option("--owner-key-file", type=NEW, help="Keep the key of that page here (made if absent) [a new one].")
@click.option("--report", type=NEW, help="Write a page about the run here.")
@click.option("--sign", type=EXISTING, help="Sign the passport with this private key (PEM).")
@click.option("--seed", type=click.IntRange(0), help="For experiments: noise that can be repeated protects nobody.")
@click.option("--replace", is_flag=True, help="Overwrite files that exist.")
def release(source: str, **given: Any) -> None:  # fmt: skip
    """Release the frequent itemsets of IN, window after window: a .dat or .jsonl file, - for stdin, or a Redis stream.

    Releases go to -o, to --to, to a live page, or to stdout. An auditor checks each one before it leaves. SIGTERM and
    Ctrl-C end a run cleanly; with --state, the same command goes on where it ended, even after a crash.
    """
    from confide.core.errors import UsageError
    from confide.core.randomness import Randomness
    from confide.stream.pipeline.settings import StreamSettings
    from confide.stream.pipeline.tasks import release_stream
    from confide.web.serving import UntilSignal

    if given["report"] is not None and given["output"] is None:
        raise UsageError("--report describes the file of a run; say where that goes with -o FILE")
    if given["sign"] is not None and given["output"] is None:
        raise UsageError("without -o FILE no passport is written, so there is nothing to --sign")
    if given["owner_key_file"] is not None and given["owner_port"] is None:
        raise UsageError("--owner-key-file goes with --owner-serve")
    from confide.core.file_groups import check_outputs

    check_outputs([given["report"]], inputs=[given["state"], given["output"]], replace=given["replace"])
    requirement = promised(
        given["min_support"], given["vulnerable"], given["epsilon"], given["delta"], noise=given["noise"]
    )
    settings = StreamSettings(
        requirement,
        **{name: given[name] for name in _SETTINGS},
        sync="none" if given["no_sync"] else given["sync"],
        randomness=Randomness.system() if given["seed"] is None else Randomness.seeded(given["seed"]),
    )  # fmt: skip
    with ExitStack() as pages, UntilSignal() as stopped:
        sinks, watch = _pages(pages, given, requirement.noise_variance())
        if given["output"] is None and given["redis"] is None and given["port"] is None:
            from confide.stream.sinks.text import StdoutSink

            sinks.append(StdoutSink())
        done = release_stream(
            source,
            settings,
            output=given["output"],
            redis=given["redis"],
            sinks=sinks,
            state=given["state"],
            key=_key(given["state_key"]),
            limit=given["limit"],
            follow=given["follow"],
            format=given["file_format"],
            stopped=stopped,
            watch=watch,
            sign=_signer(given["sign"]),
            replace=given["replace"],
            warn=note,
        )
    _say(done, given)


def _pages(pages: ExitStack, given: dict[str, Any], needed: Any) -> "tuple[list[LineSink], Any]":
    sinks: list[Any] = []
    if given["port"] is not None:
        from confide.stream.live.hub import LiveSink
        from confide.stream.live.pages import serve_public

        live = LiveSink()
        sinks.append(live)
        server = serve_public(live, host=given["host"], port=given["port"], trusted_proxies=given["trusted_proxy"])
        pages.callback(server.close)
        note(f"live page at {server.url}")
    if given["owner_port"] is None:
        return sinks, None
    from confide.stream.live.hub import Hub
    from confide.stream.live.pages import serve_owner

    hub = Hub()
    server = serve_owner(hub, port=given["owner_port"], key_file=given["owner_key_file"])
    pages.callback(server.close)
    pages.callback(lambda: setattr(hub, "over", True))
    note(f"the owner's page, on this machine only, at {server.url}")
    return sinks, _owner_watch(hub, given, float(needed))


def _owner_watch(hub: "Hub", given: dict[str, Any], needed: float) -> Any:
    from confide.audit.adversaries.run_view import view_release
    from confide.mining import expand_closed

    closed = given["itemsets"] == "closed"

    def watch(number: int, true: "Itemsets", published: "Itemsets") -> None:
        whole = expand_closed(true) if closed else true
        view = view_release(whole, published, vulnerable=given["vulnerable"])
        hub.add(number, {"release": number, **view.summary(needed)})

    return watch


def _key(path: Path | None) -> bytes | None:
    from confide.stream.state_file import read_key

    return None if path is None else read_key(path)


def _signer(path: Path | None) -> Any:
    if path is None:
        return None
    from confide.core.artefacts.keys import read_private_key

    return read_private_key(path)


def _say(done: Any, given: dict[str, Any]) -> None:
    summary = done.summary
    if done.release is not None:
        from confide.core.release import passport_path

        if given["report"] is not None:
            from confide.core.files import write_text
            from confide.report import render

            write_text(given["report"], render(done.release), replace=given["replace"])
            note(f"page written to {given['report']}")
        note(f"written to {given['output']} and {passport_path(given['output'])}")
    if given["output"] is None and given["redis"] is None and given["port"] is None:
        note(f"{summary.releases:,} releases, {summary.offset:,} records")
        return
    print_json(
        {
            "run": summary.header.run,
            "requirement": summary.header.requirement.to_dict(),
            "releases": summary.releases,
            "records": summary.offset,
            "chain": summary.sha256,
            "resumed": summary.resumed,
        }
    )
