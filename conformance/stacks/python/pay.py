"""Pays for an offer of the gateway (contract §4.4)."""

import base64
import json
import secrets
import time
from typing import Any

from eth_account import Account
from eth_account.messages import encode_typed_data
from generated.models.payment_authorization import PaymentAuthorization
from generated.models.payment_object import PaymentObject
from generated.models.payment_payload import PaymentPayload
from generated.models.payment_requirements import PaymentRequirements

FIELDS = "from address,to address,value uint256,validAfter uint256,validBefore uint256,nonce bytes32"
TYPES = {"TransferWithAuthorization": [dict(zip(("name", "type"), each.split())) for each in FIELDS.split(",")]}


def typed_data(offer: PaymentRequirements, authorization: PaymentAuthorization) -> Any:
    """The EIP-712 data of an authorization (contract §4.4, step 4)."""
    domain = {
        "name": offer.extra.name,
        "version": offer.extra.version,
        "chainId": 84532,
        "verifyingContract": offer.asset,
    }
    message = authorization.to_dict()
    return encode_typed_data(domain, TYPES, {**message, "value": int(authorization.value)})


def sign(key: str, data: Any) -> str:
    return "0x" + bytes(Account.sign_message(data, key).signature).hex()


def pay(key: str, offer: PaymentRequirements, more: int = 0) -> str:
    """Returns the value of `X-PAYMENT` for an offer. `more` is added to the signed amount only."""
    authorization = PaymentAuthorization(
        from_=Account.from_key(key).address,
        to=offer.pay_to,
        value=offer.max_amount_required,
        valid_after=0,
        valid_before=int(time.time()) + offer.max_timeout_seconds,
        nonce="0x" + secrets.token_hex(32),
    )
    signed = PaymentAuthorization.from_dict(authorization.to_dict())
    signed.value = str(int(authorization.value) + more)
    signature = sign(key, typed_data(offer, signed))
    return encode(PaymentObject(payload=PaymentPayload(signature=signature, authorization=authorization)))


def encode(payment: PaymentObject) -> str:
    return base64.b64encode(json.dumps(payment.to_dict(), separators=(",", ":")).encode()).decode()


def decode(header: str) -> dict[str, Any]:
    """Decodes a header of the contract: base64 of JSON."""
    value = json.loads(base64.b64decode(header, validate=True))
    assert isinstance(value, dict)
    return value
