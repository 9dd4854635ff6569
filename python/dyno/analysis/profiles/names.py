"""One name for a function in two builds: what compilers and demanglers add to names is left out.

The clones of a function are the same source, and which of them exist is up to the compiler; so are
the instances of a template. Parameters are left out as well: perf shows them only on request, and a
function that gets one more parameter is still that function. Overloads become one function.
"""

from __future__ import annotations

import re
from functools import lru_cache

from dyno.store.stacks import NO_SYMBOL

_CLONE = re.compile(
    r"(?:\.(?:isra|constprop|part|cold|lto_priv|llvm|localalias|warm)(?:\.\d+)*|@+[\w.]*)+$"
)
_CLONE_SAID = re.compile(r" *\[clone [^\]]*\]")
_ABI_TAG = re.compile(r"\[abi:[^\]]*\]")
_ADDRESS = re.compile(r"^(?:0x[0-9a-f]+|\[unknown\]|\[no symbol\]|)$")
_THUNK = re.compile(r"^(?:non-virtual|virtual|covariant return) thunk to ")
_OPERATOR = re.compile(r"\boperator *(\(\)|<=>|<<=?|>>=?|->\*?|<=?|>=?)")
_FROM_OPERATOR = re.compile(r"\S*\boperator\b.*$")
_AFTER_PARAMETERS = re.compile(r"(?: (?:const|volatile|noexcept)| ?&{1,2})+$")
_ANONYMOUS = ("(anonymous namespace)", "{anonymous}")
# Brackets that are part of an operator's name, out of the way while others are left out.
_HIDDEN = str.maketrans("()<>", "\ue000\ue001\ue002\ue003")
_SHOWN = str.maketrans("\ue000\ue001\ue002\ue003", "()<>")
_CLOSES = {")": "(", ">": "<"}


@lru_cache(maxsize=100_000)
def plain(symbol: str) -> str:
    """The name of a demangled symbol, by which two builds are matched.

    Without clone suffixes (.isra, .constprop, .part, .cold, .lto_priv, @plt), ABI tags, template
    arguments, parameters and return type. "[no symbol]" for an address.
    """
    if _ADDRESS.match(symbol):
        return NO_SYMBOL
    if symbol.startswith("*ABS*"):
        return "[plt]"
    bare = _ABI_TAG.sub("", _CLONE_SAID.sub("", symbol.strip()))
    bare = _THUNK.sub("", _CLONE.sub("", bare))
    hidden = _OPERATOR.sub(lambda found: "operator" + found[1].translate(_HIDDEN), bare)
    outside = _outside_brackets(hidden.replace(*_ANONYMOUS))
    if outside is None:
        return bare
    name = _AFTER_PARAMETERS.sub("", outside).strip()
    operator = _FROM_OPERATOR.search(name)
    name = operator[0] if operator else name.rpartition(" ")[2]
    return " ".join(name.translate(_SHOWN).split()) or bare


def _outside_brackets(text: str) -> str | None:
    """The text without what is in round or angle brackets; None if those don't fit together."""
    opened: list[str] = []
    kept: list[str] = []
    for place, letter in enumerate(text):
        if letter in "(<":
            opened.append(letter)
        elif letter in ")>":
            if letter == ">" and text[place - 1 : place] == "-":
                continue
            if not opened or opened.pop() != _CLOSES[letter]:
                return None
        elif not opened:
            kept.append(letter)
    return None if opened else "".join(kept)
