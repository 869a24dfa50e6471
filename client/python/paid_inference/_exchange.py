"""Requests, responses, and the meaning of a response for a payment. Nothing here does input or output."""

from __future__ import annotations

import enum
import hashlib
import json
import re
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Union

from . import _contract as contract
from ._codec import DecodingError, decode
from ._rules import Refusal
from ._signing import SignedPayment


@dataclass(frozen=True)
class Request:
    """A request with its body in memory, so that the client can send the same bytes again."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        """Return the first value of a header, in any letter case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def with_header(self, name: str, value: str) -> Request:
        return replace(self, headers=(*self.headers, (name, value)))

    def with_body(self, body: bytes) -> Request:
        """Replace the body. The library that sends the request sets the headers of the new length."""
        framing = ("content-length", "transfer-encoding")
        kept = tuple(header for header in self.headers if header[0].lower() not in framing)
        return replace(self, headers=kept, body=body)

    @property
    def carries_payment(self) -> bool:
        """The caller sends its own payment. The client does not pay a 402 to such a request."""
        names = (contract.HEADERS["payment"], contract.HEADERS["paymentSignature"])
        return any(self.header(name) is not None for name in names)

    def fingerprint(self) -> str:
        """Hash the parts of the request that a payment buys (D-19).

        Other headers are left out, because some differ between attempts: SDKs count their retries in a header.
        """
        sold = json.dumps([self.method, self.url, self.header(contract.HEADERS["settlementType"])])
        return hashlib.sha256(sold.encode("utf-8") + b"\0" + self.body).hexdigest()


