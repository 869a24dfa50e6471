"""Each client with each fault: one payment on the chain, one authorization, one completion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from buyers import Buyer, buy_httpx, buy_openai, buy_requests, chat, list_buyers, read_content
from conftest import Gateway, rows
from fault_proxy import Fault, FaultProxy
from paid_inference import Payer, PaymentOutcomeUnknown
from paid_inference._httpx import http_library

FAULTS = [None] + [
    Fault(kind, moment) for moment in ("before", "after") for kind in ("503", "500", "timeout", "reset")
]


@pytest.mark.parametrize("fault", FAULTS, ids=str)
@pytest.mark.parametrize(("name", "buyer"), list_buyers().items(), ids=list(list_buyers()))
def test_one_payment_and_one_completion(
    name: str,
    buyer: Buyer,
    fault: Fault | None,
    gateway: Gateway,
    proxy: FaultProxy,
    make_payer: Callable[..., Payer],
    prompt: str,
) -> None:
    proxy.faults = [] if fault is None else [fault]
    start = gateway.block()
    payer = make_payer()
    completion = buyer(payer, proxy.url, prompt)
    payments = gateway.transfers_since(start)
    rows.setdefault(name, {})[str(fault or "none")] = f"{payments}, {1 if completion else 0}"
    assert (payments, bool(completion)) == (1, True)
    # The gateway joins new authorizations for one purchase. This client does not rely on it: it sends one.
    assert len(set(proxy.payments)) == 1
    assert len(proxy.payments) == (1 if fault is None else 2)
    assert proxy.faults == []


def test_a_purchase_survives_more_faults_than_one_request_tries(
    gateway: Gateway, proxy: FaultProxy, make_payer: Callable[..., Payer], prompt: str
) -> None:
    # The client sends a payment four times for one request. Then OpenAI's SDK repeats the request.
    proxy.faults = [Fault("503", "after"), Fault("reset", "after")] * 2 + [Fault("500", "before")]
    start = gateway.block()
    assert buy_openai(make_payer(), proxy.url, prompt)
    assert gateway.transfers_since(start) == 1
    assert (len(proxy.payments), len(set(proxy.payments))) == (6, 1)


@pytest.mark.parametrize("library", ["requests", "httpx"])
def test_an_unknown_outcome_is_an_error_of_the_library(
    library: str, gateway: Gateway, proxy: FaultProxy, make_payer: Callable[..., Payer], prompt: str
) -> None:
    import requests

    httpx = http_library()
    errors = {"requests": requests.ConnectionError, "httpx": httpx.TransportError}
    buy = {"requests": buy_requests, "httpx": buy_httpx}[library]
    proxy.faults = [Fault("reset", "after")] * 4
    start = gateway.block()
    payer = make_payer()
    with pytest.raises(PaymentOutcomeUnknown) as unknown:
        buy(payer, proxy.url, prompt)
    assert isinstance(unknown.value, errors[library])
    assert buy(payer, proxy.url, prompt)
    assert gateway.transfers_since(start) == 1


def test_a_response_that_settles_late_is_awaited(
    gateway: Gateway, proxy: FaultProxy, make_payer: Callable[..., Payer], prompt: str
) -> None:
    # The chain mines nothing until the gateway has returned 503 settlement_pending.
    start = gateway.block()
    gateway.call("evm_setAutomine", False)
    steps: list[Any] = []

    def mine_after_503(step: Any) -> None:
        steps.append(step)
        if step["step"] == "responded" and step["status"] == 503:
            gateway.call("evm_setAutomine", True)
            gateway.call("evm_mine")

    try:
        # The gateway waits 20 seconds for a settlement, longer than the other tests wait for a response.
        with make_payer(on_step=mine_after_503).client(timeout=60) as client:
            assert read_content(client.post(proxy.url + "/v1/chat/completions", json=chat(prompt)))
    finally:
        gateway.call("evm_setAutomine", True)
        gateway.call("evm_mine")
    assert 503 in [step["status"] for step in steps if step["step"] == "responded"]
    assert gateway.transfers_since(start) == 1
    assert len(set(proxy.payments)) == 1
