"""The journal of payments: the sums for the spending rules, and the payments whose outcome is unknown."""

from __future__ import annotations

import base64
import enum
import errno
import json
import logging
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ._rules import Refusal, SpendingRules
from ._signing import SignedPayment

_log = logging.getLogger("paid_inference")
_HOUR_SECONDS = 3600
_VERSION = 2
_TABLES = (
    """
CREATE TABLE IF NOT EXISTS payment (
  nonce TEXT PRIMARY KEY,
  request TEXT NOT NULL,
  amount TEXT NOT NULL,
  signed_at REAL NOT NULL,
  valid_before INTEGER NOT NULL,
  header TEXT
)
""",
    "CREATE INDEX IF NOT EXISTS payment_time ON payment (signed_at)",
    "CREATE INDEX IF NOT EXISTS payment_open ON payment (request) WHERE header IS NOT NULL",
    # The sum of the payments that are no longer rows.
    "CREATE TABLE IF NOT EXISTS earlier (amount TEXT NOT NULL)",
    "INSERT INTO earlier SELECT '0' WHERE NOT EXISTS (SELECT 1 FROM earlier)",
)


class JournalError(Exception):
    """The file of the journal cannot be used. The message names the file and the reason."""


class Ending(enum.Enum):
    """How a request ended for its payment."""

    #: No byte of the payment left this process.
    UNSENT = enum.auto()
    #: The outcome is unknown. The next equal request sends the same payment again.
    OPEN = enum.auto()
    #: The gateway charged or refused the payment. The amount stays in the sums.
    DONE = enum.auto()


class Journal:
    """Keeps each payment from before it is sent until its outcome is known.

    With a path, the journal is an SQLite file of mode 600 that one process uses at a time. It survives the
    process: after a crash, the next equal request sends the same payment again. The file has hashes of requests
    and amounts, and the signatures of open payments. It has no prompts and no completions.
    """

    def __init__(self, path: str | os.PathLike[str] | None, rules: SpendingRules, now: float) -> None:
        self._rules = rules
        self._lock = threading.Lock()
        self._process = os.getpid()
        #: The payments of running requests.
        self._busy: set[str] = set()
        self._database = _open(path)
        try:
            self._total = self._read_total()
            self._erase_expired(now)
            self._erase_old(now)
        except (sqlite3.Error, ValueError) as error:
            self._database.close()
            raise JournalError(f"the journal {path} cannot be read: {error}") from error

    @property
    def total(self) -> int:
        """The sum of all payments in the journal."""
        return self._total

    def check(self, amount: int, now: float) -> Refusal | None:
        """Check the sums before a signature."""
        with self._locked():
            return self._check(amount, now)

    def add(self, request: str, payment: SignedPayment, now: float) -> Refusal | None:
        """Check the sums, and write a payment to the disk. Only then the payment may be sent."""
        amount = int(payment.authorization["value"])
        with self._locked():
            refusal = self._check(amount, now)
            if refusal is not None:
                return refusal
            self._database.execute(
                "INSERT INTO payment VALUES (?, ?, ?, ?, ?, ?)",
                (payment.nonce, request, str(amount), now, payment.valid_before, payment.header),
            )
            self._total += amount
            self._busy.add(payment.nonce)
            return None

    def take(self, request: str, payer: str, now: float) -> SignedPayment | None:
        """Return the payer's oldest open payment of a request that the chain still accepts, and mark it as busy."""
        with self._locked():
            rows = self._database.execute(
                "SELECT nonce, header FROM payment"
                " WHERE request = ? AND header IS NOT NULL AND valid_before > ? ORDER BY signed_at",
                (request, now),
            ).fetchall()
            for nonce, header in rows:
                authorization = json.loads(base64.b64decode(header))["payload"]["authorization"]
                # After a change of the key, and on a new devnet, the gateway would reject the payment of another payer.
                if nonce not in self._busy and authorization["from"].lower() == payer.lower():
                    self._busy.add(nonce)
                    return SignedPayment(authorization, header)
            return None

    def end(self, payment: SignedPayment, ending: Ending, now: float) -> None:
        """End a request. Erases the signature, unless the outcome is unknown.

        A full disk does not raise here, because the caller has paid for the response. The payment stays open.
        """
        try:
            with self._locked():
                self._erase_expired(now)
                self._erase_old(now)
                self._busy.discard(payment.nonce)
                if ending is Ending.UNSENT:
                    self._database.execute("DELETE FROM payment WHERE nonce = ?", (payment.nonce,))
                    self._total -= int(payment.authorization["value"])
                elif ending is Ending.DONE:
                    erase = "UPDATE payment SET header = NULL WHERE nonce = ?"
                    self._database.execute(erase, (payment.nonce,))
        except JournalError as error:
            _log.warning("%s", error)

    def close(self) -> None:
        """Close the file, so that another process can use it."""
        with self._lock:
            self._database.close()

    def _check(self, amount: int, now: float) -> Refusal | None:
        rules = self._rules
        if self._total + amount > rules.amount_total_max:
            return _above(amount, self._total, "already signed", "total", rules.amount_total_max)
        if rules.amount_per_hour_max is None:
            return None
        since = (now - _HOUR_SECONDS,)
        rows = self._database.execute("SELECT amount FROM payment WHERE signed_at > ?", since)
        hour = sum(int(signed) for (signed,) in rows)
        if hour + amount > rules.amount_per_hour_max:
            return _above(amount, hour, "of the last hour", "hour", rules.amount_per_hour_max)
        return None

    def _read_total(self) -> int:
        amounts = self._database.execute("SELECT amount FROM payment UNION ALL SELECT amount FROM earlier")
        return sum(int(amount) for (amount,) in amounts)

    def _erase_expired(self, now: float) -> None:
        expired = "UPDATE payment SET header = NULL WHERE header IS NOT NULL AND valid_before <= ?"
        self._database.execute(expired, (now,))

    def _erase_old(self, now: float) -> None:
        """Replace the closed payments that the limit of an hour no longer counts by their sum."""
        old = self._database.execute(
            "SELECT nonce, amount FROM payment WHERE header IS NULL AND signed_at <= ?", (now - _HOUR_SECONDS,)
        ).fetchall()
        ended = [(nonce, int(amount)) for nonce, amount in old if nonce not in self._busy]
        if not ended:
            return
        [(earlier,)] = self._database.execute("SELECT amount FROM earlier")
        total = int(earlier) + sum(amount for _, amount in ended)
        self._database.execute("BEGIN")
        try:
            delete = "DELETE FROM payment WHERE nonce = ?"
            self._database.executemany(delete, [(nonce,) for nonce, _ in ended])
            self._database.execute("UPDATE earlier SET amount = ?", (str(total),))
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if os.getpid() != self._process:
            # The sums and the lock of the file belong to the process that opened the journal.
            raise JournalError("the journal was opened before a fork. Make the client in the new process")
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise JournalError(f"the journal cannot be used: {error}") from error


