"""Keys, and signatures of EIP-712 typed data."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from . import _contract as contract
from ._codec import encode
from ._keccak import keccak256

Fields = Sequence[Mapping[str, str]]


class Signer(Protocol):
    """Signs payments: a `LocalKey`, an account of `eth-account`, or any object with these two members."""

    @property
    def address(self) -> str: ...

    def sign_typed_data(
        self,
        domain_data: dict[str, Any],
        message_types: dict[str, Any],
        message_data: dict[str, Any],
    ) -> Any:
        """Return the 65 bytes of the signature, or an object that has them in `signature`."""


class LocalKey:
    """A private key in memory."""

    def __init__(self, secret: bytes) -> None:
        from coincurve import PrivateKey

        self._key = PrivateKey(secret)
        public = self._key.public_key.format(compressed=False)[1:]
        self.address = "0x" + keccak256(public)[-20:].hex()

    def __repr__(self) -> str:
        return f"LocalKey({self.address})"

    def sign_typed_data(
        self,
        domain_data: dict[str, Any],
        message_types: dict[str, Any],
        message_data: dict[str, Any],
    ) -> bytes:
        digest = hash_typed_data(domain_data, message_types, message_data)
        signature = self._key.sign_recoverable(digest, hasher=None)
        return signature[:64] + bytes([27 + signature[64]])


def read_key_file(path: str | os.PathLike[str]) -> LocalKey:
    """Read a private key of 64 hex digits, with or without 0x, from a file that only its owner can read."""
    # Also a key with a few digits too many or too few. No message may repeat it.
    if re.search(r"[0-9a-fA-F]{48}", os.fspath(path)):
        raise ValueError("the path is a key, and must name a file that holds one")
    if os.name == "posix" and os.stat(path).st_mode & 0o077:
        raise PermissionError(f"the key file {path} can be read by other users. Run chmod 600 {path}")
    digits = Path(path).read_text().strip().removeprefix("0x")
    # The message never repeats a key.
    fault = ValueError(f"{path} is not a private key. A key has 64 hex digits, with or without 0x")
    if re.fullmatch(r"[0-9a-fA-F]{64}", digits) is None:
        raise fault
    try:
        return LocalKey(bytes.fromhex(digits))
    except ValueError:
        raise fault from None


@dataclass(frozen=True)
class SignedPayment:
    """A signed authorization, which the client may send several times."""

    authorization: dict[str, Any]
    #: The value of `X-PAYMENT`, the same bytes each time. Anybody who has the value can settle the payment.
    header: str

    @property
    def nonce(self) -> str:
        return str(self.authorization["nonce"])

    @property
    def valid_before(self) -> int:
        return int(self.authorization["validBefore"])


def sign_payment(signer: Signer, offer: Mapping[str, Any], now: float) -> SignedPayment:
    """Sign an authorization for exactly the offer's price (D-17), valid until the offer ends."""
    authorization = {
        "from": signer.address,
        "to": offer["payTo"],
        "value": offer["maxAmountRequired"],
        # Valid at once. A start of "now" fails when our clock is ahead of the chain's.
        "validAfter": 0,
        "validBefore": int(now) + min(offer["maxTimeoutSeconds"], contract.VALIDITY_SECONDS_MAX),
        "nonce": "0x" + secrets.token_hex(32),
    }
    domain = payment_domain(offer)
    # Signers refuse a mixed-case address with a wrong checksum, and offers may use any letter case.
    domain["verifyingContract"] = domain["verifyingContract"].lower()
    message = {
        **authorization,
        "from": signer.address.lower(),
        "to": offer["payTo"].lower(),
        "value": int(offer["maxAmountRequired"]),
    }
    signed = signer.sign_typed_data(domain, contract.TRANSFER_TYPES, message)
    signature = "0x" + bytes(getattr(signed, "signature", signed)).hex()
    payload = {"signature": signature, "authorization": authorization}
    return SignedPayment(authorization, encode({"payload": payload}))


def payment_domain(offer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the EIP-712 domain of an offer. The contract says which value has which place in the offer."""
    return {
        name: _find(offer, place) if isinstance(place, str) else place
        for name, place in contract.DOMAIN_PLACES.items()
    }


def _find(offer: Mapping[str, Any], place: str) -> Any:
    found: Any = offer
    for name in place.split("."):
        found = found[name]
    return found


def hash_typed_data(
    domain: Mapping[str, Any], types: Mapping[str, Fields], message: Mapping[str, Any]
) -> bytes:
    """Return the EIP-712 digest of a message of one type whose fields are text, numbers, addresses or bytes32."""
    [(name, fields)] = types.items()
    domain_hash = hash_struct("EIP712Domain", contract.DOMAIN_FIELDS, domain)
    return keccak256(b"\x19\x01" + domain_hash + hash_struct(name, fields, message))


def hash_struct(name: str, fields: Fields, values: Mapping[str, Any]) -> bytes:
    """Return the hash of a struct: of its type, and of each field in 32 bytes."""
    encoded_type = f"{name}({','.join(field['type'] + ' ' + field['name'] for field in fields)})"
    encoded = [_encode_field(field["type"], values[field["name"]]) for field in fields]
    return keccak256(keccak256(encoded_type.encode()) + b"".join(encoded))


def _encode_field(kind: str, value: Any) -> bytes:
    if kind == "string":
        return keccak256(str(value).encode("utf-8"))
    if kind in ("address", "bytes32"):
        return bytes.fromhex(value[2:]).rjust(32, b"\0")
    if kind.startswith("uint"):
        return int(value).to_bytes(32, "big")
    raise TypeError(f"typed data: the type {kind} is not supported")
