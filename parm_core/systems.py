"""Systems by name: `retriever:aggregation@name=value…`, the same string everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from parm_core.aggregation import AGGREGATIONS
from parm_core.errors import ConfigError

DEFAULT_DEPTH = 1000
DEFAULT_SYSTEM = "hybrid:rrf"
MAX_DEPTH = 100_000

RETRIEVERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "bm25": ("doc", *AGGREGATIONS),
        "dense": ("firstp", "maxp", *AGGREGATIONS),
        "hybrid": ("rrf",),
    }
)
"""Retriever -> the aggregations it takes."""

ENGINES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"bm25": ("bm25s", "rank-bm25"), "dense": ("product", "faiss", "ivf"), "hybrid": ()}
)
"""Retriever -> its engines, the default first."""

_RANGES = {"k": (0.0, 1e6), "p": (0.0, 10.0), "a": (0.0, 10.0)}
_DEFAULT_PARTS = ("bm25:srrf", "dense:srrf")
_SPLIT_AT = re.compile(r"@(?![^(]*\))")
_SPLIT_PLUS = re.compile(r"\+(?![^(]*\))")


@dataclass(frozen=True, kw_only=True)
class System:
    """A retriever and what turns its hits into a ranking.

    depth: hits a query paragraph, None where a whole document is scored. engine: "" for the default.
    params: the aggregation's own, all of them. parts: the systems of a hybrid.
    """

    retriever: str
    aggregation: str
    depth: int | None
    engine: str = ""
    params: Mapping[str, float] = field(default_factory=dict)
    parts: tuple[System, ...] = ()

    def __str__(self) -> str:
        """The shortest name that parses back to this system."""
        return self._name(DEFAULT_DEPTH)

    def _name(self, inherited: int) -> str:
        """The name, without the depth where it is the inherited one."""
        given = [
            f"@{name}={_written(value)}"
            for name, value in self.params.items()
            if value != self._default(name)
        ]
        parts = tuple(part._name(self.depth or DEFAULT_DEPTH) for part in self.parts)
        if parts and parts != _DEFAULT_PARTS:
            given.append("@of=" + "+".join(map(_nested, parts)))
        if self.depth not in (None, inherited):
            given.append(f"@depth={self.depth}")
        if self.engine:
            given.append(f"@engine={self.engine}")
        return f"{self.retriever}:{self.aggregation}{''.join(given)}"

    def __hash__(self) -> int:
        return hash(str(self))

    @property
    def whole_document(self) -> bool:
        """Whether it scores a whole document, instead of aggregating paragraph hits."""
        return self.aggregation in ("doc", "firstp", "maxp")

    @property
    def needs_vectors(self) -> bool:
        """Whether it needs an index with vectors, and an encoder."""
        if self.parts:
            return any(part.needs_vectors for part in self.parts)
        known = AGGREGATIONS.get(self.aggregation)
        return self.retriever == "dense" or bool(known and known.needs_vectors)

    def with_depth(self, depth: int) -> System:
        """The same at another depth; a hybrid's parts that shared its depth move with it."""
        if self.depth is None:
            return self
        parts = tuple(p.with_depth(depth) if p.depth == self.depth else p for p in self.parts)
        return replace(self, depth=_depth(str(depth)), parts=parts)

    def with_params(self, **params: float) -> System:
        """The same with those of `params` that its aggregation has."""
        return replace(self, params={name: params.get(name, v) for name, v in self.params.items()})

    def _default(self, name: str) -> float:
        return _defaults(self.retriever, self.aggregation)[name]


