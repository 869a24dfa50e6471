"""Buys one chat completion with x402's Python client, within the limits that the client can keep.

The argument names the HTTP library: httpx or requests.
"""

import asyncio
import os
import sys
from typing import Any

from eth_account import Account
from x402 import x402Client, x402ClientSync
from x402.mechanisms.evm.exact.register import register_exact_evm_client

URL = os.environ["CONFORMANCE_URL"] + "/v1/chat/completions"
NETWORK = os.environ["CONFORMANCE_NETWORK"]
TIMEOUT_SECONDS = 30
with open(os.environ["CONFORMANCE_KEY_FILE"], encoding="ascii") as file:
    ACCOUNT = Account.from_key(file.read().strip())
ASSET = {
    "network": NETWORK,
    "asset": os.environ["CONFORMANCE_TOKEN"],
    "max_amount_per_payment": os.environ["CONFORMANCE_PRICE_MAX"],
}
BODY = {
    "model": os.environ["CONFORMANCE_MODEL"],
    "messages": [{"role": "user", "content": os.environ.get("PROMPT", "Say pong.")}],
}


def make_client(kind: Any) -> Any:
    client = register_exact_evm_client(kind(), ACCOUNT, networks=[NETWORK])
    client.set_spend_controls({"allowed_assets": [ASSET]})
    return client


def buy_with_requests() -> None:
    from x402.http.clients.requests import x402_requests

    with x402_requests(make_client(x402ClientSync)) as session:
        response = session.post(URL, json=BODY, timeout=TIMEOUT_SECONDS)
        response.raise_for_status()
        response.json()


async def buy_with_httpx() -> None:
    from x402.http.clients.httpx import x402HttpxClient

    async with x402HttpxClient(make_client(x402Client), timeout=TIMEOUT_SECONDS) as http:
        response = await http.post(URL, json=BODY)
        response.raise_for_status()
        response.json()


if sys.argv[1] == "requests":
    buy_with_requests()
else:
    asyncio.run(buy_with_httpx())
