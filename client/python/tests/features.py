"""The features of the table in README.md, by SDK. Each function returns whether the feature worked."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from buyers import MODEL, TIMEOUT_SECONDS, make_openai, messages
from paid_inference import Payer

CHAT = "chat"
TEXT = "text completion"
DEVELOPER = "instructions as role `developer`"
PARTS = "text in content parts"
STREAM = "a stream, and its usage"
TOOL_CALL = "a tool call, and its result in the next request"
TURNS = "the messages of the model, sent back as they are"
STREAMED_CALL = "a tool call in a stream"
SCHEMA = "JSON by a schema"
LIMIT = "a limit of tokens"
RECEIPT = "the receipt in the headers of the response"
IMAGE = "an image is refused before the payment"
FEATURES = [
    CHAT,
    TEXT,
    DEVELOPER,
    PARTS,
    STREAM,
    TOOL_CALL,
    TURNS,
    STREAMED_CALL,
    SCHEMA,
    LIMIT,
    RECEIPT,
    IMAGE,
]

Features = dict[str, Callable[[], bool]]

ARITHMETIC = "What is 6 times 7?"
ORDER = "What is the status of order A-1042?"
WEATHER = "What is the weather in Paris in the next 3 days?"
SHIPPED = '{"status": "shipped"}'
HEADER = "x-payment-response"
INSTRUCTED = [{"role": "developer", "content": "Be brief."}, *messages(ARITHMETIC)]
TEXTS = [{"type": "text", "text": "Compute."}, {"type": "text", "text": ARITHMETIC}]
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
TOOL: Any = {
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
FORECAST = {
    "title": "forecast",
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city", "days"],
    "additionalProperties": False,
}
FORM = {"type": "json_schema", "json_schema": {"name": "forecast", "schema": FORECAST, "strict": True}}


def is_refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except Exception as error:
        return "content" in str(error)
    return False


def chat_features(create: Callable[..., Any]) -> Features:
    """The features of SDKs whose `create` takes the fields of OpenAI's API."""

    def ask(sent: Any, **more: Any) -> Any:
        return create(messages=sent, **more).choices[0].message

    def stream() -> bool:
        text, tokens = "", 0
        for chunk in create(
            messages=messages(ARITHMETIC), stream=True, stream_options={"include_usage": True}
        ):
            if chunk.choices:
                text += chunk.choices[0].delta.content or ""
            usage = getattr(chunk, "usage", None)
            tokens = usage.total_tokens if usage else tokens
        return "42" in text and tokens > 0

    def call_tool(sent: Any) -> Any:
        called = ask(sent, tools=[TOOL])
        result = {"role": "tool", "tool_call_id": called.tool_calls[0].id, "content": SHIPPED}
        sent += [called.model_dump(), result]
        return ask(sent, tools=[TOOL])

    def third_turn() -> bool:
        sent = messages(ORDER)
        sent += [call_tool(sent).model_dump(), *messages(ARITHMETIC)]
        return "42" in ask(sent).content

    def streamed_call() -> bool:
        chunks = create(messages=messages(ORDER), tools=[TOOL], stream=True)
        calls = [call for chunk in chunks for each in chunk.choices for call in each.delta.tool_calls or []]
        return bool(calls) and calls[0].function.name == "order_status"

    return {
        CHAT: lambda: "42" in ask(messages(ARITHMETIC)).content,
        DEVELOPER: lambda: "42" in ask(INSTRUCTED).content,
        PARTS: lambda: "42" in ask([{"role": "user", "content": TEXTS}]).content,
        STREAM: stream,
        TOOL_CALL: lambda: "shipped" in call_tool(messages(ORDER)).content,
        TURNS: third_turn,
        STREAMED_CALL: streamed_call,
        SCHEMA: lambda: json.loads(ask(messages(WEATHER), response_format=FORM).content)["days"] == 3,
        LIMIT: lambda: (
            create(messages=messages(ARITHMETIC), max_completion_tokens=3).usage.completion_tokens == 3
        ),
        IMAGE: lambda: is_refused(lambda: ask([{"role": "user", "content": [*TEXTS, PICTURE]}])),
    }


