import { setTimeout as after } from 'node:timers/promises';
import { openRpc } from '../bench/targets/mining.ts';
import { price } from '../bench/targets/payments.ts';
import { createPaymentToken } from '../chain/token.ts';
import { topic } from '../chain/token-logs.ts';
import { ask } from '../devnet/deployer.ts';
import type { Devnet } from '../devnet/devnet.ts';
import type { FaultStore } from '../faults/store.ts';
import { type Book, isServed } from './book.ts';
import type { Connections, Seen } from './connections.ts';
import type { Law } from './laws.ts';

export type AuditPorts = {
  readonly devnet: Devnet;
  readonly book: Book;
  /** Each store that sold. */
  readonly stores: readonly Pick<FaultStore, 'query'>[];
  readonly connections: Pick<Connections, 'send'>;
};

/** How many blocks one call reads, so that its logs stay below the limit of a response. */
const blocksPerCall = 4;
/** How long the last payments may take to be decided. */
const decidedMsMax = 120_000;
const pollMs = 500;
const redeliveryTries = 60;
const faultsShownMax = 3;

/**
 * Compares the responses of all payments with the logs of the token, and with the stores. Payments that were charged
 * without a completion are sent again, as their clients would.
 */
export async function auditPayments({
  devnet,
  book,
  stores,
  connections,
}: AuditPorts): Promise<readonly Law[]> {
  const areDecided = await waitUntilDecided(stores);
  const used = await readUsedNonces(devnet);
  const transfers = new Set(used);
  const signed = (nonce: string) => book.served.has(nonce) || book.unserved.has(nonce);
  const servedBefore = book.served.size;
  const unpaid = [...book.served].filter((nonce) => !transfers.has(nonce));
  const foreign = [...transfers].filter((nonce) => !signed(nonce));
  const owed = [...book.unserved].filter(([nonce]) => transfers.has(nonce));
  const promised = owed.filter(([, { seen }]) => isRefused(seen)).map(([nonce]) => nonce);
  for (const [nonce, { request }] of owed) await redeliver({ nonce, request }, book, connections);
  const undelivered = owed.map(([nonce]) => nonce).filter((nonce) => !book.served.has(nonce));
  const stored = await countCharged(stores);
  const received = await readReceived(devnet);
  const expected = BigInt(transfers.size) * BigInt(price);
  return [
    law('no payment stays undecided', areDecided, `within ${decidedMsMax / 1_000} s`),
    law('no payment is charged twice', used.length === transfers.size, `${used.length} transfers`),
    law(
      'each completion is paid',
      unpaid.length === 0,
      `${servedBefore} completions, ${unpaid.length} without a transfer${show(unpaid)}`,
    ),
    law(
      'each charged payment has its completion',
      undelivered.length === 0,
      `${owed.length} were charged without a response, ${undelivered.length} stay without one${show(undelivered)}`,
    ),
    law(
      'a payment that was told "nothing was charged" is not charged',
      promised.length === 0,
      `${promised.length} of ${book.unserved.size} were${show(promised)}`,
    ),
    law(
      'chain, stores and recipient agree',
      foreign.length === 0 && stored === transfers.size && received === expected,
      `${transfers.size} transfers, ${stored} charged payments in the stores, ${received} of ${expected} units, ${foreign.length} unknown transfers`,
    ),
  ];
}

function law(name: string, holds: boolean, figures: string): Law {
  return { name: `audit: ${name}`, holds, figures };
}

/** These errors say that nothing was charged. `settlement_pending` does not. */
function isRefused(seen: Seen): boolean {
  return seen.kind === 'response' && (seen.code === 'overloaded' || seen.code === 'rate_limited');
}

function show(nonces: readonly string[]): string {
  return nonces.length === 0 ? '' : `, such as ${nonces.slice(0, faultsShownMax).join(', ')}`;
}

async function waitUntilDecided(stores: AuditPorts['stores']): Promise<boolean> {
  const deadline = performance.now() + decidedMsMax;
  for (;;) {
    const open = await countPayments(stores, ['reserved', 'executed', 'submitted']);
    if (open === 0) return true;
    if (performance.now() > deadline) return false;
    await after(pollMs);
  }
}

const countCharged = (stores: AuditPorts['stores']) => countPayments(stores, ['settled', 'final']);

async function countPayments(stores: AuditPorts['stores'], states: readonly string[]): Promise<number> {
  let sum = 0;
  for (const { query } of stores) {
    const rows = await query('SELECT state, count(*) AS payments FROM payment GROUP BY state');
    for (const { state, payments } of rows) if (states.includes(state ?? '')) sum += Number(payments);
  }
  return sum;
}

/** The nonces that the token accepted, in order. */
async function readUsedNonces({ rpcUrl, token }: Devnet): Promise<readonly string[]> {
  await using rpc = openRpc(rpcUrl);
  const newest = Number(await ask<string>(rpc, 'eth_blockNumber', []));
  const nonces: string[] = [];
  for (let from = 0; from <= newest; from += blocksPerCall) {
    const to = Math.min(newest, from + blocksPerCall - 1);
    const logs = await ask<readonly { readonly topics: readonly string[] }[]>(rpc, 'eth_getLogs', [
      {
        address: token.address,
        fromBlock: toQuantity(from),
        toBlock: toQuantity(to),
        topics: [topic.authorizationUsed],
      },
    ]);
    for (const { topics } of logs) nonces.push(String(topics[2]));
  }
  return nonces;
}

/** The units that the recipient has. */
async function readReceived({ rpcUrl, token, payTo }: Devnet): Promise<bigint> {
  await using rpc = openRpc(rpcUrl);
  const balance = await createPaymentToken({ rpc, asset: token.address }).balanceOf(payTo);
  if (!balance.ok) throw new Error(balance.fault.message);
  return balance.value;
}

function toQuantity(count: number): string {
  return `0x${count.toString(16)}`;
}

async function redeliver(
  payment: { readonly nonce: string; readonly request: Buffer },
  book: Book,
  connections: AuditPorts['connections'],
): Promise<void> {
  for (let tries = 0; tries < redeliveryTries; tries++) {
    const seen = await connections.send(payment.request);
    book.note(payment, seen);
    if (isServed(seen)) return;
    await after(pollMs);
  }
}
