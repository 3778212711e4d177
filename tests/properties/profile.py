"""How long the properties look for trouble.

In CI every run tries the same examples. ``TEXT2MEM_HUNT=2000 pytest -o timeout=0 tests/properties``
tries that many fresh ones of every property instead.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, Phase, settings

# Read on import: no test sees the user's environment.
HUNT = int(os.environ.get("TEXT2MEM_HUNT", "0"))


def examples(count: int, *, steps: int = 1) -> settings:
    """Settings of a property that tries ``count`` examples in CI, of ``steps`` rules each.

    A hunt goes on for three times as many.
    """
    return settings(
        max_examples=HUNT or count,
        stateful_step_count=3 * steps if HUNT else steps,
        database=None,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=bool(HUNT),
    )
