"""What the host of the app sets by environment variables, checked before anything starts.

FOCAL_CHECKPOINT  a folder, or org/name@revision on the Hub (default: the embedded checkpoint)
FOCAL_GALLERY     a folder, or a data set org/name@revision on the Hub (default: the embedded one)
FOCAL_AUTH        user:password, several divided by commas: who may open the page (default: all)
FOCAL_EXPIRE_MIN  minutes after which an abandoned upload or visit is forgotten (default 30)
FOCAL_LLM_BASE_URL, FOCAL_LLM_MODEL, FOCAL_LLM_API_KEY
                  see `focal_app.explore.report.language_model`
GRADIO_SERVER_NAME, GRADIO_SERVER_PORT   where the page listens (default 127.0.0.1, 7860)
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from focal_app.errors import ConfigError

HERE, EVERYWHERE = "127.0.0.1", "0.0.0.0"
PORT = 7860
EXPIRE_MIN = 30.0
_LOCAL = frozenset([HERE, "localhost", "::1"])


@dataclass(frozen=True)
class Settings:
    """Everything that the environment decides; passwords never show where this is printed."""

    checkpoint: str | None
    host: str
    port: int
    expire_s: int
    auth: tuple[tuple[str, str], ...] = field(repr=False)
    in_space: bool = False

    @property
    def public(self) -> bool:
        """Whether other machines can open the page."""
        return self.host not in _LOCAL


def read_settings(environment: Mapping[str, str]) -> Settings:
    """The settings of an environment; a `ConfigError` names the variable that is wrong."""
    in_space = "SPACE_ID" in environment
    return Settings(
        checkpoint=environment.get("FOCAL_CHECKPOINT", "").strip() or None,
        host=environment.get("GRADIO_SERVER_NAME") or (EVERYWHERE if in_space else HERE),
        port=int(_number(environment, "GRADIO_SERVER_PORT", PORT, 1, 65535)),
        expire_s=round(60 * _number(environment, "FOCAL_EXPIRE_MIN", EXPIRE_MIN, 0.05, 1440)),
        auth=_pairs(environment.get("FOCAL_AUTH", "")),
        in_space=in_space,
    )


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
