"""Plays one scenario of conformance/STACKS.md with x402's Python client, which reads bodies as JSON without types."""

import asyncio
import base64
import json
import os
from typing import Any

import httpx
from eth_account import Account
from x402 import x402Client
from x402.http.clients.httpx import x402HttpxClient
from x402.mechanisms.evm.exact.register import register_exact_evm_client

SCENARIO, KEY, GATEWAY = (os.environ[name] for name in ("SCENARIO", "PAYER_KEY", "GATEWAY_URL"))
NETWORK = "eip155:84532"
CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
MODEL = "alder/alder-mini"
QUESTION = "What is 6 times 7?"
TOOL = {
    "type": "function",
    "function": {
        "name": "order_status",
        "description": "Looks up the status of an order by its number",
        "parameters": {
            "type": "object",
            "properties": {"order_id": {"type": "string"}},
            "required": ["order_id"],
        },
    },
}


def chat(content: str = QUESTION, **more: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": content}], **more}


def decode(header: str) -> dict[str, Any]:
    return json.loads(base64.b64decode(header))


def find_asset() -> str:
    """The client pays only in allowed assets, so the first offer names the token of this gateway."""
    offer = httpx.post(GATEWAY + CHAT, json=chat()).headers.get("X-PAYMENT-REQUIRED")
    return NETWORK if offer is None else decode(offer)["asset"]


async def buy_with_tool(http: httpx.AsyncClient) -> httpx.Response:
    body = chat("What is the status of order A-1042?", tools=[TOOL])
    message = (await http.post(CHAT, json=body)).json()["choices"][0]["message"]
    call = message["tool_calls"][0]["id"]
    result = {"role": "tool", "tool_call_id": call, "content": '{"status": "shipped"}'}
    return await http.post(CHAT, json={**body, "messages": [*body["messages"], message, result]})


async def play() -> httpx.Response:
    client = register_exact_evm_client(x402Client(), Account.from_key(KEY), networks=[NETWORK])
    asset = {"network": NETWORK, "asset": find_asset(), "max_amount_per_payment": "100000"}
    client.set_spend_controls({"allowed_assets": [asset]})
    async with x402HttpxClient(client, base_url=GATEWAY, timeout=30) as http:
        if SCENARIO == "pay-text":
            return await http.post(TEXT, json={"model": MODEL, "prompt": QUESTION})
        if SCENARIO == "pay-tools":
            return await buy_with_tool(http)
        if SCENARIO == "error-400":
            return await http.post(CHAT, json=chat(temperature=3))
        if SCENARIO == "error-413":
            return await http.post(CHAT, json=chat("x" * 2_000_000))
        return await http.post(CHAT, json=chat())


response = asyncio.run(play())
body = response.json()
choice = body.get("choices", [{}])[0]
error = body.get("error") or {}
receipt = response.headers.get("X-PAYMENT-RESPONSE")
line = {
    "scenario": SCENARIO,
    "status": response.status_code,
    "code": error.get("code"),
    "param": error.get("param"),
    "text": choice.get("text", choice.get("message", {}).get("content")),
    "txHash": receipt and decode(receipt)["txHash"],
}
print(json.dumps(line))
