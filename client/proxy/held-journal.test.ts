import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openJournal } from '../payment/file-journal.ts';
import { holdPayment } from './held-journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'paid-inference-held-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, 'payments.journal');

test('Keeps a payment open until the tool has the completion, also after a crash (D-291)', () => {
  const held = holdPayment(openJournal(file));
  const reserved = held.journal.reserve(1n, { amountPerRequestMax: 1n, amountTotalMax: 2n }, 1);
  if (!reserved.ok) throw new Error(reserved.refusal.reason);
  const authorization = { from: '0x1', to: '0x2', value: '1', validAfter: 0, validBefore: 9, nonce: '0x3' };
  reserved.entry.record('equal', { authorization, asset: '0x4', header: 'e30=', signaturePreview: '' });
  reserved.entry.end('closed');
  // A journal that is opened again has what a new process finds.
  const next = holdPayment(openJournal(file));
  const taken = next.journal.take('equal', 2);
  expect(taken?.payment.authorization).toEqual(authorization);
  taken?.entry.end('closed');
  next.release('closed');
  expect(openJournal(file).take('equal', 2)).toBeNull();
  expect(openJournal(file).amountSigned()).toBe(1n);
});
