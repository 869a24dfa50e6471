"""Rules, translation, signers and a crash, against the gateway."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import paid_inference
import pytest
from buyers import MODEL, buy_openai, chat, make_openai, messages
from conftest import Gateway
from fault_proxy import Fault, FaultProxy
from paid_inference import LocalKey, Payer, read_key_file
from paid_inference import _contract as contract
from paid_inference._body import ResponseTooLarge
from paid_inference._httpx import http_library

PAGE = Path(__file__).parents[2] / "OTHER-LANGUAGES.md"
MakePayer = Callable[..., Payer]


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        ({"amount_per_request_max": 1}, "price_above_limit"),
        ({"amount_total_max": 1}, "total_above_limit"),
        ({"amount_per_hour_max": 1}, "hour_above_limit"),
        ({"assets": ["0x" + "22" * 20]}, "asset_not_allowed"),
        ({"pay_to": ["0x" + "22" * 20]}, "pay_to_not_allowed"),
        ({"networks": ["eip155:1"]}, "network_not_allowed"),
        ({"resource_hosts": []}, "resource_elsewhere"),
    ],
)
def test_an_offer_against_the_rules_is_not_signed(
    rule: dict[str, Any], reason: str, proxy: FaultProxy, make_payer: MakePayer, prompt: str
) -> None:
    from openai import APIStatusError

    steps: list[Any] = []
    payer = make_payer(**rule, on_step=steps.append)
    with pytest.raises(APIStatusError) as refused:
        buy_openai(payer, proxy.url, prompt)
    assert (refused.value.status_code, refused.value.code) == (402, reason)
    assert "The client did not pay" in refused.value.message
    assert [step["reason"] for step in steps if step["step"] == "refused"] == [reason]
    assert (proxy.payments, payer.amount_signed()) == ([], 0)


def test_the_total_counts_the_clients_of_one_payer(
    gateway: Gateway, make_payer: MakePayer, prompt: str
) -> None:
    from openai import APIStatusError

    payer = make_payer()
    buy_openai(payer, gateway.url, prompt)
    price = payer.amount_signed()
    assert price > 0
    small = make_payer(amount_total_max=2 * price)
    buy_openai(small, gateway.url, f"{prompt} Once.")
    buy_openai(small, gateway.url, f"{prompt} Then.")
    with pytest.raises(APIStatusError):
        buy_openai(small, gateway.url, f"{prompt} Last.")
    assert small.amount_signed() == 2 * price


def test_parts_and_the_role_developer_are_translated(
    gateway: Gateway, make_payer: MakePayer, prompt: str
) -> None:
    parts = [{"type": "text", "text": prompt}, {"type": "text", "text": "Now."}]
    sent: Any = [{"role": "developer", "content": "Be short."}, {"role": "user", "content": parts}]
    with make_openai(make_payer(), gateway.url) as client:
        assert client.chat.completions.create(model=MODEL, messages=sent).choices[0].message.content


def test_an_image_is_refused_without_a_payment(proxy: FaultProxy, make_payer: MakePayer) -> None:
    from openai import BadRequestError

    sent: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]}]
    with make_openai(make_payer(), proxy.url) as client, pytest.raises(BadRequestError) as refused:
        client.chat.completions.create(model=MODEL, messages=sent)
    assert refused.value.param == "messages[0].content[0]"
    assert proxy.payments == []


def test_messages_of_the_gateway_can_be_sent_back(gateway: Gateway, make_payer: MakePayer, prompt: str) -> None:
    with make_openai(make_payer(), gateway.url) as client:
        history = messages(prompt)
        for _ in range(3):
            bought = client.chat.completions.create(model=MODEL, messages=history, max_tokens=5)
            history += [bought.choices[0].message.model_dump(), *messages("And then?")]


@pytest.mark.parametrize("fault", [None, Fault("reset", "after")], ids=str)
def test_a_stream_of_the_gateway_is_bought(
    fault: Fault | None, gateway: Gateway, proxy: FaultProxy, make_payer: MakePayer, prompt: str
) -> None:
    proxy.faults = [] if fault is None else [fault]
    start = gateway.block()
    with make_openai(make_payer(), proxy.url) as client:
        stream = client.chat.completions.create(
            model=MODEL, messages=messages(prompt), stream=True, stream_options={"include_usage": True}
        )
        chunks = list(stream)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert chunks[-1].usage.total_tokens > 0
    assert gateway.transfers_since(start) == 1
    assert len(set(proxy.payments)) == 1


def test_a_large_response_is_not_read_whole() -> None:
    httpx = http_library()
    bomb = gzip.compress(bytes(contract.RESPONSE_BYTES_MAX + 1))
    headers = {"Content-Encoding": "gzip"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, content=iter([bomb])))
    payer = Payer(signer=LocalKey(b"\x11" * 32), amount_per_request_max=1, amount_total_max=1)
    with payer.client(transport) as client, pytest.raises(ResponseTooLarge):
        client.get("https://gateway.example/v1/models")


def test_a_body_that_trickles_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    httpx = http_library()
    monkeypatch.setattr(contract, "ATTEMPT_TIMEOUT_SECONDS", 0)

    def trickle() -> Iterator[bytes]:
        while True:
            time.sleep(0.01)
            yield b" "

    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=trickle()))
    payer = Payer(signer=LocalKey(b"\x11" * 32), amount_per_request_max=1, amount_total_max=1)
    with payer.client(transport, timeout=0.2) as client, pytest.raises(TimeoutError, match="in time"):
        client.get("https://gateway.example/v1/models")


def test_no_client_follows_a_redirect_of_the_gateway() -> None:
    httpx = http_library()
    asked: list[str] = []

    def redirect(request: Any) -> Any:
        asked.append(str(request.url))
        return httpx.Response(307, headers={"Location": "https://other.example/v1/chat/completions"})

    payer = Payer(signer=LocalKey(b"\x11" * 32), amount_per_request_max=1, amount_total_max=1)
    with payer.client(httpx.MockTransport(redirect), follow_redirects=True) as client:
        assert client.post("https://gateway.example/v1/chat/completions").status_code == 307
    assert asked == ["https://gateway.example/v1/chat/completions"]


def test_a_session_of_requests_follows_no_redirect_of_the_gateway() -> None:
    import requests
    from requests.adapters import BaseAdapter

    asked: list[str] = []

    class Redirecting(BaseAdapter):
        def send(self, request: Any, *_: Any, **__: Any) -> Any:
            asked.append(request.url)
            response = requests.Response()
            response.status_code = 307
            response.headers["Location"] = "https://other.example/v1/chat/completions"
            response.raw = io.BytesIO()
            return response

        def close(self) -> None:
            """Close nothing."""

    payer = Payer(signer=LocalKey(b"\x11" * 32), amount_per_request_max=1, amount_total_max=1)
    session = requests.Session()
    session.mount("https://", payer.adapter(Redirecting()))
    assert session.post("https://gateway.example/v1/chat/completions").status_code == 307
    assert asked == ["https://gateway.example/v1/chat/completions"]


def test_free_requests_pass(gateway: Gateway, make_payer: MakePayer) -> None:
    payer = make_payer()
    with make_openai(payer, gateway.url) as client:
        assert MODEL in [model.id for model in client.models.list()]
    assert payer.amount_signed() == 0


def test_signs_the_vector_of_the_manual() -> None:
    page = PAGE.read_text()
    typed, payment = (json.loads(block) for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL))
    key = LocalKey(b"\x11" * 32)
    assert key.address == payment["payload"]["authorization"]["from"]
    signature = key.sign_typed_data(typed["domain"], contract.TRANSFER_TYPES, typed["message"])
    assert "0x" + signature.hex() == payment["payload"]["signature"]


def test_an_account_of_eth_account_signs(gateway: Gateway, make_payer: MakePayer, prompt: str) -> None:
    eth_account = pytest.importorskip("eth_account")
    account = eth_account.Account.from_key(Path(gateway.key_file).read_text().strip())
    assert buy_openai(make_payer(key_file=None, signer=account), gateway.url, prompt)


def test_a_key_file_must_be_private_and_have_a_key(tmp_path: Path) -> None:
    file = tmp_path / "payer.key"
    file.write_text("0x" + "11" * 32 + "\n")
    file.chmod(0o644)
    with pytest.raises(PermissionError, match="chmod 600"):
        read_key_file(file)
    file.chmod(0o600)
    assert "11" * 32 not in repr(read_key_file(file))
    for wrong in ("", "0x12", "0" * 64, "f" * 64):
        file.write_text(wrong)
        with pytest.raises(ValueError, match="is not a private key"):
            read_key_file(file)


PROGRAM = """
import json, sys
from paid_inference import Payer

