import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { SignedPayment } from './authorization.ts';
import { openJournal } from './file-journal.ts';
import { createMemoryJournal, type Journal, type JournalEntry } from './journal.ts';
import type { SpendingRules } from './rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'paid-inference-journal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
const newFile = () => join(folder, `${++files}.journal`);
const now = 1_790_000_000;
const rules: SpendingRules = { amountPerRequestMax: 10n, amountTotalMax: 10n };

function signed(nonce: string, validBefore = now + 300): SignedPayment {
  const authorization = { from: '0x1', to: '0x2', value: '1', validAfter: 0, validBefore, nonce };
  return { authorization, asset: '0x3', header: `header of ${nonce}`, signaturePreview: '' };
}

function reserve(
  journal: Journal,
  price: bigint,
  change: Partial<SpendingRules> = {},
  at = now,
): JournalEntry {
  const reserved = journal.reserve(price, { ...rules, ...change }, at);
  if (!reserved.ok) throw new Error(reserved.refusal.reason);
  return reserved.entry;
}

function refusal(journal: Journal, price: bigint, change: Partial<SpendingRules> = {}, at = now) {
  const reserved = journal.reserve(price, { ...rules, ...change }, at);
  return reserved.ok ? null : reserved.refusal.reason;
}

describe.each([
  ['in memory', () => createMemoryJournal()],
  ['in a file', () => openJournal(newFile())],
] as const)('A journal %s', (_, create) => {
  test('can be spent to the last unit of the total, but not beyond', () => {
    const journal = create();
    reserve(journal, 7n);
    expect(refusal(journal, 4n)).toBe('total_above_limit');
    reserve(journal, 3n);
    expect(refusal(journal, 1n)).toBe('total_above_limit');
    expect(journal.amountSigned()).toBe(10n);
  });

  test('frees the price of an unsent payment once, and of no other', () => {
    const journal = create();
    const unsent = reserve(journal, 5n);
    const closed = reserve(journal, 4n);
    const open = reserve(journal, 1n);
    for (const [at, entry] of [unsent, closed, open].entries()) entry.record(`${at}`, signed(`${at}`));
    unsent.end('unsent');
    unsent.end('unsent');
    closed.end('closed');
    open.end('open');
    expect(journal.amountSigned()).toBe(5n);
  });

  test('counts the last hour, of which it forgets nothing that is younger', () => {
    const journal = create();
    const hourly = { amountTotalMax: 100n, amountPerHourMax: 10n };
    reserve(journal, 6n, hourly).end('closed');
    reserve(journal, 4n, hourly, now + 1_000).end('closed');
    expect(refusal(journal, 1n, hourly, now + 3_599)).toBe('hour_above_limit');
    expect(refusal(journal, 7n, hourly, now + 3_600)).toBe('hour_above_limit');
    reserve(journal, 6n, hourly, now + 3_600);
    expect(journal.amountSigned()).toBe(16n);
  });

  test('holds amounts above 64 bits', () => {
    const journal = create();
    const amountTotalMax = 2n ** 200n;
    reserve(journal, amountTotalMax - 1n, { amountTotalMax });
    expect(refusal(journal, 2n, { amountTotalMax })).toBe('total_above_limit');
    expect(journal.amountSigned()).toBe(amountTotalMax - 1n);
  });

  test('gives an open payment to one equal request, until it is closed', () => {
    const journal = create();
    const entry = reserve(journal, 1n);
    entry.record('a request', signed('one'));
    expect(journal.take('a request', now)).toBeNull();
    entry.end('open');
    expect(journal.take('another request', now)).toBeNull();
    const taken = journal.take('a request', now);
    expect(taken?.payment).toEqual(signed('one'));
    expect(journal.take('a request', now)).toBeNull();
    taken?.entry.end('closed');
    expect(journal.take('a request', now)).toBeNull();
    expect(journal.amountSigned()).toBe(1n);
  });

  test('gives no payment from its last second on', () => {
    const journal = create();
    const entry = reserve(journal, 1n);
    entry.record('a request', signed('one', now + 10));
    entry.end('open');
    expect(journal.take('a request', now + 10)).toBeNull();
    expect(journal.take('a request', now + 9)).not.toBeNull();
  });

  test('keeps an open payment for as long as it is valid', () => {
    const journal = create();
    const entry = reserve(journal, 1n);
    entry.record('a request', signed('one', now + 3_700));
    entry.end('open');
    reserve(journal, 1n, {}, now + 3_650);
    expect(journal.take('a request', now + 3_650)).not.toBeNull();
  });
});

describe('A journal in a file', () => {
  test('gives the payment of a process that crashed, and keeps the sums', () => {
    const file = newFile();
    reserve(openJournal(file), 4n).record('a request', signed('one'));
    const next = openJournal(file);
    expect(next.take('a request', now)?.payment).toEqual(signed('one'));
    expect(refusal(next, 7n)).toBe('total_above_limit');
    expect(next.amountSigned()).toBe(4n);
  });

  test('counts what two processes reserve, and frees no payment that the other one took', () => {
    const file = newFile();
    const [first, second] = [openJournal(file), openJournal(file)];
    const entry = reserve(first, 6n);
    expect(refusal(second, 5n)).toBe('total_above_limit');
    entry.record('a request', signed('one'));
    second.take('a request', now)?.entry.end('open');
    entry.end('unsent');
    expect(second.amountSigned()).toBe(6n);
  });

  test('can be read only by its owner, and keeps no signature of a closed payment', () => {
    const file = newFile();
    writeFileSync(file, '', { mode: 0o644 });
    const entry = reserve(openJournal(file), 1n);
    entry.record('a request', signed('one'));
    entry.end('closed');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    openJournal(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(new DatabaseSync(file).prepare('SELECT payment FROM entry').all()).toEqual([{ payment: null }]);
  });

  test('is opened neither from a text, nor from the database of another program, nor from a folder', () => {
    const [text, other] = [newFile(), newFile()];
    writeFileSync(text, 'This is a text and no journal.', { mode: 0o644 });
    new DatabaseSync(other).exec('CREATE TABLE entry (id INTEGER)');
    for (const file of [text, other, folder])
      expect(() => openJournal(file)).toThrow(`The payment journal ${file} cannot be opened: `);
    expect(statSync(text).mode & 0o777).toBe(0o644);
  });

  test('names the needed version to a Node without SQLite', () => {
    using _older = vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined as never);
    const file = newFile();
    expect(() => openJournal(file)).toThrow(
      `The payment journal ${file} cannot be opened: it needs Node 22.13 or later, and this is ${process.version}`,
    );
  });
});
