"""A signer, a clock and a gateway for tests that need only the standard library."""

from __future__ import annotations

import json
import unittest
from typing import Any

from paid_inference import Clock, Payer
from paid_inference._codec import encode
from paid_inference._exchange import Lost, Request, Response
from paid_inference._run import run
from paid_inference._signing import hash_typed_data

PAYER = "0x" + "aa" * 20
TOKEN = "0x" + "22" * 20
RECIPIENT = "0x" + "11" * 20
URL = "https://gateway.example/v1/chat/completions"
OFFER = {
    "scheme": "exact",
    "network": "eip155:84532",
    "maxAmountRequired": "1000",
    "resource": URL,
    "description": "A test completion",
    "mimeType": "application/json",
    "payTo": RECIPIENT,
    "maxTimeoutSeconds": 300,
    "asset": TOKEN,
    "extra": {"name": "Test Payment Token", "version": "1"},
}
LIMITS = {"amount_per_request_max": 1000, "amount_total_max": 3000}


class FakeSigner:
    """Signs with bytes that depend on the message. No gateway of these tests verifies them."""

    def __init__(self) -> None:
        self.address = PAYER
        self.signed: list[dict[str, Any]] = []

    def sign_typed_data(self, domain: Any, types: Any, message: Any) -> bytes:
        self.signed.append(message)
        return hash_typed_data(domain, types, message) * 2 + b"\x1b"


class FakeTime:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0
        self.pauses: list[float] = []
        self.clock = Clock(now=lambda: self.seconds, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.seconds += seconds


class FakeGateway:
    """Offers, and gives paid requests the responses of a list before it serves them."""

    def __init__(self, offer: dict[str, Any] = OFFER) -> None:
        self.offer = offer
        self.asked = 0
        self.paid: list[str] = []
        self.bodies: list[bytes] = []
        self.fates: list[Response | Lost] = []
        self.receipt: dict[str, Any] = {}

    def __call__(self, request: Request) -> Response | Lost:
        self.bodies.append(request.body)
        payment = request.header("x-payment")
        if payment is None:
            self.asked += 1
            return respond(402, {"error": "payment required"}, {"X-PAYMENT-REQUIRED": encode(self.offer)})
        self.paid.append(payment)
        if self.fates:
            return self.fates.pop(0)
        receipt = {
            "success": True,
            "network": "eip155:84532",
            "chainId": 84532,
            "txHash": "0x" + "33" * 32,
            "payer": PAYER,
            **self.receipt,
        }
        return respond(200, {"id": "1"}, {"X-PAYMENT-RESPONSE": encode(receipt)})


def respond(status: int, body: object, headers: dict[str, str] | None = None) -> Response:
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    return Response(status, lower, json.dumps(body).encode())


def fault(status: int, code: str, headers: dict[str, str] | None = None) -> Response:
    return respond(status, {"error": {"message": "m", "type": "t", "code": code}}, headers)


def ask(body: bytes = b"{}", url: str = URL, headers: tuple[tuple[str, str], ...] = ()) -> Request:
    return Request("POST", url, (("Content-Type", "application/json"), *headers), body)


class PurchaseCase(unittest.TestCase):
    """A payer, its signer, and a gateway."""

    def setUp(self) -> None:
        self.time = FakeTime()
        self.gateway = FakeGateway()
        self.signer = FakeSigner()
        self.steps: list[Any] = []
        self.payer = self.make()

    def make(self, **options: Any) -> Payer:
        rules = {**LIMITS, "signer": self.signer, "clock": self.time.clock, "on_step": self.steps.append}
        payer = Payer(**{**rules, **options})
        self.addCleanup(payer.close)
        return payer

    def buy(self, request: Request | None = None, payer: Payer | None = None) -> Response:
        payer = payer or self.payer
        return run(payer.exchange(request or ask()), self.gateway, payer.clock)

    def refused(self) -> list[str]:
        return [step["reason"] for step in self.steps if step["step"] == "refused"]
