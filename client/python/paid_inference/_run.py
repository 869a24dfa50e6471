"""Runs a purchase with the functions of an HTTP library."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass

from ._exchange import Flow, Lost, Request, Response, Wait


async def _sleep_async(seconds: float) -> None:
    # httpx and httpx2 depend on anyio, which knows the running event loop.
    import anyio

    await anyio.sleep(seconds)


@dataclass(frozen=True)
class Clock:
    """The time in seconds since 1970, and pauses. Tests replace it."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    sleep_async: Callable[[float], Awaitable[None]] = _sleep_async


def run(flow: Flow, send: Callable[[Request], Response | Lost], clock: Clock) -> Response:
    """Run a purchase with a function that sends."""
    with closing(flow):
        result: Response | Lost | None = None
        while True:
            try:
                effect = flow.send(result)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            result = None
            if isinstance(effect, Wait):
                clock.sleep(effect.seconds)
            else:
                result = send(effect.request)


async def run_async(
    flow: Flow, send: Callable[[Request], Awaitable[Response | Lost]], clock: Clock
) -> Response:
    """Run a purchase with an asynchronous function that sends."""
    with closing(flow):
        result: Response | Lost | None = None
        while True:
            try:
                effect = flow.send(result)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            result = None
            if isinstance(effect, Wait):
                await clock.sleep_async(effect.seconds)
            else:
                result = await send(effect.request)
