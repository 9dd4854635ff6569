"""Profiles for speedscope: frames shared, samples weighted, equal profiles equal files."""

from __future__ import annotations

import json
from collections import Counter

from dyno.analysis.profiles import speedscope
from dyno.store.stacks import Frame, together

MAIN = Frame("mariadbd", "main")
COPY = Frame("libc.so.6", "memcpy")
OFFSETS = Frame("mariadbd", "rec_offs", is_inlined=True)
ONE = Counter({(MAIN, OFFSETS): 2, (MAIN, COPY): 5, (MAIN,): 0})


def test_a_file_for_speedscope() -> None:
    found = json.loads(json.dumps(speedscope({"A": ONE, "A, all": together([ONE, ONE])}, name="r")))
    assert found["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert (found["name"], found["exporter"], found["activeProfileIndex"]) == ("r", "dyno", 0)
    frames = [(frame["name"], frame["file"]) for frame in found["shared"]["frames"]]
    assert frames == [
        ("main", "mariadbd"),
        ("memcpy", "libc.so.6"),
        ("rec_offs (inlined)", "mariadbd"),
    ]
    one, both = found["profiles"]
    assert one == {
        "type": "sampled",
        "name": "A",
        "unit": "none",
        "startValue": 0,
        "endValue": 7,
        "samples": [[0, 1], [0, 2]],
        "weights": [5, 2],
    }
    assert (both["endValue"], both["weights"]) == (14, [10, 4])


def test_the_order_of_stacks_does_not_matter() -> None:
    backwards = dict(reversed(list(ONE.items())))
    assert speedscope({"A": ONE}, name="r") == speedscope({"A": backwards}, name="r")
