"""Sweeps: settings tried on one part of the queries, the best reported once on another."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from parm_core.aggregation import AGGREGATIONS
from parm_core.errors import ConfigError
from parm_core.evaluation.tables import RENDERERS
from parm_core.experiments.plans import AXES, Plan, Value, read_axis
from parm_core.experiments.sweeps import Sweep, sweep
from parm_core.retrieval import Searcher
from parm_core.systems import parse_system
from parm_core.types import Float64
from ui import charts, inputs, laboratory, shell
from ui.panels import pictures, work
from ui.panels.evaluation.settings import Settings
from ui.sharing import choice, fingerprint, number, several

_VALUES = {
    "depth": "10 20 50 100 200 500 1000",
    "k": "0 5 10 20 60 100 200",
    "p": "0.5 1 1.5 2 3",
    "a": "0 0.25 0.5 0.75 1",
    "aggregation": " ".join(AGGREGATIONS),
    "k1": "0.5 0.9 1.3 1.7 2.1",
    "b": "0 0.2 0.4 0.6 0.8 1",
    "segment": "numbered lines windows",
}


def show(engine: Searcher, settings: Settings) -> None:
    """What to vary, the curve or grid on the development part, the report on the test part."""
    plan, seed = _plan(settings)
    if plan is None:
        return
    points = sum(1 for _ in plan.settings())
    key = fingerprint(laboratory.key(engine, settings.asked), repr(plan), str(seed))
    found = work.computed(
        f"sweep-{key}",
        f"{points} settings, to be tried on the development queries; the best of them and the base "
        "system are then reported on the test queries. What is done is kept, should you stop.",
        lambda progress: sweep(
            engine.index, laboratory.whole_collection(engine), plan,
            memory=laboratory.memory(), seed=seed, progress=progress,
        ),
        button="Run the sweep",
    )  # fmt: skip
    if found is not None:
        _found(found)


def _plan(settings: Settings) -> tuple[Plan | None, int]:
    """What to try, None where that cannot be; and the seed of the split."""
    left, middle, right, last = st.columns([3, 4, 2, 2], gap="medium")
    names = list(dict.fromkeys([*map(str, settings.systems), *inputs.SUGGESTED]))
    default = next((str(s) for s in settings.systems if s.params and not s.parts), "bm25:rrf")
    with left:
        base = choice(st.selectbox, "Base system", names, key="base", default=default)
    with middle:
        axes = several(
            "What to vary", list(AXES), key="axes", default=["k"], max_selections=2, wrap=True,
            format_func=lambda name: AXES[name],
        )  # fmt: skip
    with right:
        measure = choice(
            st.selectbox, "Chosen by", list(settings.measures), key="chosen_by",
            default=settings.measures[0],
        )  # fmt: skip
    with last:
        seed = number("Seed of a drawn split", 0, 20, key="seed", default=0)
    given = {}
    for column, axis in zip(st.columns(max(len(axes), 1), gap="medium"), axes, strict=False):
        with column:
            label = f"Values: {AXES[axis]}"
            given[axis] = st.text_input(label, _VALUES[axis], key=f"values-{axis}")
    try:
        values = {axis: _read(axis, text) for axis, text in given.items()}
        return Plan(parse_system(base), values, measure), seed
    except ConfigError as error:
        st.warning(shell.plain(f"{error}."))
        return None, seed


def _read(axis: str, text: str) -> tuple[Value, ...]:
    """Words or numbers, apart by spaces or commas. Raises ConfigError for what is neither."""
    return read_axis(f"{axis}={','.join(dict.fromkeys(text.replace(',', ' ').split()))}")[1]


def _found(found: Sweep) -> None:
    axes = found.plan.axes
    if len(axes) == 2:
        shell.chart(_grid(found), key="sweep")
    elif len(axes) == 1:
        shell.chart(_curve(found), key="sweep")
    _report(found)
    table = pd.DataFrame([{**p.values, found.plan.measure: p.dev} for p in found.points])
    with st.expander("Every setting, on the development queries"):
        st.dataframe(table.round(4), hide_index=True)
    with st.container(horizontal=True, gap="small"):
        text = json.dumps(found.as_dict(), allow_nan=False, ensure_ascii=False, indent=1)
        st.download_button(
            "Sweep (JSON)", text, "sweep.json", "application/json", on_click="ignore"
        )
        shell.download("Settings (CSV)", table, "sweep.csv")
        if len(axes) == 2:
            pictures.downloads(lambda: _picture(found), "sweep")


def _report(found: Sweep) -> None:
    sizes = {name: len(ids) for name, ids in found.splits.items()}
    parts = list(sizes)
    drawn = f", drawn with seed {found.seed}" if found.seed is not None else ""
    st.markdown(
        shell.plain(
            f"Chosen: {found.chosen.name}, {found.plan.measure} {found.chosen.dev:.4f} on the "
            f"{sizes[parts[0]]} queries of {parts[0]}. Below, once, on the {sizes[parts[1]]} queries of "
            f"{parts[1]}{drawn}."
        )
    )
    st.markdown(RENDERERS["markdown"](found.test))


def _values_grid(found: Sweep) -> tuple[Float64, list[str], list[str]]:
    """(R, C) development values, and the labels of rows and columns."""
    down, across = ([_written(v) for v in values] for values in found.plan.axes.values())
    values = np.array([point.dev for point in found.points]).reshape(len(down), len(across))
    return values, down, across


def _grid(found: Sweep) -> charts.Chart:
    values, down, across = _values_grid(found)
    names = list(found.plan.axes)
    best = divmod(found.points.index(found.chosen), len(across))
    return charts.grid(
        values, rows=down, columns=across, down=AXES[names[0]], across=AXES[names[1]],
        measure=found.plan.measure, title=f"{found.plan.base}, on the development queries",
        chosen=best,
    )  # fmt: skip


def _curve(found: Sweep) -> charts.Chart:
    (name, values), *_ = found.plan.axes.items()
    return charts.curve(
        [_written(value) for value in values],
        [point.dev for point in found.points],
        across=AXES[name],
        measure=found.plan.measure,
        title=f"{found.plan.base}, on the development queries",
        chosen=found.points.index(found.chosen),
    )


def _written(value: Value) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _picture(found: Sweep) -> Any:
    from parm_core import figures

    values, down, across = _values_grid(found)
    first, second = found.plan.axes
    return figures.grid(values, down, across, str(found.plan.base), (first, second))
