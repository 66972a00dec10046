"""The search page of a person, served on loopback in a thread of the test's process."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from confide.search.page.application import EXTENSION, ORDER, page_application
from confide.search.page.session import Session
from confide.web.guard import Guard
from confide.web.serving import listen, url_of


@contextmanager
def serving(application) -> Iterator[None]:
    """An ASGI application over a listening socket, given as (application, socket)."""
    import uvicorn

    made, listening = application
    server = uvicorn.Server(uvicorn.Config(made, log_level="critical", lifespan="off", server_header=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(10)
        listening.close()


@contextmanager
def search_page(session: Session) -> Iterator[Guard]:
    """The page; what is yielded knows its address and its key."""
    listening = listen("127.0.0.1", 0)
    guard = Guard(url_of(listening, tls=False), by_header={ORDER: (EXTENSION,)})
    with serving((page_application(session, guard), listening)):
        yield guard
