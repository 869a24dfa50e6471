"""An adapter of requests that pays."""

from __future__ import annotations

from typing import Any

import requests
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.structures import CaseInsensitiveDict

from . import _contract as contract
from ._body import Body
from ._exchange import Lost, Request, Response
from ._payer import Payer, PaymentOutcomeUnknown
from ._run import run

_CHUNK_BYTES = 65_536


def make_adapter(payer: Payer, inner: BaseAdapter | None, is_only: bool = False) -> BaseAdapter:
    return _PayingAdapter(payer, inner or HTTPAdapter(), is_only)


class _ConnectionPaymentOutcomeUnknown(PaymentOutcomeUnknown, requests.ConnectionError):
    """The same error as one of requests, for callers that catch those."""


class _PayingAdapter(BaseAdapter):
    def __init__(self, payer: Payer, inner: BaseAdapter, is_only: bool) -> None:
        super().__init__()
        self._payer = payer
        self._inner = inner
        self._is_only = is_only

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> requests.Response:
        body = _read_body(request.body)

        def send(sent: Request) -> Response | Lost:
            given = contract.ATTEMPT_TIMEOUT_SECONDS if timeout is None else timeout
            try:
                written = _write(sent, request)
                read_timeout = given[1] if isinstance(given, tuple) else given
                return _convert(self._inner.send(written, True, given, verify, cert, proxies), read_timeout)
            except Exception as error:
                return Lost(error, left=not _never_connected(error))

        headers = tuple((str(name), _text(value)) for name, value in request.headers.items())
        asked = Request(str(request.method), str(request.url), headers, body)
        try:
            final = run(self._payer.exchange(asked), send, self._payer.clock)
        except PaymentOutcomeUnknown as unknown:
            raise _ConnectionPaymentOutcomeUnknown(unknown.nonce, unknown.cause) from unknown.cause
        native = final.native or _make_native(final, request)
        # Sessions and callers compare this request with the one that they sent.
        native.request = request
        return native

    def close(self) -> None:
        self._inner.close()
        if self._is_only:
            self._payer.close()


def _read_body(body: Any) -> bytes:
    if body is None:
        return b""
    if isinstance(body, str):
        return body.encode("utf-8")
    if isinstance(body, (bytes, bytearray)):
        return bytes(body)
    return _read_body(body.read()) if hasattr(body, "read") else b"".join(body)


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _write(sent: Request, original: requests.PreparedRequest) -> requests.PreparedRequest:
    written = original.copy()
    written.headers = CaseInsensitiveDict(sent.headers)
    written.body = sent.body or None
    written.headers.pop("Transfer-Encoding", None)
    if sent.body:
        written.headers["Content-Length"] = str(len(sent.body))
    return written


def _convert(native: requests.Response, read_timeout: object) -> Response:
    body = Body(read_timeout)
    try:
        for chunk in native.iter_content(_CHUNK_BYTES):
            body.add(chunk)
    finally:
        native.close()
    native._content = body.whole()
    # The client follows no redirects, and neither may a session: another place would get another payment.
    if 300 <= native.status_code < 400:
        native.headers.pop("Location", None)
    headers = {name.lower(): value for name, value in native.headers.items()}
    return Response(native.status_code, headers, native._content, native)


def _make_native(response: Response, request: requests.PreparedRequest) -> requests.Response:
    native = requests.Response()
    native.status_code = response.status
    native.headers = CaseInsensitiveDict(response.headers)
    native.url = str(request.url)
    native.encoding = "utf-8"
    native._content = response.body
    native._content_consumed = True  # type: ignore[attr-defined]
    return native


def _never_connected(error: Exception) -> bool:
    """Whether the error is one of name resolution or of the connection, before any byte of the request."""
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return True
    reason = getattr(error.args[0] if error.args else None, "reason", None)
    return isinstance(error, requests.exceptions.ConnectionError) and "NewConnectionError" in [
        each.__name__ for each in type(reason).__mro__
    ]