def openai_features(payer: Payer, url: str) -> Features:
    client = make_openai(payer, url)

    def create(**fields: Any) -> Any:
        return client.chat.completions.create(model=MODEL, **fields)

    def has_receipt() -> bool:
        raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=messages(ARITHMETIC))
        return HEADER in raw.headers

    return {
        **chat_features(create),
        TEXT: lambda: client.completions.create(model=MODEL, prompt=ARITHMETIC).choices[0].text != "",
        RECEIPT: has_receipt,
    }


def litellm_features(payer: Payer, url: str) -> Features:
    import litellm

    client = make_openai(payer, url)
    return chat_features(
        lambda **fields: litellm.completion(model=f"openai/{MODEL}", client=client, **fields)
    )


def langchain_features(payer: Payer, url: str) -> Features:
    from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
    from langchain_openai import ChatOpenAI, OpenAI

    options: Any = {
        "model": MODEL,
        "base_url": url + "/v1",
        "api_key": "unused",
        "timeout": TIMEOUT_SECONDS,
        "http_client": payer.client(),
        "http_async_client": payer.async_client(),
    }
    model = ChatOpenAI(**options)
    tooled = model.bind_tools([TOOL])
    developer = SystemMessage("Be brief.", additional_kwargs={"__openai_role__": "developer"})

    def stream() -> bool:
        chunks = list(model.stream(ARITHMETIC, stream_usage=True))
        usages = [chunk.usage_metadata["total_tokens"] for chunk in chunks if chunk.usage_metadata]
        return "42" in "".join(str(chunk.content) for chunk in chunks) and sum(usages) > 0

    def call_tool() -> list[Any]:
        called = tooled.invoke([HumanMessage(ORDER)])
        result = ToolMessage(SHIPPED, tool_call_id=called.tool_calls[0]["id"])
        sent = [HumanMessage(ORDER), called, result]
        return [*sent, tooled.invoke(sent)]

    def streamed_call() -> bool:
        chunks = list(tooled.stream(ORDER))
        whole = chunks[0]
        for chunk in chunks[1:]:
            whole += chunk
        return whole.tool_calls[0]["name"] == "order_status"

    def has_receipt() -> bool:
        heard = ChatOpenAI(**options, include_response_headers=True).invoke(ARITHMETIC)
        return HEADER in heard.response_metadata["headers"]

    def limit() -> bool:
        limited = ChatOpenAI(**options, max_tokens=3).invoke(ARITHMETIC)
        return limited.response_metadata["token_usage"]["completion_tokens"] == 3

    form = model.with_structured_output(FORECAST, method="json_schema")
    return {
        CHAT: lambda: "42" in str(model.invoke(ARITHMETIC).content),
        TEXT: lambda: OpenAI(**options).invoke(ARITHMETIC) != "",
        DEVELOPER: lambda: "42" in str(model.invoke([developer, HumanMessage(ARITHMETIC)]).content),
        PARTS: lambda: "42" in str(model.invoke([HumanMessage(content=TEXTS)]).content),
        STREAM: stream,
        TOOL_CALL: lambda: "shipped" in str(call_tool()[-1].content),
        TURNS: lambda: "42" in str(model.invoke([*call_tool(), HumanMessage(ARITHMETIC)]).content),
        STREAMED_CALL: streamed_call,
        SCHEMA: lambda: form.invoke(WEATHER)["days"] == 3,
        LIMIT: limit,
        RECEIPT: has_receipt,
        IMAGE: lambda: is_refused(lambda: model.invoke([HumanMessage(content=[*TEXTS, PICTURE])])),
    }


def list_sdks() -> dict[str, Callable[[Payer, str], Features]]:
    """The SDKs that are installed, by the name in the table."""
    known = {
        "openai": openai_features,
        "langchain-openai": langchain_features,
        "litellm": litellm_features,
    }
    return {
        f"`{name}` {version(name)}": make
        for name, make in known.items()
        if importlib.util.find_spec(name.replace("-", "_")) is not None
    }
