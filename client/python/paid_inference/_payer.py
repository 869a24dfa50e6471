"""Pays for requests within spending rules, for every HTTP library alike."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import _contract as contract
from ._exchange import (
    Flow,
    Lost,
    Outcome,
    Request,
    Response,
    Send,
    Wait,
    judge,
    read_offer,
    wait_seconds,
)
from ._journal import Ending, Journal
from ._rules import Refusal, SpendingRules, check_offer
from ._run import Clock
from ._signing import Signer, SignedPayment, read_key_file, sign_payment
from ._translate import Untranslatable, translate_chat, translate_text

_log = logging.getLogger("paid_inference")

#: Called with each step of a purchase, such as `{"step": "offered", "offer": {…}}`. Must not raise.
OnStep = Callable[[Mapping[str, Any]], None]


class PaymentOutcomeUnknown(Exception):
    """There was no response to a payment, which the gateway may have settled.

    Send the same request again: the client then sends the same payment, which is charged only once. An SDK does
    so by itself, because the error is also one of the connection in its HTTP library.
    """

    def __init__(self, nonce: str, cause: BaseException) -> None:
        super().__init__(
            f"the payment with nonce {nonce} may have been settled, but its response was lost ({cause!r})."
            " Send the same request again to send the same payment again."
        )
        self.nonce = nonce
        self.cause = cause


class Payer:
    """Pays for the requests of all clients that it makes, within one journal.

    Give `key_file`, or a `signer` such as an account of `eth-account`. Amounts are in the token's smallest unit.
    `assets`, `pay_to` and `networks` name the tokens, recipients and networks that may be paid. Without `assets`
    and `pay_to`, the client pays any token and recipient that a gateway names. `resource_hosts` names further
    hosts of the gateway, for example behind a proxy. `journal` is a file for sums and open payments.
    """

    def __init__(
        self,
        *,
        amount_per_request_max: int,
        amount_total_max: int,
        amount_per_hour_max: int | None = None,
        key_file: str | os.PathLike[str] | None = None,
        signer: Signer | None = None,
        networks: Sequence[str] = (contract.NETWORK,),
        assets: Sequence[str] | None = None,
        pay_to: Sequence[str] | None = None,
        resource_hosts: Sequence[str] = (),
        journal: str | os.PathLike[str] | None = None,
        on_step: OnStep | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.rules = SpendingRules(
            amount_per_request_max=amount_per_request_max,
            amount_total_max=amount_total_max,
            amount_per_hour_max=amount_per_hour_max,
            networks=networks,
            assets=assets,
            pay_to=pay_to,
            resource_hosts=resource_hosts,
        )
        if (signer is None) == (key_file is None):
            raise TypeError("give either key_file or signer")
        self.signer = read_key_file(key_file) if signer is None and key_file is not None else signer
        self.clock = clock or Clock()
        self._on_step = on_step
        self._journal = Journal(journal, self.rules, self.clock.now())

    def client(self, inner: Any = None, **options: Any) -> Any:
        """Make an `httpx.Client` or `httpx2.Client` that pays. `inner` is the transport that sends."""
        from ._httpx import make_client

        return make_client(self, inner, options)

    def async_client(self, inner: Any = None, **options: Any) -> Any:
        """Make an `httpx.AsyncClient` or `httpx2.AsyncClient` that pays. `inner` is the transport that sends."""
        from ._httpx import make_async_client

        return make_async_client(self, inner, options)

    def adapter(self, inner: Any = None) -> Any:
        """Make an adapter that pays, for `requests.Session.mount`. `inner` is the adapter that sends."""
        from ._requests import make_adapter

        return make_adapter(self, inner)

    def amount_signed(self) -> int:
        """Return the sum of all payments in the journal, without those that certainly never left the process."""
        return self._journal.total

    def close(self) -> None:
        """Close the journal, so that another process can use its file."""
        self._journal.close()

    def exchange(self, request: Request) -> Flow:
        """Send a request, and pay when the gateway returns 402.

        Returns a 402 that the rules refuse, with the reason as its error. Raises the error of the HTTP library, or `PaymentOutcomeUnknown`.
        """
        try:
            request = _translate(request)
        except Untranslatable as fault:
            return _make_invalid_request(fault)
        fingerprint = request.fingerprint()
        assert self.signer is not None
        kept = (
            None
            if request.carries_payment
            else self._journal.take(fingerprint, self.signer.address, self.clock.now())
        )
        if kept is not None:
            return (yield from self._present(request, kept, Outcome.MAYBE_CHARGED))

        self._tell("requested", method=request.method, url=request.url)
        asked = yield Send(request)
        if isinstance(asked, Lost):
            raise asked.cause
        assert asked is not None
        self._tell("responded", status=asked.status)
        if asked.status != 402 or request.carries_payment:
            return asked
        payment = self._sign(request.url, asked, fingerprint)
        if isinstance(payment, Refusal):
            self._tell("refused", reason=payment.reason, message=payment.message)
            _log.warning("did not pay: %s", payment.message)
            return _make_refused(payment, asked)
        return (yield from self._present(request, payment, Outcome.UNSENT))

    def _sign(self, url: str, asked: Response, fingerprint: str) -> SignedPayment | Refusal:
        """Check the offer, sign it, and write the payment to the journal."""
        offer = read_offer(asked)
        if isinstance(offer, Refusal):
            return offer
        self._tell("offered", offer=offer)
        amount = int(offer["maxAmountRequired"])
        refusal = check_offer(offer, url, self.rules) or self._journal.check(amount, self.clock.now())
        if refusal is not None:
            return refusal
        assert self.signer is not None
        try:
            payment = sign_payment(self.signer, offer, self.clock.now())
        except Exception as error:
            return Refusal("signer_failed", f"the wallet did not sign: {error}")
        # Another request may have used up the limit meanwhile. Then the signature is forgotten.
        refusal = self._journal.add(fingerprint, payment, self.clock.now())
        if refusal is not None:
            return refusal
        self._tell("signed", authorization=payment.authorization)
        return payment

    def _present(self, request: Request, payment: SignedPayment, outcome: Outcome) -> Flow:
        """Send one payment, and the same one again after a lost response or a transient error.

        Signs nothing, because a second authorization would be a second purchase.
        """
        paying = request.with_header(contract.HEADERS["payment"], payment.header)
        # A request that is cancelled leaves its payment open.
        ending: Ending | None = Ending.OPEN
        try:
            attempt = 0
            while True:
                attempt += 1
                self._tell("presented", attempt=attempt, nonce=payment.nonce)
                last = yield Send(paying)
                assert last is not None
                judgement = judge(last, payment, outcome)
                outcome = judgement.outcome
                self._tell_judged(last, judgement.receipt, judgement.receipt_fault)
                wait = wait_seconds(last, attempt)
                in_time = self.clock.now() + math.ceil(wait) < payment.valid_before
                if not (judgement.is_transient and attempt < contract.PRESENTATIONS_MAX and in_time):
                    break
                self._tell("waiting", seconds=wait)
                yield Wait(wait)
            if isinstance(last, Response) and last.live:
                ending = None
                return replace(last, finish=self._finish_once(payment))
            if outcome is Outcome.UNSENT:
                ending = Ending.UNSENT
            elif not judgement.open:
                ending = Ending.DONE
        finally:
            if ending is not None:
                self._journal.end(payment, ending, self.clock.now())
        if isinstance(last, Response):
            return last
        if outcome is Outcome.UNSENT:
            raise last.cause
        raise PaymentOutcomeUnknown(payment.nonce, last.cause) from last.cause

    def _finish_once(self, payment: SignedPayment) -> Callable[[bool], None]:
        """Return a function for the end of a stream. After a broken one, the next equal request gets the whole."""
        endings: list[Ending] = []

        def finish(is_whole: bool) -> None:
            if not endings:
                endings.append(Ending.DONE if is_whole else Ending.OPEN)
                self._journal.end(payment, endings[0], self.clock.now())

        return finish

    def _tell_judged(self, last: Response | Lost, receipt: Any, fault: str | None) -> None:
        if isinstance(last, Response):
            self._tell("responded", status=last.status)
            if receipt is not None:
                replayed = last.header(contract.HEADERS["idempotentReplayed"]) == "true"
                self._tell("receipt", receipt=receipt, replayed=replayed)
        if fault is not None:
            self._tell("receipt-fault", message=fault)
            _log.warning("the receipt is wrong: %s", fault)

    def _tell(self, step: str, **values: Any) -> None:
        if self._on_step is not None:
            self._on_step({"step": step, **values})


def _translate(request: Request) -> Request:
    path = request.url.split("?")[0].split("#")[0]
    if request.method != "POST":
        return request
    body = request.body
    if path.endswith(contract.CHAT_PATH):
        body = translate_chat(body)
    elif path.endswith(contract.TEXT_PATH):
        body = translate_text(body)
    return request if body is request.body else request.with_body(body)


def _make_invalid_request(fault: Untranslatable) -> Response:
    """Make the response of a gateway to such a chat: SDKs read its error and do not retry."""
    row = contract.INVALID_REQUEST
    error = {"message": fault.message, "type": row["type"], "code": row["code"], "param": fault.param}
    return _make_error(row["status"], error, {})


def _make_refused(refusal: Refusal, asked: Response) -> Response:
    """Make the 402 of the gateway, with its offer in the headers. SDKs show the error of the body."""
    message = f"The client did not pay: {refusal.message}."
    row = contract.REFUSED
    error = {"message": message, "type": row["type"], "code": refusal.reason, "param": None}
    names = (contract.HEADERS["paymentRequired"], contract.HEADERS["paymentRequiredV2"])
    offers = {name.lower(): asked.header(name) for name in names}
    return _make_error(row["status"], error, {name: text for name, text in offers.items() if text})


def _make_error(status: int, error: dict[str, Any], headers: dict[str, str]) -> Response:
    ours = {"content-type": "application/json", contract.HEADERS["shouldRetry"].lower(): "false"}
    return Response(status, {**headers, **ours}, json.dumps({"error": error}).encode("ascii"))
