"""A proxy in front of the gateway that breaks paid requests, before or after the gateway settles them."""

from __future__ import annotations

import http.client
import os
import socket
import struct
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Fault:
    """`kind` is a status, `timeout` or `reset`. `moment` is `before` or `after` the gateway has the payment."""

    kind: str
    moment: str

    def __str__(self) -> str:
        return f"{self.kind} {self.moment}"


class FaultProxy:
    def __init__(self, upstream: str) -> None:
        self.upstream = urlsplit(upstream)
        #: Applied to the next paid requests, in turn.
        self.faults: list[Fault] = []
        #: The value of `X-PAYMENT` of each paid request.
        self.payments: list[str] = []
        #: The status and headers of each response of the gateway to a paid request.
        self.served: list[tuple[int, dict[str, str]]] = []
        #: Set when the gateway has responded to a paid request whose response the proxy does not pass on.
        self.hidden = threading.Event()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.proxy = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    proxy: FaultProxy

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error of the proxy."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def _serve(self) -> None:
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        payment = self.headers.get("X-PAYMENT")
        fault = None
        if payment is not None:
            proxy.payments.append(payment)
            fault = proxy.faults.pop(0) if proxy.faults else None
        if fault is None or fault.moment == "after":
            status, headers, content = self._forward(body)
            if payment is not None:
                proxy.served.append((status, dict(headers)))
        if fault is None:
            self._reply(status, headers, content)
        else:
            proxy.hidden.set()
            self._break(fault)

    do_GET = do_POST = _serve

    def _forward(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        upstream = self.server.proxy.upstream
        connection = http.client.HTTPConnection(str(upstream.hostname), upstream.port, timeout=60)
        try:
            left_out = ("host", "connection", "content-length", "accept-encoding")
            headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
            connection.request(self.command, self.path, body or None, headers)
            response = connection.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            connection.close()

    def _reply(self, status: int, headers: list[tuple[str, str]], content: bytes) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "keep-alive", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _break(self, fault: Fault) -> None:
        if fault.kind.isdigit():
            # A page of a proxy, which says nothing about the payment.
            self._reply(int(fault.kind), [("Content-Type", "text/html")], b"<h1>The proxy failed</h1>")
            return
        self.close_connection = True
        if fault.kind == "timeout":
            self.server.proxy.closing.wait(30)
        else:
            # The connection ends with a reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())
