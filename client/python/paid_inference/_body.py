"""The body of a response, within its limits."""

from __future__ import annotations

import time

from . import _contract as contract


class ResponseTooLarge(Exception):
    """A response that is larger than any completion."""


class Body:
    """Collects the parts of a body. A read timeout limits only the time of each part, so this limits their sum."""

    def __init__(self, read_timeout: object) -> None:
        given = read_timeout if isinstance(read_timeout, (int, float)) else 0.0
        self._end = time.monotonic() + max(float(given), float(contract.ATTEMPT_TIMEOUT_SECONDS))
        self._parts = bytearray()

    def add(self, part: bytes) -> None:
        self._parts.extend(part)
        if len(self._parts) > contract.RESPONSE_BYTES_MAX:
            raise ResponseTooLarge(f"the response is larger than {contract.RESPONSE_BYTES_MAX} bytes")
        if time.monotonic() > self._end:
            raise TimeoutError("the body of the response did not arrive in time")

    def whole(self) -> bytes:
        return bytes(self._parts)