def parse_system(spec: str) -> System:
    """Read a system's name, e.g. `bm25:rrf@k=20@depth=100`, `hybrid:rrf@of=bm25:srrf+dense:srrf`.

    Parameters of a hybrid's part go into brackets: `hybrid:rrf@of=(bm25:rrf@k=20)+dense:srrf`.
    Raises ConfigError naming the choices.
    """
    name, *given = _SPLIT_AT.split(spec.strip())
    retriever, _, aggregation = name.partition(":")
    if retriever not in RETRIEVERS:
        raise ConfigError(
            f"unknown system {spec!r}: the retriever is one of {', '.join(RETRIEVERS)}, "
            "written retriever:aggregation, e.g. bm25:rrf"
        )
    if aggregation not in RETRIEVERS[retriever]:
        raise ConfigError(
            f"unknown system {spec!r}: {retriever} takes one of {', '.join(RETRIEVERS[retriever])}"
        )
    return _build(spec, retriever, aggregation, _pairs(spec, given))


def _pairs(spec: str, given: list[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not value or name in values:
            raise ConfigError(
                f"in {spec!r}: expected @name=value, each name once, got {'@' + text!r}"
            )
        values[name] = value
    return values


def _build(spec: str, retriever: str, aggregation: str, values: dict[str, str]) -> System:
    defaults = _defaults(retriever, aggregation)
    takes_depth = aggregation not in ("doc", "firstp", "maxp")
    choices = [*defaults, *(["depth"] if takes_depth else [])]
    choices += ["of"] if retriever == "hybrid" else []
    choices += ["engine"] if takes_depth and ENGINES[retriever] else []
    for name in values:
        if name not in choices:
            raise ConfigError(
                f"in {spec!r}: {retriever}:{aggregation} has no parameter {name!r}; "
                + (f"it takes {', '.join(choices)}" if choices else "it takes none")
            )
    depth = _depth(values.get("depth", str(DEFAULT_DEPTH))) if takes_depth else None
    return System(
        retriever=retriever,
        aggregation=aggregation,
        depth=depth,
        engine=_engine(retriever, values.get("engine", "")),
        params={name: _number(name, values.get(name, str(v))) for name, v in defaults.items()},
        parts=_parts(values.get("of", "+".join(_DEFAULT_PARTS)), depth) if "of" in choices else (),
    )


def _defaults(retriever: str, aggregation: str) -> Mapping[str, float]:
    if retriever == "hybrid":
        return {"k": 60}
    known = AGGREGATIONS.get(aggregation)
    return known.params if known else {}


def _depth(text: str) -> int:
    try:
        depth = int(text)
    except ValueError:
        depth = 0
    if not 1 <= depth <= MAX_DEPTH:
        raise ConfigError(f"depth must be a whole number from 1 to {MAX_DEPTH}, got {text!r}")
    return depth


def _number(name: str, text: str) -> float:
    low, high = _RANGES[name]
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise ConfigError(f"{name} must be a number from {low:g} to {high:g}, got {text!r}")
    return value


def _engine(retriever: str, text: str) -> str:
    engines = ENGINES[retriever]
    if text and text not in engines:
        raise ConfigError(f"unknown engine {text!r}; {retriever} has {', '.join(engines)}")
    return "" if engines and text == engines[0] else text


def _parts(text: str, depth: int | None) -> tuple[System, ...]:
    """A hybrid's systems; one that names no depth has the hybrid's."""
    specs = [part.strip("()") for part in _SPLIT_PLUS.split(text)]
    parts = tuple(
        system if "@depth=" in spec else system.with_depth(depth or DEFAULT_DEPTH)
        for spec, system in zip(specs, map(parse_system, specs), strict=True)
    )
    if any(part.parts for part in parts):
        raise ConfigError("a hybrid is made of bm25 and dense systems, not of hybrids")
    if len(parts) < 2 or len(set(parts)) < len(parts):
        raise ConfigError(f"a hybrid needs two or more different systems, got {text!r}")
    return parts


def _written(value: float) -> str:
    """The shortest text that reads back as the same number."""
    return str(int(value)) if value == int(value) else repr(float(value))


def _nested(spec: str) -> str:
    return f"({spec})" if "@" in spec else spec
