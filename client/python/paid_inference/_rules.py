"""The limits of a client, and the check of an offer before the signature."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from . import _contract as contract
from ._codec import find_fault


@dataclass(frozen=True)
class Refusal:
    """The reason why the client signed nothing. `reason` has the names of the TypeScript client."""

    reason: str
    message: str


@dataclass(frozen=True)
class SpendingRules:
    """Amounts are in the token's smallest unit. A list that is left out allows everything."""

    amount_per_request_max: int
    #: The sum of all payments in the journal. Without a file, the journal lasts as long as the process.
    amount_total_max: int
    #: The sum of the payments of the last 60 minutes.
    amount_per_hour_max: int | None = None
    #: CAIP-2 identifiers.
    networks: Sequence[str] = (contract.NETWORK,)
    #: Token contracts.
    assets: Sequence[str] | None = None
    #: Recipients.
    pay_to: Sequence[str] | None = None
    #: Hosts that an offer may name besides the host of the request, with a port unless it is the default one.
    resource_hosts: Sequence[str] = ()

    def __post_init__(self) -> None:
        for name in ("amount_per_request_max", "amount_total_max", "amount_per_hour_max"):
            amount = getattr(self, name)
            if amount is None and name == "amount_per_hour_max":
                continue
            if not isinstance(amount, int) or isinstance(amount, bool):
                raise TypeError(f"spending rules: {name} is not an int")
            if amount < 0:
                raise ValueError(f"spending rules: {name} is below zero")
        for name in ("networks", "assets", "pay_to", "resource_hosts"):
            if isinstance(getattr(self, name), str):
                raise TypeError(f"spending rules: {name} is a text. Give a list")
        for address in (*(self.assets or ()), *(self.pay_to or ())):
            if find_fault(address, contract.ADDRESS_SCHEMA) is not None:
                raise ValueError(f"spending rules: {address} is not an address")
        for host in self.resource_hosts:
            if re.fullmatch(r"[a-z0-9.-]+(:[0-9]{1,5})?|\[[0-9a-f:.]+\](:[0-9]{1,5})?", host) is None:
                example = "gateway.example or 127.0.0.1:8402"
                raise ValueError(f"spending rules: {host} is not a host such as {example}")


def check_offer(offer: Mapping[str, Any], url: str, rules: SpendingRules) -> Refusal | None:
    """Check an offer by itself. The journal checks the sums, because their check and the entry are one step."""
    if offer["scheme"] != contract.SCHEME:
        scheme = f"the offer's scheme is {offer['scheme']}, not {contract.SCHEME}"
        return Refusal("scheme_not_allowed", scheme)
    if offer["network"] not in rules.networks:
        return Refusal("network_not_allowed", _not_allowed("network", offer["network"]))
    if not _allows_address(rules.assets, offer["asset"]):
        return Refusal("asset_not_allowed", _not_allowed("token", offer["asset"]))
    if not _allows_address(rules.pay_to, offer["payTo"]):
        return Refusal("pay_to_not_allowed", _not_allowed("recipient", offer["payTo"]))
    if not _is_same_resource(offer["resource"], url, rules.resource_hosts):
        places = f"the offer is for {offer['resource']}, but the request is for {url.split('?')[0]}"
        return Refusal("resource_elsewhere", places)
    if int(offer["maxAmountRequired"]) > rules.amount_per_request_max:
        price = f"the price of {offer['maxAmountRequired']} units is above the limit of"
        return Refusal("price_above_limit", f"{price} {rules.amount_per_request_max} units")
    return None


def _not_allowed(kind: str, value: str) -> str:
    return f"the {kind} {value} is not allowed by the spending rules"


def _allows_address(allowed: Sequence[str] | None, address: str) -> bool:
    """Compare addresses without letter case (contract section 2.8)."""
    return allowed is None or address.lower() in [each.lower() for each in allowed]


def _is_same_resource(resource: str, url: str, hosts: Sequence[str]) -> bool:
    """Whether the offer is for this request.

    The signature does not cover the resource, so only this check finds an offer of another gateway.
    """
    try:
        offered, asked = urlsplit(resource), urlsplit(url)
        if (offered.path or "/") != (asked.path or "/"):
            return False
        if (offered.scheme.lower(), _host(offered)) == (asked.scheme.lower(), _host(asked)):
            return True
        return offered.scheme.lower() in _default_ports and _host(offered) in hosts
    except ValueError:
        return False


_default_ports = {"http": 80, "https": 443}


def _host(url: SplitResult) -> str:
    """The host, with a port unless it is the default one of the scheme."""
    name = url.hostname or ""
    name = f"[{name}]" if ":" in name else name
    is_default = url.port is None or url.port == _default_ports.get(url.scheme.lower())
    return name if is_default else f"{name}:{url.port}"
