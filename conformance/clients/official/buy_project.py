"""Buys one chat completion with OpenAI's SDK over the Python package of this project.

Ends with exit code 1 if the package reports a false receipt.
"""

import os
import sys
from typing import Any

import paid_inference
from openai import OpenAI

URL, KEY_FILE = os.environ["CONFORMANCE_URL"], os.environ["CONFORMANCE_KEY_FILE"]
FAULTS: list[Any] = []


def watch(step: Any) -> None:
    if step["step"] == "receipt-fault":
        FAULTS.append(step)


http_client = paid_inference.client(
    key_file=KEY_FILE,
    amount_per_request_max=int(os.environ["CONFORMANCE_PRICE_MAX"]),
    amount_total_max=10_000_000,
    assets=[os.environ["CONFORMANCE_TOKEN"]],
    pay_to=[os.environ["CONFORMANCE_PAY_TO"]],
    resource_hosts=[os.environ[name] for name in ("RESOURCE_HOST",) if name in os.environ],
    journal=os.environ.get("JOURNAL", f"{KEY_FILE}.journal"),
    on_step=watch,
)
completions = OpenAI(base_url=f"{URL}/v1", api_key="unused", http_client=http_client).chat.completions
body: Any = {
    "model": os.environ["CONFORMANCE_MODEL"],
    "messages": [{"role": "user", "content": os.environ.get("PROMPT", "Say pong.")}],
}
if os.environ["CONFORMANCE_STREAM"] == "true":
    for _ in completions.create(**body, stream=True):
        pass
else:
    completions.create(**body)
sys.exit(1 if FAULTS else 0)