options = json.loads(sys.argv[1])
with Payer(**options["payer"]).client(timeout=60) as client:
    response = client.post(options["url"], json=options["chat"])
    response.raise_for_status()
    print(response.json()["choices"][0]["message"]["content"])
"""


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_the_journal_survives_a_kill(
    gateway: Gateway, proxy: FaultProxy, prompt: str, tmp_path: Path
) -> None:
    journal = tmp_path / "payments.db"
    options = {
        "url": proxy.url + "/v1/chat/completions",
        "chat": chat(prompt),
        "payer": {
            "key_file": gateway.key_file,
            "amount_per_request_max": 100_000,
            "amount_total_max": 1_000_000,
            "resource_hosts": [gateway.url.split("//")[1]],
            "journal": str(journal),
        },
    }
    command = [sys.executable, "-c", PROGRAM, json.dumps(options)]
    start = gateway.block()
    proxy.faults = [Fault("timeout", "after")]
    killed = subprocess.Popen(command)
    assert proxy.hidden.wait(60)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert gateway.transfers_since(start) == 1
    assert journal.stat().st_mode & 0o777 == 0o600

    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert printed.strip()
    assert gateway.transfers_since(start) == 1
    assert (len(proxy.payments), len(set(proxy.payments))) == (2, 1)
    assert proxy.served[-1][1].get("Idempotent-Replayed") == "true"


def test_the_end_of_a_client_closes_its_journal(gateway: Gateway, tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "key_file": gateway.key_file,
        "amount_per_request_max": 100_000,
        "amount_total_max": 1_000_000,
        "journal": tmp_path / "payments.db",
    }
    for _ in range(2):
        with paid_inference.client(**options) as client:
            assert client.get(gateway.url + "/v1/models").status_code == 200
    with pytest.raises(paid_inference.JournalError):
        with paid_inference.client(**options):
            paid_inference.async_client(**options)


def test_a_gateway_that_is_down_charges_nothing(make_payer: MakePayer) -> None:
    payer = make_payer()
    with payer.client() as client, pytest.raises(Exception) as refused:
        client.post("http://127.0.0.1:1/v1/chat/completions", json=chat("Hello"))
    assert type(refused.value).__name__ == "ConnectError"
    assert payer.amount_signed() == 0
