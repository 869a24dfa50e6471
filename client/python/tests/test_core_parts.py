"""Hashes, codec, rules and translation."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unittest
from pathlib import Path
from typing import Any

from core_support import LIMITS, OFFER, RECIPIENT, TOKEN, URL
from paid_inference import _contract as contract
from paid_inference._codec import DecodingError, decode, encode, find_fault
from paid_inference._exchange import StreamWatch
from paid_inference._keccak import keccak256
from paid_inference._rules import SpendingRules, check_offer
from paid_inference._signing import hash_struct, hash_typed_data, payment_domain
from paid_inference._translate import Untranslatable, translate_chat, translate_text

PAGE = Path(__file__).parents[2] / "OTHER-LANGUAGES.md"


class Hashes(unittest.TestCase):
    def test_keccak_has_the_known_hash_of_no_bytes(self) -> None:
        known = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
        self.assertEqual(keccak256(b"").hex(), known)

    def test_keccak_has_the_hash_of_the_contracts_type(self) -> None:
        # The type hash of EIP-3009, which every token has.
        encoded = (
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,"
            "uint256 validBefore,bytes32 nonce)"
        )
        known = "7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267"
        self.assertEqual(keccak256(encoded.encode()).hex(), known)

    def test_keccak_differs_from_sha3_only_in_the_padding(self) -> None:
        # 135 bytes leave one byte of the block for the padding, and 136 bytes leave none.
        hashes = {length: keccak256(b"a" * length) for length in (1, 135, 136, 137, 300)}
        self.assertEqual(len(set(hashes.values())), 5)
        for length, found in hashes.items():
            self.assertNotEqual(found, hashlib.sha3_256(b"a" * length).digest())

    def test_typed_data_has_the_hashes_of_the_manual(self) -> None:
        page = PAGE.read_text()
        typed, _ = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL))
        domain, message = typed["domain"], typed["message"]
        offer = {"asset": domain["verifyingContract"], "extra": domain}
        self.assertEqual(payment_domain(offer), domain)
        hashes = (
            hash_struct("EIP712Domain", contract.DOMAIN_FIELDS, domain),
            hash_struct(contract.PRIMARY_TYPE, contract.TRANSFER_TYPES[contract.PRIMARY_TYPE], message),
            hash_typed_data(domain, contract.TRANSFER_TYPES, message),
        )
        for found in hashes:
            self.assertIn("0x" + found.hex(), page)


class Streams(unittest.TestCase):
    def test_notices_the_end_of_a_stream_however_its_bytes_arrive(self) -> None:
        chunk = b'data: {"text": "data: [DONE]"}'
        for stream, is_whole in (
            (chunk + b"\n\ndata: [DONE]\n\n", True),
            (chunk + b"\r\n\r\ndata:[DONE]", True),
            (chunk + b"\r\rdata: [DONE]\r\r", True),
            (b"data: [DONE]\n\n", True),
            (chunk + b"\n\n", False),
        ):
            for length in (1, 5, 1_000):
                endings: list[bool] = []
                watch = StreamWatch(endings.append)
                for at in range(0, len(stream), length):
                    watch.see(stream[at : at + length])
                watch.end()
                self.assertEqual(endings[0], is_whole, stream)


class Codec(unittest.TestCase):
    def test_decodes_standard_and_url_safe_base64_with_and_without_padding(self) -> None:
        text = encode({**OFFER, "description": "???>>>~~"})
        for each in (text, text.rstrip("="), text.replace("+", "-").replace("/", "_")):
            self.assertEqual(decode(each, contract.OFFER_SCHEMA)["description"], "???>>>~~")

    def test_encodes_ascii(self) -> None:
        raw = base64.b64decode(encode({"name": "Zürich"}))
        self.assertEqual(raw, b'{"name":"Z\\u00fcrich"}')

    def test_refuses_what_the_schema_refuses(self) -> None:
        self.assertIsNone(find_fault(OFFER, contract.OFFER_SCHEMA))
        changes: list[tuple[dict[str, Any], str]] = [
            ({"maxAmountRequired": "-1"}, "must match"),
            ({"maxAmountRequired": "1\n"}, "must match"),
            ({"maxAmountRequired": 1000}, "must be string at /maxAmountRequired"),
            ({"maxTimeoutSeconds": True}, "must be integer"),
            ({"maxTimeoutSeconds": 0}, "out of its range"),
            ({"maxTimeoutSeconds": 2**31}, "out of its range"),
            ({"network": "eip155:1"}, "allowed values at /network"),
            ({"asset": "0x12"}, "must match"),
            ({"extra": {"name": "T"}}, "must have the property version at /extra"),
        ]
        for change, expected in changes:
            self.assertIn(expected, str(find_fault({**OFFER, **change}, contract.OFFER_SCHEMA)), change)

    def test_refuses_other_texts(self) -> None:
        deep = base64.b64encode(b"[" * 100_000).decode()
        for text in ("", "é", "abcde", "e30=é", base64.b64encode(b"{").decode(), deep, encode([])):
            with self.assertRaises(DecodingError):
                decode(text, contract.OFFER_SCHEMA)


class Rules(unittest.TestCase):
    def reason(self, offer: dict[str, Any] | None = None, **rules: Any) -> str | None:
        found = check_offer({**OFFER, **(offer or {})}, URL, SpendingRules(**{**LIMITS, **rules}))
        return None if found is None else found.reason

    def test_allow_the_offer_of_this_request(self) -> None:
        self.assertIsNone(self.reason())
        self.assertIsNone(self.reason(assets=[TOKEN.upper().replace("X", "x")], pay_to=[RECIPIENT]))
        self.assertIsNone(self.reason({"resource": URL.replace("gateway.example", "GATEWAY.example:443")}))

    def test_refuse_another_token_recipient_network_or_price(self) -> None:
        self.assertEqual(self.reason(assets=[RECIPIENT]), "asset_not_allowed")
        self.assertEqual(self.reason(pay_to=[TOKEN]), "pay_to_not_allowed")
        self.assertEqual(self.reason(networks=["eip155:1"]), "network_not_allowed")
        self.assertEqual(self.reason({"maxAmountRequired": "1001"}), "price_above_limit")

    def test_refuse_an_offer_for_another_resource(self) -> None:
        for resource in (
            "https://other.example/v1/chat/completions",
            "http://gateway.example/v1/chat/completions",
            "https://gateway.example:8443/v1/chat/completions",
            "https://gateway.example/v1/completions",
            "https://gateway.example@other.example/v1/chat/completions",
            "https://gateway.example:port/v1/chat/completions",
            "/v1/chat/completions",
        ):
            self.assertEqual(self.reason({"resource": resource}), "resource_elsewhere", resource)

    def test_allow_a_named_host(self) -> None:
        offer = {"resource": "http://10.0.0.1:8402/v1/chat/completions"}
        self.assertIsNone(self.reason(offer, resource_hosts=["10.0.0.1:8402"]))
        self.assertEqual(self.reason(offer, resource_hosts=["10.0.0.1"]), "resource_elsewhere")

    def test_refuse_rules_that_are_wrong(self) -> None:
        wrong: list[tuple[dict[str, Any], type[Exception]]] = [
            ({"amount_total_max": -1}, ValueError),
            ({"amount_total_max": 0.5}, TypeError),
            ({"amount_per_hour_max": True}, TypeError),
            ({"assets": TOKEN}, TypeError),
            ({"assets": ["0x12"]}, ValueError),
            ({"resource_hosts": ["https://gateway.example"]}, ValueError),
        ]
        for change, error in wrong:
            with self.assertRaises(error):
                SpendingRules(**{**LIMITS, **change})


class Translation(unittest.TestCase):
    def translate(self, *messages: Any) -> Any:
        return json.loads(translate_chat(json.dumps({"model": "m", "messages": messages}).encode()))["messages"]

    def test_writes_developer_as_system_and_text_parts_as_one_text(self) -> None:
        parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
        sent = ({"role": "developer", "content": "be short"}, {"role": "user", "content": parts})
        self.assertEqual(
            self.translate(*sent),
            [{"role": "system", "content": "be short"}, {"role": "user", "content": "one\ntwo"}],
        )

    def test_returns_other_bodies_as_they_are(self) -> None:
        for body in (b"", b"no json", b"[]", b'{"messages": 1}', b'{ "messages": [{"role": "user"}] }'):
            self.assertIs(translate_chat(body), body)

    def test_names_a_part_that_is_no_text(self) -> None:
        content = [{"type": "text", "text": "one"}, {"type": "image_url"}]
        with self.assertRaises(Untranslatable) as found:
            self.translate({"role": "user", "content": content})
        self.assertEqual(found.exception.param, "messages[0].content[1]")
        self.assertIn("of type image_url", found.exception.message)

    def test_writes_a_list_with_one_prompt_as_the_prompt(self) -> None:
        written = json.loads(translate_text(b'{"model": "m", "prompt": ["a"]}'))
        self.assertEqual(written, {"model": "m", "prompt": "a"})
        for body in (b"no json", b"[]", b'{"prompt": "a"}'):
            self.assertIs(translate_text(body), body)

    def test_names_prompts_that_are_not_one_text(self) -> None:
        for body in (b'{"prompt": []}', b'{"prompt": ["a", "b"]}', b'{"prompt": [1]}'):
            with self.assertRaises(Untranslatable) as found:
                translate_text(body)
            self.assertEqual(found.exception.param, "prompt")
