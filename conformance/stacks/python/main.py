"""Plays one scenario of conformance/STACKS.md, and prints its line."""

import json
import os
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Protocol

import httpx
from generated.api.extensions import get_model, get_proof, list_models
from generated.api.inference import create_chat_completion, create_completion
from generated.client import Client
from generated.models.assistant_message import AssistantMessage
from generated.models.catalog_model_list import CatalogModelList
from generated.models.chat_completion import ChatCompletion
from generated.models.chat_completion_request import ChatCompletionRequest
from generated.models.completion_message import CompletionMessage
from generated.models.completion_request import CompletionRequest
from generated.models.inference_proof import InferenceProof
from generated.models.method_not_allowed_body import MethodNotAllowedBody
from generated.models.payment_receipt import PaymentReceipt
from generated.models.payment_requirements import PaymentRequirements
from generated.models.proof_record import ProofRecord
from generated.models.settlement_type import SettlementType
from generated.models.text_completion import TextCompletion
from generated.models.tool_definition import ToolDefinition
from generated.models.tool_message import ToolMessage
from generated.models.tool_message_role import ToolMessageRole
from generated.models.user_message import UserMessage
from generated.models.user_message_role import UserMessageRole
from generated.types import UNSET, Response, Unset
from pay import decode, pay

SCENARIO, KEY, GATEWAY = (os.environ[name] for name in ("SCENARIO", "PAYER_KEY", "GATEWAY_URL"))
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
client = Client(base_url=GATEWAY, timeout=httpx.Timeout(30))

Line = dict[str, object]
Chat = Response[Any]


class Result(Protocol):
    """What all results of the generated functions have in common."""

    status_code: Any
    headers: Any
    parsed: Any


def buy(send: Callable[[str | Unset], Chat], more: int = 0) -> Chat:
    """Sends a request, and again with a payment if the response has an offer."""
    unpaid = send(UNSET)
    return send(pay(KEY, read_offer(unpaid), more)) if unpaid.status_code == 402 else unpaid


def read_offer(result: Result) -> PaymentRequirements:
    return PaymentRequirements.from_dict(decode(result.headers["X-PAYMENT-REQUIRED"]))


def chat(*messages: Any, **more: Any) -> ChatCompletionRequest:
    asked = messages or (UserMessage(role=UserMessageRole.USER, content=QUESTION),)
    return ChatCompletionRequest(model=MODEL, messages=list(asked), **more)


def send_chat(
    body: ChatCompletionRequest, settle: SettlementType | Unset = UNSET
) -> Callable[[str | Unset], Chat]:
    def send(payment: str | Unset) -> Chat:
        return create_chat_completion.sync_detailed(
            client=client, body=body, x_payment=payment, x_settlement_type=settle
        )

    return send


def message(result: Result) -> CompletionMessage | None:
    return result.parsed.choices[0].message if isinstance(result.parsed, ChatCompletion) else None


def buy_chat(body: ChatCompletionRequest, more: int = 0) -> Line:
    bought = buy(send_chat(body), more)
    told = message(bought)
    return line(bought, None if told is None else told.content)


def buy_text() -> Line:
    body = CompletionRequest(model=MODEL, prompt=QUESTION)
    bought = buy(lambda payment: create_completion.sync_detailed(client=client, body=body, x_payment=payment))
    text = bought.parsed.choices[0].text if isinstance(bought.parsed, TextCompletion) else None
    return line(bought, text)


def buy_with_tool() -> Line:
    asked = UserMessage(role=UserMessageRole.USER, content="What is the status of order A-1042?")
    tools = [ToolDefinition.from_dict(TOOL)]
    called = buy(send_chat(chat(asked, tools=tools)))
    told = message(called)
    if told is None or isinstance(told.tool_calls, Unset):
        return line(called)
    call = AssistantMessage.from_dict(told.to_dict())
    result = ToolMessage(
        role=ToolMessageRole.TOOL, content='{"status": "shipped"}', tool_call_id=told.tool_calls[0].id
    )
    return buy_chat(chat(asked, call, result, tools=tools))


def buy_with_proof() -> Line:
    bought = buy(send_chat(chat(), SettlementType.INDIVIDUAL))
    proof = InferenceProof.from_dict(decode(bought.headers["X-INFERENCE-PROOF"]))
    record = get_proof.sync_detailed(proof.proof_id, client=client)
    hash_of_leaf = record.parsed.leaf_hash if isinstance(record.parsed, ProofRecord) else None
    return line(record, hash_of_leaf, paid=bought)


def read_price() -> Line:
    unpaid = send_chat(chat())(UNSET)
    return line(unpaid, read_offer(unpaid).max_amount_required)


def read_models() -> Line:
    models = list_models.sync_detailed(client=client)
    listed = models.parsed if isinstance(models.parsed, CatalogModelList) else None
    return line(models, None if listed is None else ",".join(model.id for model in listed.data))


def use_other_method() -> Line:
    """The generated client has no function for a method without an operation, so only the body is typed."""
    response = client.get_httpx_client().delete("/v1/chat/completions")
    parsed = MethodNotAllowedBody.from_dict(response.json())
    return line(Response(HTTPStatus(response.status_code), response.content, response.headers, parsed))


def use_other_type() -> Line:
    """The generated functions fix the content type, so a hook of the HTTP client changes it."""

    def change(request: httpx.Request) -> None:
        request.headers["Content-Type"] = "text/plain"

    client.set_httpx_client(httpx.Client(base_url=GATEWAY, event_hooks={"request": [change]}))
    return line(send_chat(chat())(UNSET))


def line(result: Result, text: str | None = None, paid: Result | None = None) -> Line:
    """The line of a result. An offer has a text instead of an error."""
    error = getattr(result.parsed, "error", None)
    detail = None if isinstance(error, (str, Unset)) else error
    receipt = (paid or result).headers.get("X-PAYMENT-RESPONSE")
    return {
        "scenario": SCENARIO,
        "status": int(result.status_code),
        "code": detail and detail.code,
        "param": detail and detail.param,
        "text": text,
        "txHash": receipt and PaymentReceipt.from_dict(decode(receipt)).tx_hash,
    }


PLAYS: dict[str, Callable[[], Line]] = {
    "pay-text": buy_text,
    "pay-tools": buy_with_tool,
    "error-400": lambda: buy_chat(chat(temperature=3)),
    "error-401": lambda: buy_chat(chat(), more=1),
    "error-402-offer": read_price,
    "error-404": lambda: line(get_model.sync_detailed("x", client=client)),
    "error-405": use_other_method,
    "error-413": lambda: buy_chat(chat(UserMessage(role=UserMessageRole.USER, content="x" * 2_000_000))),
    "error-415": use_other_type,
    "models": read_models,
    "proof": buy_with_proof,
}
print(json.dumps(PLAYS.get(SCENARIO, lambda: buy_chat(chat()))()))
