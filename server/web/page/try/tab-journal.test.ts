import type { Journal } from '@paid-inference/client';
import { beforeEach, expect, it } from 'vitest';
import type { Priced } from './order.ts';
import { createTabJournal, forgetKept, readKept, type TabStorage } from './tab-journal.ts';

type Payment = NonNullable<ReturnType<Journal['take']>>['payment'];

const order: Priced = {
  body: { model: 'alder/alder-mini', messages: [{ role: 'user', content: 'Hello' }], max_tokens: 8 },
  settlementType: 'batch',
  price: 1_000n,
};
const authorization = {
  from: '0x1',
  to: '0x2',
  value: '1000',
  validAfter: 0,
  validBefore: 1,
  nonce: '0x3',
};
const payment: Payment = { authorization, asset: '0x4', header: 'signed', signaturePreview: '0x…' };
const rules = { amountPerRequestMax: 1_000n, amountTotalMax: 1_000n };

let values: Map<string, string>;
let storage: TabStorage;
beforeEach(() => {
  values = new Map();
  storage = {
    getItem: (name) => values.get(name) ?? null,
    setItem: (name, value) => void values.set(name, value),
    removeItem: (name) => void values.delete(name),
  };
});

/** Signs a payment for the order. Returns its entry in the journal. */
function pay(journal: Journal) {
  const reserved = journal.reserve(order.price, rules, 0);
  if (!reserved.ok) throw new Error(reserved.refusal.message);
  reserved.entry.record('request', payment);
  return reserved.entry;
}

it('a payment whose completion did not arrive is there after a reload, for the same request alone', () => {
  pay(createTabJournal(storage, order, null));
  const kept = readKept(storage);
  expect(kept).toEqual({ order, payment, fingerprint: 'request' });
  const journal = createTabJournal(storage, order, kept);
  expect(journal.take('another request', 0)).toBeNull();
  expect(journal.take('request', 0)?.payment).toEqual(payment);
  expect(journal.amountSigned()).toBe(1_000n);
});

it('a payment is in one request at a time', () => {
  pay(createTabJournal(storage, order, null));
  const journal = createTabJournal(storage, order, readKept(storage));
  const taken = journal.take('request', 0);
  expect(journal.take('request', 0)).toBeNull();
  taken?.entry.end('open');
  expect(journal.take('request', 0)?.payment).toEqual(payment);
});

it.each(['closed', 'unsent'] as const)('a payment that is %s is kept no longer', (end) => {
  const journal = createTabJournal(storage, order, null);
  pay(journal).end(end);
  expect(readKept(storage)).toBeNull();
  expect(journal.take('request', 0)).toBeNull();
});

it('a visitor can forget a payment', () => {
  pay(createTabJournal(storage, order, null));
  forgetKept(storage);
  expect(readKept(storage)).toBeNull();
});

it('an order is signed once, and again only if the signature never left the page', () => {
  const journal = createTabJournal(storage, order, null);
  const entry = pay(journal);
  expect(journal.reserve(order.price, rules, 0)).toMatchObject({
    ok: false,
    refusal: { reason: 'total_above_limit' },
  });
  entry.end('unsent');
  expect(journal.reserve(order.price, rules, 0)).toMatchObject({ ok: true });
});

it.each([
  ['no storage', null],
  ['a storage with other text', 'no JSON'],
  ['a storage with other JSON', '{"order":{}}'],
  ['a storage with null', 'null'],
])('%s keeps no purchase', (_name, text) => {
  const other = text === null ? null : { ...storage, getItem: () => text };
  expect(readKept(other)).toBeNull();
});

it('a purchase works with a storage that is full, or that the browser forbids', () => {
  const full = {
    ...storage,
    setItem() {
      throw new Error('QuotaExceededError');
    },
  };
  for (const each of [full, null]) {
    const journal = createTabJournal(each, order, null);
    pay(journal).end('open');
    expect(journal.take('request', 0)?.payment).toEqual(payment);
  }
});
