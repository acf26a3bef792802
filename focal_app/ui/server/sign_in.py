"""Where a password is set, nothing is served to who has not signed in, and guessing takes time."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from focal_app.ui import theme
from focal_app.ui import wording as page_wording
from focal_app.ui.server import wording
from focal_app.ui.server.asgi import API, LOGIN, Told, on_this_machine, path_of, refuse, visitor
from focal_app.ui.server.gradio_internals import needs_password, signed_in
from focal_app.ui.server.health import PATH as HEALTH
from focal_app.ui.server.scripted_page import Scripted, is_page

OPEN = frozenset(["/", LOGIN, "/logout", HEALTH, "/theme.css", "/favicon.ico", "/robots.txt"])
OPEN_UNDER = ("/assets/", "/static/", "/svelte/")
"""The page that asks for the password, and what it is drawn with; nothing of the app's own."""
STARTING = f"{API}/startup-events"
"""Asked by the server itself when it starts."""


@dataclass
class _Guesses:
    wrong: int = 0
    until: float = 0.0


class Throttle:
    """Who guessed wrong some times waits, twice as long after each guess more.

    Of addresses it knows the latest `most`, so that many of them fill no memory.
    """

    FREE, FIRST_S, LONGEST_S = 5, 2.0, 900.0

    def __init__(self, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._clock = clock
        self._known: OrderedDict[str, _Guesses] = OrderedDict()

    def __len__(self) -> int:
        """How many addresses are known."""
        return len(self._known)

    def wait_s(self, address: str) -> int:
        """The whole seconds that an address has to wait for."""
        guesses = self._known.get(address)
        return math.ceil(max(0.0, guesses.until - self._clock())) if guesses else 0

    def tried(self, address: str) -> None:
        """Counts a guess, before it is known to be wrong: many at once are as many guesses."""
        guesses = self._known.setdefault(address, _Guesses())
        self._known.move_to_end(address)
        guesses.wrong += 1
        over = guesses.wrong - self.FREE
        if over >= 0:
            waits = min(self.LONGEST_S, self.FIRST_S * 2.0 ** min(over, 20))
            guesses.until = self._clock() + waits
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def right(self, address: str) -> None:
        """Forgets the guesses of who got in."""
        self._known.pop(address, None)


class SignInGate:
    """Lets pass who has signed in, and the signing in itself, as often as the throttle allows."""

    def __init__(self, app: ASGIApp, *, in_space: bool = False) -> None:
        self.app = app
        self._in_space = in_space
        self._throttle = Throttle()
        self._script = theme.script("server/sign_in")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or refuses it."""
        if scope["type"] != "http" or not needs_password(scope["app"]):
            await self.app(scope, receive, send)
        elif path_of(scope) == LOGIN and scope["method"] == "POST":
            await self._sign_in(scope, receive, send)
        elif signed_in(scope["app"], Request(scope).cookies):
            await self.app(scope, receive, send)
        elif _is_open(scope):
            # The page that asks for the password shows why it has to wait.
            sending = Scripted(send, self._script) if is_page(scope) else send
            await self.app(scope, receive, sending)
        else:
            said = {"error": "Not authenticated", "auth_message": page_wording.SIGN_IN}
            await refuse(scope, receive, send, Told(said, status_code=401))

    async def _sign_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = visitor(scope, in_space=self._in_space)
        if wait_s := self._throttle.wait_s(address):
            later = {"Retry-After": str(wait_s)}
            said = Told(wording.sign_in_later(wait_s), status_code=429, headers=later)
            await refuse(scope, receive, send, said)
            return
        self._throttle.tried(address)

        async def hearing(message: Message) -> None:
            if message.get("status") == 200:
                self._throttle.right(address)
            await send(message)

        await self.app(scope, receive, hearing)


def _is_open(scope: Scope) -> bool:
    path = path_of(scope)
    if path == STARTING:
        return on_this_machine(scope)
    reads = scope["method"] in {"GET", "HEAD"}
    return reads and (path in OPEN or path.startswith(OPEN_UNDER))
