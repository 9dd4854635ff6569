"""What several load hosts say while they run, as if one said it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from dyno.hosts.merge import merged_interval
from dyno.spec.events import Event, Interval, LoadFault, PhaseMark, Summary


class Together:
    """Passes on an event once all hosts have said it; what only one observes, from the first."""

    def __init__(self, hosts: Sequence[str], on_event: Callable[[Event], None]) -> None:
        self._hosts = hosts
        self._on_event = on_event
        self._marks: dict[tuple[str, str], int] = defaultdict(int)
        self._intervals: dict[tuple[str, int], list[Interval]] = defaultdict(list)

    def add(self, host: str, event: Event) -> bool:
        """Take an event of a host; True if all are now ready for a phase."""
        match event:
            case PhaseMark(state="progress") | LoadFault():
                self._on_event(event)
            case PhaseMark():
                return self._mark(event)
            case Interval():
                self._interval(event)
            case Summary():
                pass
            case _ if host == self._hosts[0]:
                self._on_event(event)
        return False

    def _mark(self, event: PhaseMark) -> bool:
        key = event.phase, event.state
        self._marks[key] += 1
        if self._marks[key] < len(self._hosts):
            return False
        del self._marks[key]
        if event.state == "ready":
            return True
        self._on_event(event)
        return False

    def _interval(self, event: Interval) -> None:
        key = event.phase, event.index
        found = self._intervals[key]
        found.append(event)
        if len(found) == len(self._hosts):
            self._on_event(merged_interval(self._intervals.pop(key)))
