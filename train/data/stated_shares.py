"""How often reports say a feature that an ECG shows: a YAML file with lines FEATURE: SHARE.

shares = stated_shares(Path("train/runs/experiment_features.yaml"))
group_of("inverted T waves in lateral leads (I, aVL, V5-V6)", shares, load_lexicon())
"""

from collections.abc import Mapping
from pathlib import Path

from focal_app.errors import ConfigError
from focal_app.lexicon import Lexicon
from focal_app.strict_yaml import read_yaml

ALWAYS, SELDOM, NEVER = "always stated", "seldom stated", "never stated"
GROUPS = (ALWAYS, SELDOM, NEVER)


def stated_shares(file: Path) -> dict[str, float]:
    """Shares by feature; a `ConfigError` where the file holds something else."""
    try:
        shares = {str(name): float(str(share)) for name, share in read_yaml(file).items()}
    except ValueError as error:
        raise ConfigError(
            f"found no shares in {file.name} ({error}); needed lines FEATURE: SHARE, 0 to 1"
        ) from error
    return shares


def group_of(feature: str, shares: Mapping[str, float], lexicon: Lexicon) -> str | None:
    """How often a feature is said, by its own share or that of what it implies; None if unknown."""
    found = [shares[one] for one in (feature, *lexicon.ancestors(feature)) if one in shares]
    if not found:
        return None
    return ALWAYS if min(found) == 1 else SELDOM if min(found) > 0 else NEVER
