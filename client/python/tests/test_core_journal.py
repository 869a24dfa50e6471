"""The journal as a file."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import unittest
from pathlib import Path
from typing import Any

import test_core_purchases
from core_support import FakeSigner, ask, fault
from paid_inference import JournalError, Payer, PaymentOutcomeUnknown
from paid_inference._exchange import Lost, Send


class JournalFile(test_core_purchases.Purchases):
    """All purchases again with a file, and the file itself."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "journal.db"
        self.files = 0
        super().setUp()
        self.payer.close()
        self.payer = self.open()

    def make(self, **options: Any) -> Payer:
        self.files += 1
        return super().make(**{"journal": self.path.with_name(f"{self.files}.db"), **options})

    def open(self, **options: Any) -> Payer:
        return super().make(**{"journal": self.path, **options})

    def test_survives_the_process(self) -> None:
        self.gateway.fates = [Lost(TimeoutError(), left=True)] * 4
        with self.assertRaises(PaymentOutcomeUnknown):
            self.buy()
        self.payer.close()
        again = self.open()
        self.assertEqual(again.amount_signed(), 1000)
        self.assertEqual(self.buy(payer=again).status, 200)
        self.assertEqual((len(self.gateway.paid), len(set(self.gateway.paid)), self.gateway.asked), (5, 1, 1))

    def test_keeps_the_payment_of_another_payer_for_that_payer(self) -> None:
        self.gateway.fates = [Lost(TimeoutError(), left=True)] * 4
        with self.assertRaises(PaymentOutcomeUnknown):
            self.buy()
        self.payer.close()
        other = FakeSigner()
        other.address = "0x" + "77" * 20
        stranger = self.open(signer=other)
        self.buy(payer=stranger)
        stranger.close()
        self.buy(payer=self.open())
        first, second, third = self.gateway.paid[0], *self.gateway.paid[4:]
        self.assertEqual((third, len({first, second})), (first, 2))

    def test_has_the_payment_before_it_is_sent(self) -> None:
        flow = self.payer.exchange(ask())
        asked = next(flow)
        assert isinstance(asked, Send)
        presented = flow.send(self.gateway(asked.request))
        assert isinstance(presented, Send)
        header = str(presented.request.header("x-payment")).encode()
        self.assertIn(header, self.path.read_bytes())
        flow.close()

    def test_erases_the_signature_after_the_purchase(self) -> None:
        self.buy()
        header = self.gateway.paid[0].encode()
        for file in self.path.parent.iterdir():
            self.assertNotIn(header[:60], file.read_bytes())

    def test_forgets_an_expired_payment_but_not_its_amount(self) -> None:
        self.gateway.fates = [fault(503, "settlement_pending")] * 4
        self.buy()
        self.time.seconds += 300
        self.buy()
        self.assertEqual(len(set(self.gateway.paid)), 2)
        self.assertEqual(self.payer.amount_signed(), 2000)

    def test_keeps_the_sum_of_old_payments_and_not_their_rows(self) -> None:
        self.payer.close()
        self.payer = self.open(amount_total_max=9_000, amount_per_hour_max=4_000)
        for _ in range(8):
            self.assertEqual(self.buy().status, 200)
            self.time.seconds += 1_800
        self.assertEqual(self.payer.amount_signed(), 8_000)
        self.payer.close()
        [(rows,)] = sqlite3.connect(self.path).execute("SELECT count(*) FROM payment")
        self.assertLessEqual(rows, 3)
        again = self.open(amount_total_max=9_000)
        self.assertEqual(again.amount_signed(), 8_000)
        self.assertEqual([self.buy(payer=again).status for _ in range(2)], [200, 402])

    @unittest.skipUnless(os.name == "posix", "Windows has no file modes")
    def test_only_its_owner_reads_the_file(self) -> None:
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)
        self.payer.close()
        self.path.chmod(0o644)
        self.open()
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)

    def test_belongs_to_one_client_at_a_time(self) -> None:
        with self.assertRaisesRegex(JournalError, "another client uses it"):
            self.open()
        self.payer.close()
        self.open()

    def test_refuses_another_file(self) -> None:
        other = self.path.with_name("other")
        other.write_text("no journal, but a text that is longer than the header of such a file" * 10)
        with self.assertRaisesRegex(JournalError, "is not a journal"):
            self.open(journal=other)
        self.buy()
        self.payer.close()
        with sqlite3.connect(self.path) as database:
            database.execute("UPDATE payment SET amount = '1x'")
        with self.assertRaisesRegex(JournalError, "cannot be read"):
            self.open()
        with self.assertRaisesRegex(JournalError, "cannot be opened"):
            self.open(journal=self.path.parent)
        with self.assertRaisesRegex(JournalError, "cannot be opened"):
            self.open(journal=self.path / "inner")

    @unittest.skipUnless(hasattr(os, "fork"), "This system has no fork")
    def test_refuses_a_client_from_before_a_fork(self) -> None:
        child = os.fork()
        if child == 0:
            try:
                self.buy()
            except JournalError:
                os._exit(7)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 7)
