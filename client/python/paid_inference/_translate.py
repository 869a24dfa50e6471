"""The requests of an OpenAI client in the form of the contract (D-264)."""

from __future__ import annotations

import json
from typing import Any

#: Separates the joined parts of a content, so that words of two parts stay apart.
_SEPARATOR = "\n"


class Untranslatable(Exception):
    """A part of a request that the contract has no form for."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.message = message
        self.param = param


def translate_chat(body: bytes) -> bytes:
    """Write the role `developer` as `system`, and text parts of a content as one string.

    Return any other body unchanged. Raise `Untranslatable` for a part that is no text.
    """
    try:
        chat = json.loads(body)
    except (ValueError, RecursionError):
        # The gateway refuses a body that is no JSON.
        return body
    if not isinstance(chat, dict) or not isinstance(chat.get("messages"), list):
        return body
    messages = [_translate_message(message, at) for at, message in enumerate(chat["messages"])]
    if messages == chat["messages"]:
        return body
    return json.dumps({**chat, "messages": messages}).encode("ascii")


def translate_text(body: bytes) -> bytes:
    """Write a list with one prompt as the prompt.

    Return any other body unchanged. Raise `Untranslatable` for another list.
    """
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        return body
    if not isinstance(request, dict) or not isinstance(request.get("prompt"), list):
        return body
    prompts = request["prompt"]
    if len(prompts) == 1 and isinstance(prompts[0], str):
        return json.dumps({**request, "prompt": prompts[0]}).encode("ascii")
    message = "prompt is not one text; the gateway completes one text in a request. Nothing was paid."
    raise Untranslatable(message, "prompt")


def _translate_message(message: Any, at: int) -> Any:
    if not isinstance(message, dict):
        return message
    translated = dict(message)
    if message.get("role") == "developer":
        translated["role"] = "system"
    content = message.get("content")
    if isinstance(content, list):
        translated["content"] = _SEPARATOR.join(
            _read_text(part, f"messages[{at}].content[{index}]") for index, part in enumerate(content)
        )
    return translated


def _read_text(part: Any, param: str) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return str(part["text"])
    shown = f" of type {kind[:40]}" if isinstance(kind, str) else ""
    raise Untranslatable(f"{param} is a part{shown}; the gateway sells only text. Nothing was paid.", param)
