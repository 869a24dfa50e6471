"""Streams of events, from a small gateway that can stop in the middle."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from buyers import MODEL, make_async_openai, make_openai, messages
from core_support import OFFER
from paid_inference import Payer
from paid_inference._codec import encode


class StreamingGateway(ThreadingHTTPServer):
    """Sends each word after `go`. Breaks the connection after `words_before_break` words."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, payer: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.payer = payer
        self.payments: list[str] = []
        self.go = threading.Semaphore(0)
        self.words_before_break: int | None = None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is no error of the gateway."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: StreamingGateway

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        payment = self.headers.get("X-PAYMENT")
        if payment is None:
            self._require_payment()
            return
        self.server.payments.append(payment)
        receipt = {
            "success": True,
            "network": "eip155:84532",
            "chainId": 84532,
            "txHash": "0x" + "33" * 32,
            "payer": self.server.payer,
        }
        self.send_response_only(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("X-PAYMENT-RESPONSE", encode(receipt))
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for index, word in enumerate(("one ", "two ", "data: [DONE]")):
            if index == self.server.words_before_break:
                self.close_connection = True
                return
            assert self.server.go.acquire(timeout=30)
            self._write_event(json.dumps(make_chunk(word)))
        self._write_event("[DONE]")
        self.wfile.write(b"0\r\n\r\n")

    def _require_payment(self) -> None:
        offer = {**OFFER, "resource": self.server.url + self.path}
        self.send_response_only(402)
        self.send_header("X-PAYMENT-REQUIRED", encode(offer))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _write_event(self, data: str) -> None:
        event = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))


def make_chunk(text: str) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}


@pytest.fixture
def streaming(make_stream_payer: Callable[[], Payer]) -> Iterator[StreamingGateway]:
    opened = StreamingGateway(make_stream_payer().signer.address)
    yield opened
    opened.shutdown()
    opened.server_close()


@pytest.fixture
def make_stream_payer(make_payer: Callable[..., Payer]) -> Callable[[], Payer]:
    return lambda: make_payer(assets=None, pay_to=None)


def test_a_stream_arrives_live(
    streaming: StreamingGateway, make_stream_payer: Callable[[], Payer]
) -> None:
    with make_openai(make_stream_payer(), streaming.url) as client:
        texts = []
        streaming.go.release()
        for chunk in client.chat.completions.create(model=MODEL, messages=messages("Count."), stream=True):
            texts.append(chunk.choices[0].delta.content)
            # The gateway sends the next word only now.
            streaming.go.release()
    assert texts == ["one ", "two ", "data: [DONE]"]


def test_a_stream_arrives_live_in_an_event_loop(
    streaming: StreamingGateway, make_stream_payer: Callable[[], Payer]
) -> None:
    async def read() -> list[Any]:
        async with make_async_openai(make_stream_payer(), streaming.url) as client:
            texts = []
            streaming.go.release()
            stream = await client.chat.completions.create(
                model=MODEL, messages=messages("Count."), stream=True
            )
            async for chunk in stream:
                texts.append(chunk.choices[0].delta.content)
                streaming.go.release()
            return texts

    assert asyncio.run(read()) == ["one ", "two ", "data: [DONE]"]


@pytest.mark.parametrize("words", [0, 2])
def test_after_a_broken_stream_the_same_payment_gets_the_whole(
    words: int, streaming: StreamingGateway, make_stream_payer: Callable[[], Payer]
) -> None:
    streaming.go.release(100)
    streaming.words_before_break = words
    with make_openai(make_stream_payer(), streaming.url) as client:

        def read() -> list[Any]:
            stream = client.chat.completions.create(model=MODEL, messages=messages("Count."), stream=True)
            return [chunk.choices[0].delta.content for chunk in stream]

        with pytest.raises(Exception):
            read()
        streaming.words_before_break = None
        assert read() == ["one ", "two ", "data: [DONE]"]
        assert (len(streaming.payments), len(set(streaming.payments))) == (2, 1)
        # The stream was whole, so the next one is another purchase.
        read()
        assert len(set(streaming.payments)) == 2


def test_a_reader_that_leaves_keeps_its_payment(
    streaming: StreamingGateway, make_stream_payer: Callable[[], Payer]
) -> None:
    with make_openai(make_stream_payer(), streaming.url) as client:
        for words in (1, 100):
            streaming.go.release(words)
            stream = client.chat.completions.create(model=MODEL, messages=messages("Count."), stream=True)
            next(iter(stream))
            stream.close()
    assert (len(streaming.payments), len(set(streaming.payments))) == (2, 1)
