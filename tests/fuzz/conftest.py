"""How long Hypothesis looks: shortly and always at the same inputs, or for `make fuzz` for long."""

import os

from hypothesis import HealthCheck, settings

WITHOUT = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile(
    "short", deadline=None, derandomize=True, max_examples=100, suppress_health_check=WITHOUT
)
settings.register_profile("long", deadline=None, max_examples=5000, suppress_health_check=WITHOUT)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))
