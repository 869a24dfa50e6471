"""Compares this client's digest, signature and headers with the vectors of the contract."""

import json
import os

from eth_account.messages import _hash_eip191_message
from generated.models.inference_proof import InferenceProof
from generated.models.payment_authorization import PaymentAuthorization
from generated.models.payment_object import PaymentObject
from generated.models.payment_receipt import PaymentReceipt
from generated.models.payment_requirements import PaymentRequirements
from pay import decode, encode, sign, typed_data

with open(os.environ["VECTORS"], encoding="utf-8") as file:
    vectors = json.load(file)
headers = vectors["headers"]
offer = PaymentRequirements.from_dict(decode(headers["X-PAYMENT-REQUIRED"]))
data = typed_data(offer, PaymentAuthorization.from_dict(vectors["authorization"]))
payment = PaymentObject.from_dict(decode(headers["X-PAYMENT"]))

assert offer.to_dict() == vectors["offer"]
assert "0x" + _hash_eip191_message(data).hex() == vectors["digest"]
assert sign(vectors["key"], data) == vectors["signature"] == payment.payload.signature
assert payment.payload.authorization.to_dict() == vectors["authorization"]
assert decode(encode(payment)) == decode(headers["X-PAYMENT"])
assert PaymentReceipt.from_dict(decode(headers["X-PAYMENT-RESPONSE"])).to_dict() == vectors["receipt"]
assert InferenceProof.from_dict(decode(headers["X-INFERENCE-PROOF"])).to_dict() == vectors["proof"]
