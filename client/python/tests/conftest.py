"""Fixtures for tests against a real gateway on a devnet, which `npm run test:python` starts."""

from __future__ import annotations

import itertools
import json
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fault_proxy import FaultProxy
from paid_inference import Payer
from paid_inference._keccak import keccak256

TRANSFER = "0x" + keccak256(b"Transfer(address,address,uint256)").hex()

#: The table of faults in README.md: by client, then by fault.
rows: dict[str, dict[str, str]] = {}
#: The table of features in README.md: by SDK, then by feature.
feature_cells: dict[str, dict[str, str]] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--gateway", help="A file with the ready event of a gateway", required=True)
    parser.addoption("--rows", help="The file for the measured cells of the tables")


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--rows")
    if file:
        Path(file).write_text(json.dumps({"faults": rows, "features": feature_cells}))


@dataclass(frozen=True)
class Gateway:
    url: str
    rpc_url: str
    token: str
    recipient: str
    payer: str
    key_file: str

    def call(self, method: str, *params: object) -> Any:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        request = urllib.request.Request(self.rpc_url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["result"]

    def block(self) -> int:
        return int(self.call("eth_blockNumber"), 16)

    def transfers_since(self, block: int) -> int:
        """Count the payer's transfers to the recipient on the chain."""
        topics = [TRANSFER, *(f"0x{each[2:].lower():0>64}" for each in (self.payer, self.recipient))]
        filter_ = {"address": self.token, "fromBlock": hex(block + 1), "topics": topics}
        return len(self.call("eth_getLogs", filter_))


@pytest.fixture(scope="session")
def gateway(request: pytest.FixtureRequest) -> Gateway:
    ready = json.loads(Path(request.config.getoption("--gateway")).read_text())
    return Gateway(
        url=ready["url"],
        rpc_url=ready["chain"]["rpcUrl"],
        token=ready["token"]["address"],
        recipient=ready["payTo"],
        payer=ready["payer"]["address"],
        key_file=ready["payer"]["keyFile"],
    )


@pytest.fixture
def proxy(gateway: Gateway) -> Iterator[FaultProxy]:
    opened = FaultProxy(gateway.url)
    yield opened
    opened.close()


@pytest.fixture
def make_payer(gateway: Gateway) -> Iterator[Callable[..., Payer]]:
    """Makes payers with the key of the devnet. They accept offers of the gateway behind the proxy."""
    made: list[Payer] = []

    def make(**options: Any) -> Payer:
        rules = {
            "key_file": gateway.key_file,
            "amount_per_request_max": 100_000,
            "amount_total_max": 1_000_000,
            "assets": [gateway.token],
            "pay_to": [gateway.recipient],
            "resource_hosts": [gateway.url.split("//")[1]],
        }
        made.append(Payer(**{**rules, **options}))
        return made[-1]

    yield make
    for each in made:
        each.close()


counter = itertools.count()


@pytest.fixture
def prompt() -> str:
    """Another prompt for each test, so that no test joins the purchase of another one."""
    return f"Say the number {next(counter)} of this run."
