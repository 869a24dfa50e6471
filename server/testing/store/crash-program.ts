import { writeSync } from 'node:fs';
import type { SettlementType } from '@paid-inference/contract/types';
import type { KeptProof, ProofStore } from '../../store/proof-store.ts';
import { LeaseLost } from '../../store/relayer-lease.ts';
import type { PaymentRecord, Store } from '../../store/store.ts';
import type { PaymentState } from '../../types/payment-states.ts';
import { type Address, unixSeconds } from '../../types/units.ts';
import { seededRandom } from '../seeded-random.ts';
import {
  completion,
  createClaim,
  createReading,
  inclusionAt,
  now,
  proofIn,
  proofLedger,
  type StoreAddress,
  transactionBy,
} from './claims.ts';
import { openTestStore } from './open-test-store.ts';

/**
 * Simulates a gateway in a loop until it is killed; `crash-suite` starts it as a process. Prints a line for
 * each change when the store has confirmed it.
 */
const [address, seed] = JSON.parse(process.argv[2] ?? '') as [StoreAddress, number];
const random = seededRandom(seed);
const payers = [1, 2, 3, 4].map((each) => `0x${String(each).repeat(40)}` as Address);
const modes: readonly SettlementType[] = ['private', 'individual', 'batch'];
const store = await openTestStore(address, () => now);
writeSync(1, 'open\n');
await Promise.all([
  ...[1, 2, 3, 4, 5, 6].map(() => serveForEver(store)),
  settleForEver(store),
  recordForEver(store),
]);

async function serveForEver(store: ProofStore & Store): Promise<never> {
  for (;;) {
    const settlementType = modes[below(modes.length)] ?? failed();
    const claim = createClaim(payers[below(payers.length)] ?? failed(), BigInt(1 + below(5)), {
      settlementType,
    });
    const result = await store.reserve(claim, createReading(1_000_000n), now);
    if (result.kind !== 'reserved') continue;
    const { id } = result.payment;
    onDisk(id, 'reserved');
    const fate = below(10);
    // Some payments stay reserved, as with a model that never responds.
    if (fate === 0) continue;
    if (fate === 1) {
      await store.release(id);
      onDisk(id, 'released');
    } else {
      const proof = proofIn(settlementType);
      if (proof.record) await store.addSigner(proof.record.signer, '{}', proofLedger);
      if (below(3) === 0) await stream(store, result.payment, proof);
      else await store.execute(id, completion, proof);
      onDisk(id, 'executed');
    }
  }
}

/** Owes a payment, and writes its completion while others settle it. Some runs end without a completion. */
async function stream(store: Store, payment: PaymentRecord, proof: KeptProof): Promise<void> {
  const { id } = payment;
  await store.owe(id);
  let { leaseUntil } = payment;
  if (below(3) === 0) {
    await store.endOwedRun(id, leaseUntil);
    if (below(2) === 0) return;
    leaseUntil = (await store.takeOwed(id, leaseUntil, now))?.leaseUntil ?? leaseUntil;
  }
  try {
    await store.completeOwed(id, leaseUntil, completion, proof);
  } catch (cause) {
    // The chain refused the payment meanwhile, and it was not taken or is closed.
    if (!(cause instanceof LeaseLost)) throw cause;
  }
}

async function settleForEver(store: Store): Promise<never> {
  const relayer = `0x${'9'.repeat(40)}` as Address;
  const lease =
    (await store.leaseRelayer(relayer, `process ${seed}`, unixSeconds(now + seed), now)) ?? failed();
  for (let block = 101; ; block++) {
    const batch = await store.claimExecuted(lease, 1 + below(20), now);
    const relayerNonce = await store.nextRelayerNonce(relayer);
    const transaction = transactionBy(relayer, relayerNonce);
    await store.submit(lease, listIds(batch), transaction);
    for (const { id } of batch) onDisk(id, 'submitted');
    for (const { id } of batch.filter(() => below(8) === 0)) {
      if (below(2) === 0) await store.expire(id);
      else await store.fail(id, 'insufficient_funds', { blockedUntil: now });
      const after = below(6);
      if (after === 0) await store.retry(id, createReading(1_000_000n), now);
      if (after === 1) await store.settle([id], inclusionAt(block));
      if (after === 2) await store.closeRefused([id]);
    }
    const left =
      (await store.openNonces(relayer)).find((each) => each.relayerNonce === relayerNonce)?.payments ?? [];
    if (below(6) === 0) await store.requeue(lease, listIds(left));
    else await store.settle(listIds(left), inclusionAt(block, transaction.hash));
    await store.closeNonce(lease, relayerNonce);
    if (below(5) === 0) for (const { id } of await store.reopen(transaction.hash)) onDisk(id, 'submitted');
    if (below(4) === 0) await store.finalise(block - 3);
    if (below(4) === 0) await store.pruneJournal(5);
  }
}

/** Simulates a ledger writer: forms and records batches. */
async function recordForEver(store: ProofStore & Store): Promise<never> {
  const relayer = `0x${'8'.repeat(40)}` as Address;
  const lease =
    (await store.leaseRelayer(relayer, `process ${seed}`, unixSeconds(now + seed), now)) ?? failed();
  for (let block = 1; ; block++) {
    await store.formBatch(lease, proofLedger, 1 + below(9));
    const inclusion = inclusionAt(block);
    for (const { id, proofs } of await store.openBatches(proofLedger, 1 + below(3))) {
      if (below(4) === 0) continue;
      await store.recordBatch(lease, id, inclusion);
      for (const { proofId } of proofs) recorded(proofId);
    }
    const due = (await store.dueIndividual(proofLedger, 1 + below(9))).map(({ proofId }) => proofId);
    await store.recordIndividual(lease, due, inclusion);
    for (const proofId of due) recorded(proofId);
    if (below(8) === 0) await store.finaliseRecorded(proofLedger, block - 2);
  }
}

function recorded(proofId: string): void {
  print(`recorded ${proofId}\n`);
}

function onDisk(id: number, state: PaymentState): void {
  print(`${id} ${state}\n`);
}

function print(line: string): void {
  // Writes directly, because the stream of the process could still buffer a line when the process is killed.
  for (;;) {
    try {
      return void writeSync(1, line);
    } catch (cause) {
      // The reader is slow.
      if ((cause as NodeJS.ErrnoException).code !== 'EAGAIN') throw cause;
    }
  }
}

function below(limit: number): number {
  return Math.floor(random() * limit);
}

function listIds(payments: readonly PaymentRecord[]): readonly number[] {
  return payments.map(({ id }) => id);
}

function failed(): never {
  throw new Error('the program has no lease or no value');
}