@dataclass(frozen=True)
class Response:
    """A response with its whole body. The names of the headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    #: The response of the HTTP library; None for a response that this package made.
    native: Any = None
    #: The body follows as a stream of events.
    live: bool = False
    #: Called at the end of a live body, with True if the stream was whole.
    finish: Callable[[bool], None] | None = None

    def header(self, name: str) -> str | None:
        return self.headers.get(name.lower())

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


class StreamWatch:
    """Notices whether a stream of events was whole, wherever its reader stops."""

    #: A completion cannot contain this line, because JSON writes a line break as two other characters.
    _END = re.compile(rb"[\r\n]data: ?\[DONE\]")
    _END_LENGTH_MAX = len(b"\ndata: [DONE]")

    def __init__(self, finish: Callable[[bool], None]) -> None:
        self._finish = finish
        # The stream begins with a line.
        self._tail = b"\n"

    def see(self, chunk: bytes) -> None:
        """Notice a part of the stream, before its reader gets it."""
        seen = self._tail + chunk
        if self._END.search(seen) is not None:
            self._finish(True)
        self._tail = seen[-self._END_LENGTH_MAX :]

    def end(self) -> None:
        """Notice that no more follows."""
        self._finish(False)


def is_live(status: int, headers: Mapping[str, str]) -> bool:
    """Whether a response is a stream of events that needs no decoding."""
    kind = headers.get("content-type", "")
    return status == 200 and kind.startswith("text/event-stream") and "content-encoding" not in headers


@dataclass(frozen=True)
class Lost:
    """No response. `left` is False when certainly no byte of the request was sent."""

    cause: Exception
    left: bool


@dataclass(frozen=True)
class Send:
    """Asks the HTTP library to send a request."""

    request: Request


@dataclass(frozen=True)
class Wait:
    """Asks for a pause."""

    seconds: float


#: A purchase as a generator. It asks for sends and pauses, and returns the response for the caller.
Flow = Generator[Union[Send, Wait], Union[Response, Lost, None], Response]


class Outcome(enum.Enum):
    """The state of a payment, as far as the client can know without the chain."""

    #: No authorization left this process.
    UNSENT = "unsent"
    #: The gateway says that it charged nothing.
    RELEASED = "released"
    #: The chain may settle the authorization until its end.
    MAYBE_CHARGED = "maybe-charged"
    #: The gateway returned a receipt that matches the authorization.
    SETTLED = "settled"


@dataclass(frozen=True)
class Judgement:
    """The meaning of a response, or of a lost one, for the payment."""

    outcome: Outcome
    #: Whether the next equal request sends the same payment, because there is neither a completion nor a refusal.
    open: bool
    #: Whether the same payment may get another response soon.
    is_transient: bool = False
    receipt: dict[str, Any] | None = None
    receipt_fault: str | None = None


def judge(last: Response | Lost, payment: SignedPayment, before: Outcome) -> Judgement:
    """Update the outcome. An unknown one stays unknown until a receipt, because a proxy may send a later error."""
    if isinstance(last, Lost):
        outcome = Outcome.MAYBE_CHARGED if last.left else before
        return Judgement(outcome, open=True, is_transient=True)
    if last.ok:
        # The page of a proxy is no completion.
        is_open = not last.live and not _has_json(last.body)
        try:
            receipt = read_receipt(last, payment)
        except DecodingError as error:
            fault = f"{contract.HEADERS['paymentResponse']} {error}"
            return Judgement(Outcome.MAYBE_CHARGED, open=is_open, receipt_fault=fault)
        return Judgement(Outcome.SETTLED, open=is_open, receipt=receipt)
    is_released = _releases(last) and before is not Outcome.MAYBE_CHARGED
    outcome = Outcome.RELEASED if is_released else Outcome.MAYBE_CHARGED
    # The client never repeats a request with a new authorization, which could charge twice (D-24).
    may_retry = last.status >= 400 and last.header(contract.HEADERS["shouldRetry"]) == "true"
    is_transient = last.status in (408, 429) or last.status >= 500 or may_retry
    return Judgement(outcome, open=is_transient or not is_released, is_transient=is_transient)


def read_offer(response: Response) -> dict[str, Any] | Refusal:
    """Read the offer of a 402 from `X-PAYMENT-REQUIRED`. Ignores the body, which the contract does not show."""
    name = contract.HEADERS["paymentRequired"]
    text = response.header(name)
    if text is None:
        return Refusal("offer_missing", f"the gateway's 402 has no {name}")
    try:
        return decode(text, contract.OFFER_SCHEMA)
    except DecodingError as error:
        return Refusal("offer_unreadable", f"{name} {error}")


def read_receipt(response: Response, payment: SignedPayment) -> dict[str, Any]:
    """Read `X-PAYMENT-RESPONSE` and compare it with the authorization. Raises `DecodingError`."""
    text = response.header(contract.HEADERS["paymentResponse"])
    if text is None:
        raise DecodingError("is missing")
    receipt = decode(text, contract.RECEIPT_SCHEMA)
    authorization = payment.authorization
    if not receipt["success"]:
        raise DecodingError("says that the settlement failed")
    if receipt["payer"].lower() != authorization["from"].lower():
        raise DecodingError(f"names the payer {receipt['payer']}, not {authorization['from']}")
    amount = receipt.get("amount", authorization["value"])
    if amount != authorization["value"]:
        raise DecodingError(f"says that {amount} units were paid, not {authorization['value']}")
    if receipt.get("transaction", receipt["txHash"]).lower() != receipt["txHash"].lower():
        raise DecodingError("names two transactions")
    return receipt


def wait_seconds(last: Response | Lost, attempt: int) -> float:
    """Return the pause before the next attempt: that of `Retry-After`, or one that doubles."""
    seconds = float(contract.RETRY_WAIT_SECONDS_FIRST * 2 ** (attempt - 1))
    if isinstance(last, Response):
        asked = last.header(contract.HEADERS["retryAfterSeconds"]) or ""
        # The contract has no date form.
        if re.fullmatch(r"[0-9]{1,9}", asked) is not None:
            seconds = float(asked)
    return min(seconds, float(contract.RETRY_WAIT_SECONDS_MAX))


def _releases(response: Response) -> bool:
    """Whether a response without a receipt says that nothing was charged.

    Only the gateway's error envelope counts, because a proxy cannot know. A second 402 with an offer means that
    the gateway refused the payment (D-03).
    """
    if response.status == 402 and response.header(contract.HEADERS["paymentRequired"]) is not None:
        return True
    code = read_error_code(response.body)
    if code is None:
        return False
    is_refusal = 400 <= response.status < 500 and response.status not in _UNDECIDED
    return is_refusal or code in contract.RELEASING_CODES


#: A timeout, a conflict with another request, and a request that came too early do not say what became of the payment.
_UNDECIDED = (408, 409, 425)


def _has_json(body: bytes) -> bool:
    """Whether the body is a JSON object, as every body of the contract is."""
    try:
        return isinstance(json.loads(body), dict)
    except (ValueError, RecursionError):
        return False


def read_error_code(body: bytes) -> str | None:
    """Read the code of the error envelope (section 7). Returns None for any other body, such as a proxy's page."""
    try:
        error = json.loads(body)["error"]
        texts = (error["message"], error["type"], error["code"])
    except (ValueError, RecursionError, TypeError, KeyError, IndexError):
        return None
    return texts[2] if all(isinstance(text, str) for text in texts) else None