def _above(amount: int, before: int, which: str, limit: str, limit_max: int) -> Refusal:
    message = f"the price of {amount} units and the {before} {which} are above the {limit} limit of"
    return Refusal(f"{limit}_above_limit", f"{message} {limit_max} units")


def _open(path: str | os.PathLike[str] | None) -> sqlite3.Connection:
    if path is None:
        return _prepare(_connect(":memory:"))
    try:
        _make_private(path)
        return _prepare(_connect(path))
    except OSError as error:
        raise JournalError(f"the journal {path} cannot be opened: {error.strerror}") from error
    except sqlite3.OperationalError as error:
        reason = "another client uses it. Give each process a journal of its own, and each client one payer"
        shown = reason if "locked" in str(error) else str(error)
        raise JournalError(f"the journal {path} cannot be opened: {shown}") from error
    except sqlite3.DatabaseError as error:
        raise JournalError(f"the journal {path} is not a journal: {error}") from error


def _make_private(path: str | os.PathLike[str]) -> None:
    """Make the file before SQLite does, because a signature must never be readable by other users."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        if not os.path.isfile(path):
            raise OSError(errno.EINVAL, "it is not a file") from None
        os.chmod(path, 0o600)


def _connect(path: str | os.PathLike[str]) -> sqlite3.Connection:
    # A second process gets its error at once. Each statement is a transaction of its own.
    return sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)


def _prepare(database: sqlite3.Connection) -> sqlite3.Connection:
    try:
        # The first write takes the lock of the file, and the process keeps it.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        # Erased signatures become zeros, also in the file that SQLite keeps beside the journal.
        database.execute("PRAGMA secure_delete = ON")
        database.execute("PRAGMA journal_mode = TRUNCATE")
        database.execute("BEGIN EXCLUSIVE")
        [(version,)] = database.execute("PRAGMA user_version")
        if version > _VERSION:
            raise sqlite3.DatabaseError(f"its version is {version}, and this client knows {_VERSION}")
        for statement in _TABLES:
            database.execute(statement)
        database.execute(f"PRAGMA user_version = {_VERSION}")
        database.execute("COMMIT")
        return database
    except BaseException:
        database.close()
        raise
