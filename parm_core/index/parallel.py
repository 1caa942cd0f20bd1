"""Work spread over the cores that this process may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

_MOST = 8
"""Threads at most: past these, memory and not arithmetic sets the pace."""


def n_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@lru_cache(maxsize=1)
def _pool(threads: int) -> ThreadPoolExecutor:
    """One for the whole process: its threads keep their memory warm, and sessions share the cores."""
    return ThreadPoolExecutor(threads, thread_name_prefix="parm")


if hasattr(os, "register_at_fork"):  # a forked process has the pool but none of its threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def in_parallel(work: Callable[[Given], Made], tasks: Sequence[Given]) -> list[Made]:
    """`work` done on every task, in threads, results in the order of the tasks.

    For work in compiled code that lets other threads run, and that calls this no further: it would
    wait for itself.
    """
    threads = min(n_cores(), _MOST)
    if threads < 2 or len(tasks) < 2:
        return [work(task) for task in tasks]
    return list(_pool(threads).map(work, tasks))
