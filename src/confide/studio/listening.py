"""`confide studio`: listen on the loopback address, open the browser, serve until Ctrl-C."""

import signal
import threading
import webbrowser

from confide.core.artefacts.held_files import hold_file
from confide.core.errors import UsageError
from confide.core.jobs.outcome import QUIET, Host, Outcome
from confide.studio.jobs import OpenStudio
from confide.studio.project.project_folder import HIDDEN, Project
from confide.web.connections import Limits
from confide.web.guard import Guard
from confide.web.serving import listen, run, url_of

__all__ = ["open_studio"]


def open_studio(request: OpenStudio, host: Host = QUIET) -> Outcome:
    """Serve the pages of a folder until a signal ends that."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        raise UsageError("the studio needs Linux or macOS: it follows its jobs by locks of files") from None
    from confide.studio.screen_pages import studio_application
    from confide.studio.visit import Studio

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: jobs must hear it all the same
        signal.signal(signal.SIGINT, signal.default_int_handler)
    project = Project(request.folder)
    project.notes()
    with (
        hold_file(project.root / HIDDEN / "studio", by="another studio"),
        # Whoever else uses this machine has the owner's address, too: a bound for each client would shut out the owner.
        listen("127.0.0.1", request.port, Limits(per_client=None)) as listening,
    ):
        guard = Guard(url_of(listening, tls=False))
        studio = Studio(project)
        studio.comparisons.go_on()

        def ready() -> None:
            host.say(f"the studio of {project.root} is at {guard.entrance}")
            host.say("the address holds a key: give it to nobody; Ctrl-C ends the pages, jobs go on")
            if request.browser:
                threading.Thread(target=webbrowser.open, args=(guard.entrance,), daemon=True).start()

        run(studio_application(studio, guard), listening, ready=ready)
        left = sum(not job.over for job in studio.jobs.all())
    return Outcome(notes=(f"{left} jobs go on; open the studio again to see them",) if left else ())
