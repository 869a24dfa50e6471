"""Buys one chat completion with the Python client of x402 v1, which has a cap, and no option for a token."""

import asyncio
import os

from eth_account import Account
from x402.clients.httpx import x402HttpxClient

url, price_max = os.environ["CONFORMANCE_URL"], int(os.environ["CONFORMANCE_PRICE_MAX"])
with open(os.environ["CONFORMANCE_KEY_FILE"], encoding="ascii") as file:
    account = Account.from_key(file.read().strip())
body = {
    "model": os.environ["CONFORMANCE_MODEL"],
    "messages": [{"role": "user", "content": os.environ.get("PROMPT", "Say pong.")}],
}


async def buy() -> None:
    async with x402HttpxClient(account=account, max_value=price_max, base_url=url, timeout=30) as http:
        response = await http.post("/v1/chat/completions", json=body)
        response.raise_for_status()
        response.json()


asyncio.run(buy())
