"""Pay for LLM inference over x402 from OpenAI's SDK, LangChain, LiteLLM, httpx and requests.

    from openai import OpenAI
    import paid_inference

    http_client = paid_inference.client(
        key_file="payer.key", amount_per_request_max=100_000, amount_total_max=1_000_000
    )
    openai = OpenAI(base_url="http://127.0.0.1:8402/v1", api_key="unused", http_client=http_client)

The options of `client`, `async_client` and `adapter` are those of `Payer`.
"""

from __future__ import annotations

from typing import Any

from ._journal import JournalError
from ._payer import OnStep, Payer, PaymentOutcomeUnknown
from ._run import Clock
from ._signing import LocalKey, Signer, read_key_file

__all__ = [
    "Clock",
    "JournalError",
    "LocalKey",
    "OnStep",
    "Payer",
    "PaymentOutcomeUnknown",
    "Signer",
    "adapter",
    "async_client",
    "client",
    "read_key_file",
]


def client(**options: Any) -> Any:
    """Make an `httpx.Client` or `httpx2.Client` that pays, for `OpenAI(http_client=…)`.

    Its end closes the journal.
    """
    from ._httpx import make_client

    return make_client(Payer(**options), None, {}, is_only=True)


def async_client(**options: Any) -> Any:
    """Make an `httpx.AsyncClient` or `httpx2.AsyncClient` that pays, for `AsyncOpenAI(http_client=…)`.

    Its end closes the journal.
    """
    from ._httpx import make_async_client

    return make_async_client(Payer(**options), None, {}, is_only=True)


def adapter(**options: Any) -> Any:
    """Make an adapter that pays, for `requests.Session.mount`. The end of the session closes the journal."""
    from ._requests import make_adapter

    return make_adapter(Payer(**options), None, is_only=True)
