"""Pages of other origins may not talk to the viewer: viser answers whatever a browser of this machine has open."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from dojo_py.view.extra import imported

_ONE = threading.Lock()


@contextlib.contextmanager
def own_pages_only() -> Iterator[None]:
    """Servers that viser starts while this lasts refuse (403) what a page of another origin asks, by HTTP or by a websocket.

    viser starts them with `websockets.asyncio.server.serve` and has no setting for it.
    """
    module = imported("websockets.asyncio.server")
    with _ONE:
        plain = module.serve

        def serve(*arguments: Any, process_request: Any = None, **more: Any) -> Any:
            return plain(*arguments, process_request=_guarded(process_request), **more)

        module.serve = serve
        try:
            yield
        finally:
            module.serve = plain


def _guarded(answer: Callable[..., Any] | None) -> Callable[..., Any]:
    """`answer`, websockets' process_request, after a look at where the request comes from."""

    def process_request(connection: Any, request: Any) -> Any:
        if not is_own(request.headers):
            return connection.respond(HTTPStatus.FORBIDDEN, "This viewer answers its own page only.\n")
        return None if answer is None else answer(connection, request)

    return process_request


def is_own(headers: Any) -> bool:
    """Whether a request comes from a page of the address that it is sent to, directly or through a proxy, or from no page."""
    sent_to = headers.get_all("Host") + headers.get_all("X-Forwarded-Host")
    return all(urlsplit(origin).netloc in sent_to for origin in headers.get_all("Origin"))
