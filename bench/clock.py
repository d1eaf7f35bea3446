"""Timing. Both clocks agree on a quiet machine; on a busy one processor time does not count what others do."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")
NAME = "process_time" if time.get_clock_info("process_time").resolution < 1e-5 else "perf_counter"
now: Callable[[], float] = getattr(time, NAME)


def timed(call: Callable[[str], Result], text: str) -> tuple[float, Result]:
    gc.collect()  # earlier garbage is not this call's debt
    start = now()
    result = call(text)
    return now() - start, result
