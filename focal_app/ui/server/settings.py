"""What the host of the app sets by environment variables, checked before anything starts.

FOCAL_CHECKPOINT  a folder, or org/name@revision on the Hub (default: the embedded checkpoint)
FOCAL_GALLERY     a folder, or a data set org/name@revision on the Hub (default: the embedded one)
FOCAL_AUTH        user:password, several divided by commas: who may open the page (default: all)
FOCAL_ALLOWED_HOSTS  names under which the page is served beside this machine's own, and origins of
                  other pages that may ask, divided by commas: ecg.example.org, *.example.org,
                  https://course.example.org; * serves every name (default: a Space's own name, and
                  bare addresses where the page listens everywhere)
FOCAL_EXPIRE_MIN  minutes after which a visit that rests is forgotten (default 30)
FOCAL_LLM_BASE_URL, FOCAL_LLM_MODEL, FOCAL_LLM_API_KEY
                  see `focal_app.explore.report.language_model`
GRADIO_SERVER_NAME, GRADIO_SERVER_PORT   where the page listens (default 127.0.0.1, 7860)
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from focal_app.errors import ConfigError
from focal_app.ui.server.hosts import EMBEDDERS, SPACE, Hosts

NAMES = (
    *("FOCAL_CHECKPOINT", "FOCAL_GALLERY", "FOCAL_AUTH", "FOCAL_ALLOWED_HOSTS", "FOCAL_EXPIRE_MIN"),
    *("FOCAL_LLM_BASE_URL", "FOCAL_LLM_MODEL", "FOCAL_LLM_API_KEY"),
    *("GRADIO_SERVER_NAME", "GRADIO_SERVER_PORT"),
)
"""Every variable that the app reads for its host."""
HERE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
PORT = 7860
EXPIRE_MIN = 30.0
_LOCAL = frozenset([HERE, "localhost", "::1"])
_HOST = re.compile(
    r"(?P<scheme>https?://)?(?P<name>\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])(:\d+)?"
)


@dataclass(frozen=True)
class Settings:
    """Everything that the environment decides; passwords never show where this is printed."""

    checkpoint: str | None
    host: str
    port: int
    expire_s: int
    auth: tuple[tuple[str, str], ...] = field(repr=False)
    in_space: bool = False
    hosts: Hosts = field(default_factory=Hosts)

    @property
    def public(self) -> bool:
        """Whether other machines can open the page."""
        return self.host not in _LOCAL


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment; a `ConfigError` names the variable that is wrong."""
    in_space = "SPACE_ID" in environment
    host = environment.get("GRADIO_SERVER_NAME") or (EVERYWHERE if in_space else HERE)
    return Settings(
        checkpoint=environment.get("FOCAL_CHECKPOINT", "").strip() or None,
        host=host,
        port=int(_number(environment, "GRADIO_SERVER_PORT", PORT, 1, 65535)),
        expire_s=round(60 * _number(environment, "FOCAL_EXPIRE_MIN", EXPIRE_MIN, 0.05, 1440)),
        auth=_pairs(environment.get("FOCAL_AUTH", "")),
        in_space=in_space,
        hosts=_hosts(environment, host, in_space=in_space),
    )


def refuse_arguments(given: Sequence[str]) -> None:
    """A `ConfigError` for whatever stands behind `python app.py`: nothing would come of it."""
    if given:
        raise ConfigError(
            f"found {len(given)} argument(s) behind app.py, which takes none; what a host can set "
            "are variables of the environment, listed in docs/hosting.md"
        )


def unknown_names(environment: Mapping[str, str]) -> list[str]:
    """Variables that look like settings of the app and are none, such as one that was mistyped."""
    return sorted(name for name in environment if name.startswith("FOCAL_") and name not in NAMES)


def _number(
    environment: Mapping[str, str], name: str, default: float, least: float, most: float
) -> float:
    text = environment.get(name, "").strip()
    try:
        value = float(text) if text else float(default)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise ConfigError(f"{name} is no number from {least:g} to {most:g}; mend it or unset it")
    return value


def _hosts(environment: Mapping[str, str], host: str, *, in_space: bool) -> Hosts:
    """The names and origins that are listed, and those that the page has by where it runs."""
    listed = environment.get("FOCAL_ALLOWED_HOSTS", "").lower().split(",")
    entries = [_HOST.fullmatch(entry) for entry in filter(None, map(str.strip, listed))]
    own = [host.lower()] if host not in (*_LOCAL, EVERYWHERE) else []
    if in_space:
        own.append(environment.get("SPACE_HOST", "").strip().lower() or SPACE)
    for number, entry in enumerate(entries, start=1):
        if entry is None:
            raise ConfigError(
                f"entry {number} of FOCAL_ALLOWED_HOSTS is neither a name such as ecg.example.org "
                "nor an origin such as https://ecg.example.org; several are divided by commas"
            )
    found = [entry for entry in entries if entry]
    return Hosts(
        names=tuple(dict.fromkeys([*own, *(entry["name"] for entry in found)])),
        origins=tuple(entry[0] for entry in found if entry["scheme"]),
        numbers=host not in _LOCAL,
        framed_by=EMBEDDERS if in_space else "",
    )


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    """User and password of every entry; a password may hold colons, but no comma."""
    pairs = []
    for number, entry in enumerate(filter(None, map(str.strip, text.split(","))), start=1):
        user, colon, password = entry.partition(":")
        if not (user and colon and password):
            raise ConfigError(
                f"entry {number} of FOCAL_AUTH is no user:password; several are divided by commas"
            )
        pairs.append((user, password))
    return tuple(pairs)
