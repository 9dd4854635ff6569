"""What holds for all tests: an example of a property may take as long as a busy host makes it, and
what is loaded before the first test isn't looked through again by each garbage collection.
"""

from __future__ import annotations

import gc

from hypothesis import settings

settings.register_profile("busy host", deadline=None)
settings.load_profile("busy host")
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
