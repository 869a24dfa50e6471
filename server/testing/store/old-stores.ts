import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { OpenStore } from '../../store/store.ts';
import { nameLedger } from '../../types/ledger-name.ts';
import { type Address, type Bytes32, unixSeconds } from '../../types/units.ts';
import { asset, createReading, inclusionAt, leaseFor, now, proofLedger, randomAddress } from './claims.ts';

/** The last version of each store before its names followed the glossary. */
const oldVersions = { sqlite: 9, postgres: 10 } as const;

/** The chain of the old stores. */
export const oldChain = { chainId: 84_532, asset } as const;

/** Returns the SQL of an old store: its tables by the first migrations, and its rows as the old program wrote them. */
export function readOldStore(driver: keyof typeof oldVersions, migrations: readonly string[]): string {
  const rows = readFileSync(new URL(`./old-stores/${driver}.sql`, import.meta.url), 'utf8');
  return [
    ...migrations.slice(0, oldVersions[driver]),
    'CREATE TABLE ledger_version (version INTEGER PRIMARY KEY, applied_at BIGINT NOT NULL);',
    rows,
  ].join('\n');
}

/** Expects that a migrated store has every payment of the old store, and moves each of them on. */
export async function expectOldPayments(store: OpenStore): Promise<void> {
  await expectOldRecords(store);
  await store.execute(1, 'completion 1', null);
  await expectOldRelayer(store);
  await store.closeRefused([8]);
  expect(await store.checkRefused(9, unixSeconds(now + 1))).toMatchObject([
    { id: 7, completion: 'completion 7' },
  ]);
  expect(await store.retry(7, createReading(100n), now)).toMatchObject({ state: 'executed' });
  expect(await store.totals()).toEqual(
    new Map([
      ['executed', { payments: 5, amount: 15n }],
      ['expired', { payments: 1, amount: 3n }],
      ['final', { payments: 1, amount: 3n }],
      ['released', { payments: 1, amount: 3n }],
      ['settled', { payments: 4, amount: 12n }],
    ]),
  );
}

async function expectOldRecords(store: OpenStore): Promise<void> {
  const states = ['reserved', 'executed', 'executed', 'submitted', 'settled', 'final'];
  states.push('failed', 'expired', 'released', 'settled', 'settled', 'executed');
  for (const [at, state] of states.entries()) {
    const id = at + 1;
    const completion = ['reserved', 'released'].includes(state) ? null : `completion ${id}`;
    const proof = [2, 4, 5, 10, 11].includes(id) ? `proof ${id}` : null;
    const fingerprint = state === 'released' ? '' : `request ${id}`;
    expect(await store.find(id)).toMatchObject({ id, state, completion, proof, fingerprint, isOwed: false });
  }
  expect(await store.findSent(12)).toMatchObject({ transactions: [], isHandedOver: true, senders: [] });
  expect(await store.parked(proofLedger, 9)).toEqual({ proofs: 1, refusal: 'the key is not registered' });
  expect(await store.openBatches(proofLedger, 9)).toMatchObject([
    { id: 1, proofs: [{ proofId: hex(0x100a, 32) }] },
  ]);
  expect(await store.recordedInclusions(proofLedger, 9)).toMatchObject([
    { txHash: hex(0x2015, 32), block: 5 },
  ]);
  expect(await store.unregisteredSigners(9)).toMatchObject([
    { address: hex(0xccc, 20), attestation: expect.stringContaining('"chainId":31338') },
    { address: hex(0xddd, 20) },
  ]);
  // The batch with proofs for two proof ledgers is dissolved.
  const other = nameLedger(31_338, `0x${'2e'.repeat(20)}` as Address);
  expect(await store.findBatch(2)).toBeNull();
  expect(await store.backlog(proofLedger)).toMatchObject({ batch: 1 });
  expect(await store.backlog(other)).toMatchObject({ batch: 1 });
}

/** The relayer of the old store had claimed payment 3 and submitted payment 4. */
async function expectOldRelayer(store: OpenStore): Promise<void> {
  const relayer = hex(0xaaa, 20) as Address;
  const other = await leaseFor(store, randomAddress());
  const claimed = await store.claimExecuted(other, 9, now);
  expect(claimed.map(({ id }) => id)).toEqual([1, 2, 12]);
  const lease = await store.leaseRelayer(relayer, 'an old process', unixSeconds(now + 90), now);
  expect(lease).toEqual({ relayer, fence: 1 });
  if (lease === null) return;
  await store.requeue(lease, [3]);
  const [open] = await store.openNonces(relayer);
  expect(open).toMatchObject({ relayerNonce: 7, payments: [{ id: 4, txHash: hex(0x2004, 32) }] });
  await store.settle([4], inclusionAt(104, hex(0x2004, 32) as Bytes32));
  await store.closeNonce(lease, 7);
  expect(await store.nextRelayerNonce(relayer)).toBe(8);
}

function hex(number: number, bytes: number): string {
  return `0x${number.toString(16).padStart(bytes * 2, '0')}`;
}
