"""Buys one chat completion with x402's Python client for httpx, within the limits that the client can keep."""

import asyncio
import os

from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm.exact.register import register_exact_evm_client

url, network = os.environ["CONFORMANCE_URL"], os.environ["CONFORMANCE_NETWORK"]
with open(os.environ["CONFORMANCE_KEY_FILE"], encoding="ascii") as file:
    account = Account.from_key(file.read().strip())
asset = {
    "network": network,
    "asset": os.environ["CONFORMANCE_TOKEN"],
    "max_amount_per_payment": os.environ["CONFORMANCE_PRICE_MAX"],
}
body = {
    "model": os.environ["CONFORMANCE_MODEL"],
    "messages": [{"role": "user", "content": "Say pong."}],
}


async def buy() -> None:
    client = register_exact_evm_client(x402Client(), account, networks=[network])
    client.set_spend_controls({"allowed_assets": [asset]})
    async with x402HttpxClient(client, timeout=30) as http:
        response = await http.post(f"{url}/v1/chat/completions", json=body)
        response.raise_for_status()
        response.json()


asyncio.run(buy())
