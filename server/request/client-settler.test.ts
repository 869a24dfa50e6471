import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createRefusalLimit } from '../http/rate-limit.ts';
import type { RefusalReason, Settlement } from '../settlement/settler.ts';
import type { PaymentRecord } from '../store/store.ts';
import { undecidedFailure } from '../types/payment-states.ts';
import { countRefused, settleFor } from './client-settler.ts';
import type { PaidPorts } from './paid-request.ts';

const client = { site: 'a site', network: 'a network' };
const executed = { id: 1, state: 'executed' } as PaymentRecord;
const failed = { ...executed, state: 'failed', failure: 'insufficient_funds', completion: 'kept' } as const;

/** A gateway whose chain decides each payment at once, and that accepts two refusals in ten minutes. */
function open(settlement: Settlement) {
  const refusals = createRefusalLimit({ requestsMax: 2, windowSeconds: 600 });
  const asked: unknown[] = [];
  const settle = async (...of: unknown[]) => {
    asked.push(of);
    return settlement;
  };
  const followed = new Map<number, (settlement: Settlement) => void>();
  const follow = followed.set.bind(followed);
  const ports = { refusals, settler: { settle, follow } } as unknown as PaidPorts;
  const end = (id: number) => followed.get(id)?.(settlement);
  return { ports, asked, end, isFull: async () => (await refusals.findWait(client.network)) !== null };
}

const refusedFor = (reason: RefusalReason): Settlement => ({ state: 'refused', reason });

it.each<[verb: string, reason: RefusalReason]>([
  ['counts', 'insufficient_funds'],
  ['counts', 'authorization_canceled'],
  ['counts', 'authorization_used'],
  ['counts', 'invalid_transaction_state'],
  ['does not count', 'payment_expired'],
  ['does not count', 'third_party_sender'],
  ['does not count', 'moved_otherwise'],
])('D-227: a payment %s if the chain refuses it for %s', async (verb, reason) => {
  const { ports, end, isFull } = open(refusedFor(reason));
  for (const id of [1, 2]) countRefused(id, client.network, ports);
  for (const id of [1, 2]) end(id);
  await nextTurn();
  expect(await isFull()).toBe(verb === 'counts');
});

it('D-227: a payment that a facilitator refuses, perhaps by its own fault, does not count', async () => {
  const { ports, end, isFull } = open({
    state: 'refused',
    reason: 'invalid_transaction_state',
    isExcused: true,
  });
  for (const id of [1, 2]) countRefused(id, client.network, ports);
  for (const id of [1, 2]) end(id);
  await nextTurn();
  expect(await isFull()).toBe(false);
});

it('D-227: a count that fails is logged, and ends nothing', async () => {
  const { ports, end } = open(refusedFor('insufficient_funds'));
  const errors: unknown[] = [];
  const log = { error: (fields: unknown) => errors.push(fields) } as unknown as PaidPorts['log'];
  const cause = new Error('a defect');
  const refusals = { ...ports.refusals, count: () => Promise.reject(cause) };
  countRefused(7, client.network, { ...ports, refusals, log });
  end(7);
  await nextTurn();
  expect(errors).toEqual([{ err: cause, payment: 7 }]);
});

it('D-227: refused payments that are sent again at once count before the gateway asks the chain', async () => {
  const { ports, asked, isFull } = open(refusedFor('insufficient_funds'));
  const { settler } = settleFor(client, ports);
  for (let sent = 0; sent < 2; sent++) void settler.settle(failed);
  expect(await settler.settle(failed)).toEqual({ state: 'unknown', retryAfterSeconds: 600 });
  expect(asked).toHaveLength(2);
  expect(await isFull()).toBe(true);
});

it.each<[name: string, payment: PaymentRecord]>([
  ['that waits for its settlement', executed],
  ['that the chain may have made', { ...failed, failure: undecidedFailure }],
  ['that is closed', { ...failed, completion: null, isOwed: false }],
])('D-227: a payment %s does not count, and is settled at the limit', async (_name, payment) => {
  const { ports, asked, isFull } = open({ state: 'unknown' });
  const { settler } = settleFor(client, ports);
  for (let sent = 0; sent < 3; sent++) await settler.settle(payment, { keepsPlace: true });
  expect(await isFull()).toBe(false);
  expect(asked).toEqual(Array(3).fill([payment, { keepsPlace: true, site: client.site }]));
});
