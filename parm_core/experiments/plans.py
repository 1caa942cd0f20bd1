"""What a sweep varies, checked, and the settings that this makes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import isfinite, nan, prod
from types import MappingProxyType

from parm_core.errors import ConfigError
from parm_core.index.lexical import BM25Params
from parm_core.segmentation import RULES
from parm_core.systems import RETRIEVERS, System, parse_system

MOST_POINTS = 400
OF_SYSTEM = ("depth", "k", "p", "a", "aggregation")
OF_INDEX = ("k1", "b", "segment")
AXES: Mapping[str, str] = MappingProxyType(
    {
        "depth": "hits per query paragraph",
        "k": "k of RRF and its kin",
        "p": "the power of srrf",
        "a": "the length norm of srrf",
        "aggregation": "what turns hits into a ranking",
        "k1": "BM25's k1",
        "b": "BM25's b",
        "segment": "the rule that cuts cases into paragraphs",
    }
)
"""What can be varied, in a few words."""

Value = float | str


@dataclass(frozen=True)
class Setting:
    """One point of a plan: the system, and what of the index it changes (k1, b, segment)."""

    values: Mapping[str, Value]
    system: System
    of_index: Mapping[str, Value]

    @property
    def name(self) -> str:
        """The system's name, followed by what it changes of the index."""
        changed = ", ".join(f"{name}={value}" for name, value in self.of_index.items())
        return f"{self.system} [{changed}]" if changed else str(self.system)


@dataclass(frozen=True)
class Plan:
    """A base system, what is varied of it, and the measure to choose by.

    axes: name, one of AXES -> its values. Raises ConfigError: nothing to vary, an unknown axis or
    value, one that the base has no use for, more than MOST_POINTS settings.
    """

    base: System
    axes: Mapping[str, tuple[Value, ...]]
    measure: str = "R@100"

    def __post_init__(self) -> None:
        if not self.axes:
            raise ConfigError(f"a sweep needs something to vary: one of {', '.join(AXES)}")
        for name, values in self.axes.items():
            self._check(name, values)
        points = prod(len(values) for values in self.axes.values())
        if points > MOST_POINTS:
            raise ConfigError(f"{points:,} settings are too many; at most {MOST_POINTS} are tried")
        for _ in self.settings():
            pass

    def settings(self) -> Iterator[Setting]:
        """Every setting, in the order of the axes' product."""
        for values in product(*self.axes.values()):
            chosen = dict(zip(self.axes, values, strict=True))
            of_index = {name: value for name, value in chosen.items() if name in OF_INDEX}
            yield Setting(chosen, self._system(chosen), of_index)

    def _check(self, name: str, values: tuple[Value, ...]) -> None:
        if name not in AXES:
            raise ConfigError(f"{name!r} cannot be varied; one of {', '.join(AXES)} can")
        if not values or len(set(values)) < len(values):
            raise ConfigError(f"{name} needs different values, got {list(values)}")
        if name in ("k1", "b"):
            for value in values:
                BM25Params(**{name: _number(name, value)})
            if not any(s.retriever == "bm25" for s in (self.base, *self.base.parts)):
                raise ConfigError(f"{self.base} has no BM25 in it, hence no {name} to vary")
        if name == "segment" and not set(values) <= set(RULES):
            raise ConfigError(f"segment takes {', '.join(RULES)}; got {list(values)}")

    def _system(self, chosen: Mapping[str, Value]) -> System:
        system = _aggregated(self.base, str(chosen.get("aggregation", self.base.aggregation)))
        if "depth" in chosen:
            if self.base.depth is None:
                raise ConfigError(f"{self.base} has no depth to vary")
            system = system.with_depth(int(_number("depth", chosen["depth"])))
        for name in set(chosen) & {"k", "p", "a"}:
            if name not in system.params and "aggregation" not in chosen:
                raise ConfigError(f"{self.base} has no {name} to vary")
            system = system.with_params(**{name: _number(name, chosen[name])})
        return parse_system(str(system))


def read_axis(text: str) -> tuple[str, tuple[Value, ...]]:
    """ "k=1,10,60" -> ("k", (1.0, 10.0, 60.0)). Raises ConfigError where it is not name=values."""
    name, equals, values = (part.strip() for part in text.partition("="))
    if not name or not equals or not values:
        raise ConfigError(f"write what to vary as name=value,value…, e.g. k=1,10,60; got {text!r}")
    named = name in ("aggregation", "segment")
    read = [value.strip() for value in values.split(",")]
    return name, tuple(read) if named else tuple(_number(name, value) for value in read)


def _aggregated(base: System, aggregation: str) -> System:
    """The base with another aggregation, at its depth, with the parameters that still apply."""
    if aggregation == base.aggregation:
        return base
    if base.depth is None or aggregation not in RETRIEVERS[base.retriever]:
        raise ConfigError(
            f"{base.retriever} takes {', '.join(RETRIEVERS[base.retriever])}; got {aggregation!r}"
        )
    other = parse_system(f"{base.retriever}:{aggregation}")
    if other.depth is None:
        return other
    return replace(other.with_depth(base.depth), engine=base.engine).with_params(**base.params)


def _number(name: str, value: Value) -> float:
    try:
        number = float(value)
    except ValueError:
        number = nan
    if not isfinite(number):
        raise ConfigError(f"{name} takes numbers, got {value!r}")
    return number
