"""Transports of httpx and httpx2 that pay. Both libraries have the same interface."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from collections.abc import AsyncIterator, Callable, Iterator
from functools import cache
from types import ModuleType
from typing import Any

from . import _contract as contract
from ._body import Body
from ._exchange import Lost, Request, Response, StreamWatch, is_live
from ._payer import Payer, PaymentOutcomeUnknown
from ._run import run, run_async


def http_library() -> ModuleType:
    """Return the library whose clients the installed `openai` accepts: httpx2 since its version 3, else httpx.

    Without `openai`, return the one that is installed.
    """
    names = ["httpx2", "httpx"]
    try:
        if int(importlib.metadata.version("openai").split(".")[0]) < 3:
            names.reverse()
    except (importlib.metadata.PackageNotFoundError, ValueError):
        pass
    for name in names:
        if importlib.util.find_spec(name) is not None:
            return importlib.import_module(name)
    raise ImportError("paid_inference.client needs httpx2 or httpx: pip install 'paid-inference[httpx2]'")


def make_client(payer: Payer, inner: Any, options: dict[str, Any], is_only: bool = False) -> Any:
    httpx = http_library()
    options.setdefault("timeout", contract.ATTEMPT_TIMEOUT_SECONDS)
    transport = _paying_transport(httpx)(payer, inner or httpx.HTTPTransport(), is_only)
    return httpx.Client(transport=transport, **options)


def make_async_client(payer: Payer, inner: Any, options: dict[str, Any], is_only: bool = False) -> Any:
    httpx = http_library()
    options.setdefault("timeout", contract.ATTEMPT_TIMEOUT_SECONDS)
    transport = _async_paying_transport(httpx)(payer, inner or httpx.AsyncHTTPTransport(), is_only)
    return httpx.AsyncClient(transport=transport, **options)


@cache
def _paying_transport(httpx: Any) -> Any:
    """Make the class for one library, because a transport must be a subclass of the library's own class."""

    class LiveStream(httpx.SyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, finish: Callable[[bool], None]) -> None:
            self._inner = inner
            self._watch = StreamWatch(finish)

        def __iter__(self) -> Iterator[bytes]:
            for chunk in self._inner:
                self._watch.see(chunk)
                yield chunk

        def close(self) -> None:
            try:
                self._inner.close()
            finally:
                self._watch.end()

    class PayingTransport(httpx.BaseTransport):  # type: ignore[misc]
        def __init__(self, payer: Payer, inner: Any, is_only: bool) -> None:
            self._payer = payer
            self._inner = inner
            self._is_only = is_only

        def handle_request(self, request: Any) -> Any:
            request.read()

            def send(sent: Request) -> Response | Lost:
                try:
                    received = self._inner.handle_request(_write(httpx, sent, request))
                    if is_live(received.status_code, _lower(received)):
                        return _keep_live(received)
                    body = _body(request)
                    try:
                        for chunk in received.iter_bytes():
                            body.add(chunk)
                    finally:
                        received.close()
                    return _convert(httpx, received, body.whole())
                except Exception as error:
                    return _lost(httpx, error)

            flow = self._payer.exchange(_read(request))
            try:
                return _native(httpx, run(flow, send, self._payer.clock), LiveStream)
            except PaymentOutcomeUnknown as unknown:
                raise _unknown(httpx)(unknown.nonce, unknown.cause) from unknown.cause

        def close(self) -> None:
            self._inner.close()
            if self._is_only:
                self._payer.close()

    return PayingTransport


@cache
def _async_paying_transport(httpx: Any) -> Any:
    """Make the asynchronous class for one library."""

    class LiveStream(httpx.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, inner: Any, finish: Callable[[bool], None]) -> None:
            self._inner = inner
            self._watch = StreamWatch(finish)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in self._inner:
                self._watch.see(chunk)
                yield chunk

        async def aclose(self) -> None:
            try:
                await self._inner.aclose()
            finally:
                self._watch.end()

    class PayingTransport(httpx.AsyncBaseTransport):  # type: ignore[misc]
        def __init__(self, payer: Payer, inner: Any, is_only: bool) -> None:
            self._payer = payer
            self._inner = inner
            self._is_only = is_only

        async def handle_async_request(self, request: Any) -> Any:
            await request.aread()

            async def send(sent: Request) -> Response | Lost:
                try:
                    received = await self._inner.handle_async_request(_write(httpx, sent, request))
                    if is_live(received.status_code, _lower(received)):
                        return _keep_live(received)
                    body = _body(request)
                    try:
                        async for chunk in received.aiter_bytes():
                            body.add(chunk)
                    finally:
                        await received.aclose()
                    return _convert(httpx, received, body.whole())
                except Exception as error:
                    return _lost(httpx, error)

            flow = self._payer.exchange(_read(request))
            try:
                return _native(httpx, await run_async(flow, send, self._payer.clock), LiveStream)
            except PaymentOutcomeUnknown as unknown:
                raise _unknown(httpx)(unknown.nonce, unknown.cause) from unknown.cause

        async def aclose(self) -> None:
            await self._inner.aclose()
            if self._is_only:
                self._payer.close()

    return PayingTransport


@cache
def _unknown(httpx: Any) -> Any:
    """Make the class of the error for one library, because SDKs retry only after errors of the library."""

    class TransportPaymentOutcomeUnknown(PaymentOutcomeUnknown, httpx.TransportError):  # type: ignore[misc]
        pass

    return TransportPaymentOutcomeUnknown


def _lost(httpx: Any, error: Exception) -> Lost:
    never_connected = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
    return Lost(error, left=not isinstance(error, never_connected))


def _read(request: Any) -> Request:
    headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in request.headers.raw)
    return Request(request.method, str(request.url), headers, request.content)


def _write(httpx: Any, sent: Request, original: Any) -> Any:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in sent.headers]
    timeouts = dict.fromkeys(("connect", "read", "write", "pool"), contract.ATTEMPT_TIMEOUT_SECONDS)
    extensions = {"timeout": timeouts, **original.extensions}
    return httpx.Request(
        sent.method, original.url, headers=headers, content=sent.body, extensions=extensions
    )


def _body(original: Any) -> Body:
    return Body(original.extensions.get("timeout", {}).get("read"))


def _convert(httpx: Any, received: Any, body: bytes) -> Response:
    # These headers describe the bytes on the wire, which the library has already decoded.
    left_out = [b"content-encoding", b"content-length", b"transfer-encoding"]
    # The client follows no redirects, and neither may its caller: another place would get another payment.
    if 300 <= received.status_code < 400:
        left_out.append(b"location")
    headers = [(name, value) for name, value in received.headers.raw if name.lower() not in left_out]
    native = httpx.Response(
        received.status_code, headers=headers, content=body, extensions=received.extensions
    )
    return Response(native.status_code, _lower(native), body, native)


def _keep_live(received: Any) -> Response:
    return Response(received.status_code, _lower(received), b"", received, live=True)


def _lower(native: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in native.headers.items()}


def _native(httpx: Any, response: Response, live_stream: Any) -> Any:
    native = response.native
    if native is not None:
        if response.finish is not None:
            native.stream = live_stream(native.stream, response.finish)
        return native
    return httpx.Response(response.status, headers=dict(response.headers), content=response.body)
