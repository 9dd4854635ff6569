"""What `dyno check` shows of arms."""

from __future__ import annotations

from dyno.spec.experiment import Arm, Settings


def shared_settings(arms: list[Arm]) -> Settings:
    """The settings that all of several arms have in common."""
    first, *others = [settings_of(arm) for arm in arms]
    if not others:
        return {}
    return {
        key: value
        for key, value in first.items()
        if all(key in other and other[key] == value for other in others)
    }


def settings_of(arm: Arm) -> Settings:
    """An arm's settings, and what else of it is like one."""
    tmpdir: Settings = {"tmpdir": "memory"} if arm.tmpdir == "memory" else {}
    plugins: Settings = {"plugins": ",".join(arm.plugins)} if arm.plugins else {}
    allocator: Settings = {"allocator": arm.allocator} if arm.allocator else {}
    return arm.settings | plugins | allocator | tmpdir
