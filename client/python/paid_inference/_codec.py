"""Headers with base64 of JSON, and the check of their content by the schemas of the contract."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from typing import Any


class DecodingError(ValueError):
    """A header that the schema does not allow. The message says what is wrong."""


def encode(value: object) -> str:
    """Encode compact JSON as standard base64 with padding. JSON is ASCII, because some readers expect it."""
    return base64.b64encode(json.dumps(value, separators=(",", ":")).encode("ascii")).decode("ascii")


def decode(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Decode standard or URL-safe base64, with or without padding, and check the JSON by the schema."""
    standard = re.sub(r"={1,2}\Z", "", text.replace("-", "+").replace("_", "/"))
    if re.fullmatch(r"[A-Za-z0-9+/]+", standard) is None or len(standard) % 4 == 1:
        raise DecodingError("is not base64")
    try:
        value = json.loads(base64.b64decode(standard + "=" * (-len(standard) % 4)).decode("utf-8"))
    except (ValueError, RecursionError):
        raise DecodingError("is not base64 of JSON") from None
    fault = find_fault(value, schema)
    if fault is not None:
        raise DecodingError(fault)
    return dict(value)


_types: Mapping[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


def find_fault(value: object, schema: Mapping[str, Any], path: str = "") -> str | None:
    """Return the first rule of the schema that the value breaks. Knows the rules that python-literal.ts lists."""
    where = f" at {path}" if path else ""
    kind = schema.get("type")
    if kind is not None and not _has_type(value, kind):
        return f"must be {kind}{where}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be equal to one of the allowed values{where}"
    if isinstance(value, str) and "pattern" in schema and re.fullmatch(schema["pattern"], value) is None:
        return f"must match {schema['pattern']}{where}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            return f"is out of its range{where}"
    if not isinstance(value, dict):
        return None
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"must have the property {missing[0]}{where}"
    faults = (
        find_fault(value[name], inner, f"{path}/{name}")
        for name, inner in schema.get("properties", {}).items()
        if name in value
    )
    return next((fault for fault in faults if fault is not None), None)


def _has_type(value: object, kind: str) -> bool:
    # In Python, True is an int.
    return isinstance(value, _types[kind]) and (kind == "boolean" or not isinstance(value, bool))
