"""The clients of the table in README.md. Each buys one completion and returns its text."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from paid_inference import Payer

MODEL = "alder/alder-mini"
TOKENS = 20
#: Short, so that the tests with a timeout are short. A completion of the devnet takes less than a second.
TIMEOUT_SECONDS = 4.0

# LiteLLM downloads a list of prices at its import otherwise.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

Buyer = Callable[[Payer, str, str], Any]


def messages(prompt: str) -> Any:
    return [{"role": "user", "content": prompt}]


def make_openai(payer: Payer, url: str) -> Any:
    from openai import OpenAI

    return OpenAI(
        base_url=url + "/v1", api_key="unused", timeout=TIMEOUT_SECONDS, http_client=payer.client()
    )


def make_async_openai(payer: Payer, url: str) -> Any:
    from openai import AsyncOpenAI

    return AsyncOpenAI(
        base_url=url + "/v1", api_key="unused", timeout=TIMEOUT_SECONDS, http_client=payer.async_client()
    )


def buy_openai(payer: Payer, url: str, prompt: str) -> Any:
    with make_openai(payer, url) as client:
        bought = client.chat.completions.create(model=MODEL, messages=messages(prompt), max_tokens=TOKENS)
        return bought.choices[0].message.content


def buy_async_openai(payer: Payer, url: str, prompt: str) -> Any:
    async def buy() -> Any:
        async with make_async_openai(payer, url) as client:
            bought = await client.chat.completions.create(
                model=MODEL, messages=messages(prompt), max_tokens=TOKENS
            )
            return bought.choices[0].message.content

    return asyncio.run(buy())


def make_langchain(payer: Payer, url: str) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(
        model=MODEL,
        base_url=url + "/v1",
        api_key="unused",
        max_tokens=TOKENS,
        timeout=TIMEOUT_SECONDS,
        http_client=payer.client(),
        http_async_client=payer.async_client(),
    )


def buy_langchain(payer: Payer, url: str, prompt: str) -> Any:
    return make_langchain(payer, url).invoke(prompt).content


def buy_async_langchain(payer: Payer, url: str, prompt: str) -> Any:
    return asyncio.run(make_langchain(payer, url).ainvoke(prompt)).content


def litellm_options(prompt: str) -> dict[str, Any]:
    return {"model": f"openai/{MODEL}", "messages": messages(prompt), "max_tokens": TOKENS}


def buy_litellm(payer: Payer, url: str, prompt: str) -> Any:
    import litellm

    bought = litellm.completion(**litellm_options(prompt), client=make_openai(payer, url))
    return bought.choices[0].message.content


def buy_async_litellm(payer: Payer, url: str, prompt: str) -> Any:
    import litellm

    async def buy() -> Any:
        bought = await litellm.acompletion(**litellm_options(prompt), client=make_async_openai(payer, url))
        return bought.choices[0].message.content

    return asyncio.run(buy())


def chat(prompt: str) -> dict[str, Any]:
    return {"model": MODEL, "messages": messages(prompt), "max_tokens": TOKENS}


def read_content(response: Any) -> Any:
    response.raise_for_status()
    return response.json()["choices"][0]["message"]["content"]


def buy_requests(payer: Payer, url: str, prompt: str) -> Any:
    import requests

    with requests.Session() as session:
        session.mount(url, payer.adapter())
        sent = session.post(url + "/v1/chat/completions", json=chat(prompt), timeout=TIMEOUT_SECONDS)
        return read_content(sent)


def buy_httpx(payer: Payer, url: str, prompt: str) -> Any:
    with payer.client(timeout=TIMEOUT_SECONDS) as client:
        return read_content(client.post(url + "/v1/chat/completions", json=chat(prompt)))


def buy_async_httpx(payer: Payer, url: str, prompt: str) -> Any:
    async def buy() -> Any:
        async with payer.async_client(timeout=TIMEOUT_SECONDS) as client:
            return read_content(await client.post(url + "/v1/chat/completions", json=chat(prompt)))

    return asyncio.run(buy())


def list_buyers() -> dict[str, Buyer]:
    """The clients whose library is installed, by the name in the table."""
    from paid_inference._httpx import http_library

    libraries: dict[str, tuple[Buyer, Buyer | None]] = {
        "openai": (buy_openai, buy_async_openai),
        "langchain-openai": (buy_langchain, buy_async_langchain),
        "litellm": (buy_litellm, buy_async_litellm),
        http_library().__name__: (buy_httpx, buy_async_httpx),
        "requests": (buy_requests, None),
    }
    buyers: dict[str, Buyer] = {}
    for name, (sync_buyer, async_buyer) in libraries.items():
        if importlib.util.find_spec(name.replace("-", "_")) is None:
            continue
        shown = f"`{name}` {version(name)}"
        buyers[shown] = sync_buyer
        if async_buyer is not None:
            buyers[f"{shown}, async"] = async_buyer
    return buyers
