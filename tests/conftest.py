"""What holds for all tests: an example of a property may take as long as a busy host makes it."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("busy host", deadline=None)
settings.load_profile("busy host")
