"""The purchase itself, without HTTP."""

from __future__ import annotations

import json
from typing import Any

from core_support import OFFER, RECIPIENT, URL, PurchaseCase, ask, fault, respond
from paid_inference import PaymentOutcomeUnknown
from paid_inference._codec import encode
from paid_inference._exchange import Lost, Response, Send, Wait
from paid_inference._run import run


class Purchases(PurchaseCase):
    def test_pays_the_offered_price_once(self) -> None:
        self.assertEqual(self.buy().status, 200)
        self.assertEqual((self.gateway.asked, len(self.gateway.paid)), (1, 1))
        [message] = self.signer.signed
        self.assertEqual((message["value"], message["validBefore"]), (1000, 1_000_300))
        self.assertEqual(self.payer.amount_signed(), 1000)

    def test_signs_a_new_nonce_for_each_purchase(self) -> None:
        self.buy()
        self.buy()
        self.assertEqual(len(set(self.gateway.paid)), 2)

    def test_signs_for_an_hour_at_most(self) -> None:
        self.gateway.offer = {**OFFER, "maxTimeoutSeconds": 100_000}
        self.buy()
        self.assertEqual(self.signer.signed[0]["validBefore"], 1_003_600)

    def test_sends_the_same_payment_again_until_there_is_a_completion(self) -> None:
        timeout = Lost(TimeoutError("late"), left=True)
        self.gateway.fates = [timeout, fault(503, "settlement_pending", {"Retry-After": "2"}), respond(500, "")]
        self.assertEqual(self.buy().status, 200)
        self.assertEqual((len(self.gateway.paid), len(set(self.gateway.paid))), (4, 1))
        self.assertEqual(self.time.pauses, [0.5, 2.0, 2.0])
        self.assertEqual(len(self.signer.signed), 1)

    def test_sends_the_same_payment_for_the_next_equal_request(self) -> None:
        self.gateway.fates = [fault(503, "settlement_pending")] * 4
        self.assertEqual(self.buy().status, 503)
        # OpenAI's SDK counts its retries in a header.
        self.assertEqual(self.buy(ask(headers=(("x-stainless-retry-count", "1"),))).status, 200)
        self.assertEqual((len(self.gateway.paid), len(set(self.gateway.paid))), (5, 1))
        self.assertEqual(self.gateway.asked, 1)
        self.buy()
        self.assertEqual(len(set(self.gateway.paid)), 2)

    def test_does_not_send_a_payment_for_another_request(self) -> None:
        self.gateway.fates = [fault(503, "settlement_pending")] * 4
        self.buy()
        others = (
            ask(b'{"max_tokens": 5}'),
            ask(url=URL + "?a=1"),
            ask(headers=(("X-SETTLEMENT-TYPE", "private"),)),
        )
        for other in others:
            self.gateway.paid.clear()
            payer = self.make(amount_total_max=10_000)
            self.gateway.fates = [fault(503, "settlement_pending")] * 4
            self.buy(payer=payer)
            self.buy(other, payer)
            self.assertEqual(len(set(self.gateway.paid)), 2)

    def test_raises_when_the_outcome_is_unknown_and_then_sends_the_same_payment(self) -> None:
        lost = Lost(TimeoutError("late"), left=True)
        self.gateway.fates = [lost] * 4
        with self.assertRaises(PaymentOutcomeUnknown) as found:
            self.buy()
        self.assertIs(found.exception.__cause__, lost.cause)
        self.assertEqual(self.buy().status, 200)
        self.assertEqual(len(set(self.gateway.paid)), 1)

    def test_frees_the_amount_when_no_byte_of_the_payment_left(self) -> None:
        refused = ConnectionRefusedError()
        self.gateway.fates = [Lost(refused, left=False)] * 4
        with self.assertRaises(ConnectionRefusedError):
            self.buy()
        self.assertEqual(self.payer.amount_signed(), 0)
        self.buy()
        self.assertEqual(len(set(self.gateway.paid)), 2)

    def test_does_not_sign_again_for_a_second_402(self) -> None:
        reason = {"error": "invalid_exact_evm_nonce_already_used"}
        self.gateway.fates = [respond(402, reason, {"X-PAYMENT-REQUIRED": encode(OFFER)})]
        self.assertEqual(self.buy().status, 402)
        self.assertEqual((len(self.signer.signed), len(self.gateway.paid)), (1, 1))
        # The gateway could still settle the payment, so the amount stays in the sums.
        self.assertEqual(self.payer.amount_signed(), 1000)

    def test_sends_the_same_payment_until_the_gateway_completes_or_refuses_it(self) -> None:
        lost = Lost(TimeoutError("late"), left=True)
        page = respond(403, "a page of a proxy")
        fates: list[list[Response | Lost]] = [
            [respond(307, "")],
            [respond(402, {})],
            [page],
            [respond(409, {})],
            [fault(409, "conflict")],
            [respond(200, "a page of a proxy")],
            [lost, fault(401, "invalid_signature")],
            [lost, respond(402, {}, {"X-PAYMENT-REQUIRED": encode(OFFER)})],
        ]
        for each in fates:
            self.gateway.paid.clear()
            payer = self.make()
            self.gateway.fates = list(each)
            self.buy(payer=payer)
            self.assertEqual(self.buy(payer=payer).status, 200)
            self.assertEqual(len(set(self.gateway.paid)), 1, each)

    def test_repeats_a_payment_after_the_timeout_of_a_proxy(self) -> None:
        self.gateway.fates = [respond(408, "")]
        self.assertEqual(self.buy().status, 200)
        self.assertEqual((len(self.gateway.paid), len(set(self.gateway.paid))), (2, 1))

    def test_does_not_replace_the_payment_of_the_caller_by_an_open_one(self) -> None:
        self.gateway.fates = [respond(403, "")]
        self.buy()
        self.buy(ask(headers=(("X-PAYMENT", "e30="),)))
        self.assertEqual(self.gateway.paid[-1], "e30=")

    def test_does_not_repeat_a_refused_payment(self) -> None:
        self.gateway.fates = [fault(401, "invalid_signature")]
        self.assertEqual(self.buy().status, 401)
        self.assertEqual(len(self.gateway.paid), 1)

    def test_signs_nothing_that_the_rules_refuse(self) -> None:
        offers: list[tuple[dict[str, Any], str]] = [
            ({"maxAmountRequired": "1001"}, "price_above_limit"),
            ({"resource": "https://other.example/v1/chat/completions"}, "resource_elsewhere"),
            ({"network": "eip155:1"}, "offer_unreadable"),
        ]
        for change, reason in offers:
            self.gateway.offer = {**OFFER, **change}
            response = self.buy()
            self.assertEqual(response.status, 402)
            self.assertEqual(json.loads(response.body)["error"]["code"], reason)
            self.assertEqual(response.header("X-PAYMENT-REQUIRED"), encode(self.gateway.offer))
            self.assertEqual(self.refused()[-1], reason)
        self.assertEqual((self.signer.signed, self.gateway.paid), ([], []))

    def test_signs_nothing_without_an_offer(self) -> None:
        response = run(self.payer.exchange(ask()), lambda _: respond(402, {}), self.payer.clock)
        self.assertEqual((response.status, self.refused()), (402, ["offer_missing"]))

    def test_keeps_the_limit_of_the_total(self) -> None:
        for _ in range(3):
            self.assertEqual(self.buy().status, 200)
        self.assertEqual(self.buy().status, 402)
        self.assertEqual(self.refused(), ["total_above_limit"])
        self.assertEqual(len(self.signer.signed), 3)

    def test_keeps_the_limit_of_an_hour(self) -> None:
        payer = self.make(amount_per_hour_max=2000)
        statuses = []
        for _ in range(4):
            statuses.append(self.buy(payer=payer).status)
            self.time.seconds += 1200
        self.assertEqual(statuses, [200, 200, 402, 200])
        self.assertEqual(self.refused(), ["hour_above_limit"])

    def test_does_not_pay_for_a_request_with_its_own_payment(self) -> None:
        for name in ("X-PAYMENT", "payment-signature"):
            refuse = lambda _: respond(402, {}, {"X-PAYMENT-REQUIRED": encode(OFFER)})  # noqa: E731
            response = run(self.payer.exchange(ask(headers=((name, "x"),))), refuse, self.payer.clock)
            self.assertEqual(response.status, 402)
        self.assertEqual(self.signer.signed, [])

    def test_returns_a_completion_with_a_wrong_receipt_and_reports_it(self) -> None:
        changes: list[tuple[dict[str, Any], str]] = [
            ({"payer": RECIPIENT}, "names the payer"),
            ({"success": False}, "says that the settlement failed"),
            ({"amount": "1"}, "says that 1 units were paid"),
            ({"transaction": "0x" + "44" * 32}, "names two transactions"),
            ({"chainId": 1}, "out of its range"),
        ]
        payer = self.make(amount_total_max=10_000)
        for change, expected in changes:
            self.gateway.receipt = change
            with self.assertLogs("paid_inference", "WARNING"):
                self.assertEqual(self.buy(payer=payer).status, 200)
            self.assertEqual(self.steps[-1]["step"], "receipt-fault")
            self.assertIn(expected, self.steps[-1]["message"])

    def test_a_wallet_that_declines_is_a_refusal(self) -> None:
        self.signer.sign_typed_data = lambda *_: 1 / 0  # type: ignore[method-assign]
        self.assertEqual(self.buy().status, 402)
        self.assertEqual((self.refused(), self.payer.amount_signed()), (["signer_failed"], 0))

    def test_translates_a_chat_and_refuses_a_part_that_is_no_text(self) -> None:
        content = [{"type": "text", "text": "one"}]
        self.buy(ask(json.dumps({"messages": [{"role": "user", "content": content}]}).encode()))
        self.assertEqual(set(self.gateway.bodies), {b'{"messages": [{"role": "user", "content": "one"}]}'})
        self.gateway.bodies.clear()
        image = json.dumps({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}).encode()
        response = self.buy(ask(image))
        self.assertEqual((response.status, response.header("x-should-retry")), (400, "false"))
        self.assertEqual(json.loads(response.body)["error"]["param"], "messages[0].content[0]")
        self.assertEqual(self.gateway.bodies, [])

    def test_translates_the_prompt_of_a_text_completion(self) -> None:
        self.buy(ask(b'{"prompt": ["one"]}', URL.replace("/chat", "")))
        self.assertEqual(set(self.gateway.bodies), {b'{"prompt": "one"}'})

    def test_a_cancelled_request_leaves_its_payment_open(self) -> None:
        flow = self.payer.exchange(ask())
        asked = next(flow)
        assert isinstance(asked, Send)
        presented = flow.send(self.gateway(asked.request))
        assert isinstance(presented, Send)
        flow.close()
        self.buy()
        self.assertEqual(self.gateway.paid, [presented.request.header("x-payment")])

    def test_two_equal_requests_at_the_same_time_have_their_own_payments(self) -> None:
        first, second = self.payer.exchange(ask()), self.payer.exchange(ask())
        payments = []
        for flow in (first, second):
            asked = next(flow)
            assert isinstance(asked, Send)
            presented = flow.send(self.gateway(asked.request))
            assert isinstance(presented, Send)
            payments.append(presented.request.header("x-payment"))
        self.assertEqual(len(set(payments)), 2)
        waiting = first.send(Lost(TimeoutError(), left=True))
        self.assertEqual(waiting, Wait(0.5))
        for flow in (first, second):
            flow.close()

    def test_needs_exactly_one_signer(self) -> None:
        for options in ({"signer": None}, {"key_file": "payer.key"}):
            with self.assertRaises(TypeError):
                self.make(**options)

    def test_no_step_has_a_signature(self) -> None:
        self.buy()
        self.assertNotIn(self.gateway.paid[0], json.dumps(self.steps))
        self.assertNotIn("signature", json.dumps(self.steps))
