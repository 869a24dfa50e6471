import type { FormedBatch, ProofBacklog } from '../../store/proof-store.ts';
import type { Inclusion } from '../../types/inclusion.ts';

import type { Bytes32 } from '../../types/units.ts';
import { batchTree } from '../merkle-tree.ts';
import { recordBatchCall } from './ledger-call.ts';
import { WriterIssues } from './writer-issues.ts';
import type { WriterPorts } from './writer-ports.ts';

export type BatchLimits = {
  /** As many waiting leaves are recorded at once. */
  readonly batchDue: number;
  /** The most leaves of a batch, if more wait (D-383). */
  readonly batchMax: number;
  /** How long the oldest leaf of a batch waits for others. */
  readonly batchAgeSeconds: number;
};

/** The most batches that one round forms or records. */
const batchesPerRound = 16;

/**
 * Records the open batches of earlier rounds and processes, then those that are due; with `everything` also
 * those that would wait for more proofs (D-28). Members and order are on disk before a transaction is sent. So
 * a batch has the same root whichever process sends it, and the contract accepts each root once.
 */
export interface BatchRecorder {
  /**
   * Throws the first fault of a single batch after the others had their turn, and a fault of all batches at
   * once.
   */
  record(everything: boolean): Promise<void>;
}

export function createBatchRecorder(ports: WriterPorts & { readonly limits: BatchLimits }): BatchRecorder {
  const { store, ledger, limits, clock, closing } = ports;
  /**
   * The next round continues after this batch, so that batches that cannot be recorded do not block the others.
   */
  let after = 0;

  return {
    async record(everything) {
      const open = await store.openBatches(ledger, batchesPerRound, after);
      after = open.length < batchesPerRound ? 0 : (open.at(-1)?.id ?? 0);
      const healthIssues: WriterIssues[] = [];
      for (const batch of open) await recordByItself(batch, healthIssues);
      for (let formed = 0; formed < batchesPerRound && !closing.aborted; formed++) {
        const backlog = await store.backlog(ledger);
        if (!everything && !isDue(backlog, limits, clock.steadySeconds())) break;
        const batch = await store.formBatch(await ports.lease(), ledger, limits.batchMax);
        if (batch === null) break;
        await recordByItself(batch, healthIssues);
      }
      const [first] = healthIssues;
      if (first) throw first;
    },
  };

  async function recordByItself(batch: FormedBatch, healthIssues: WriterIssues[]): Promise<void> {
    try {
      await recordBatch(ports, batch);
    } catch (cause) {
      if (!(cause instanceof WriterIssues) || cause.reach !== 'one') throw cause;
      healthIssues.push(cause);
    }
  }
}

function isDue({ batch, batchSince }: ProofBacklog, limits: BatchLimits, now: number): boolean {
  return (
    batch >= Math.min(limits.batchDue, limits.batchMax) ||
    (batchSince !== null && now - batchSince >= limits.batchAgeSeconds)
  );
}

async function recordBatch(ports: WriterPorts, { id, proofs }: FormedBatch): Promise<void> {
  if (ports.closing.aborted) return;
  const { root, size } = batchTree(proofs);
  const inclusion = (await findRecorded(ports, root)) ?? (await sendBatch(ports, root, size));
  if (inclusion === null) return;
  const { txHash, block, blockHash } = inclusion;
  await ports.store.recordBatch(await ports.lease(), id, { txHash, block, blockHash });
  ports.log.debug({ root, size, txHash }, 'recorded a batch of proofs');
}

/**
 * Asks the contract whether another process, or this one before a crash, sent the batch. The contract also
 * returns the time, so that an old record is found too.
 */
async function findRecorded({ view, events }: WriterPorts, root: Bytes32): Promise<Inclusion | null> {
  const recordedAt = await view.batchRecordedAt(root);
  if (recordedAt === null) return null;
  const newest = (await events.find('BatchRecorded', [root])).get(root);
  const inclusion = newest ?? (await events.findSince('BatchRecorded', root, recordedAt));
  if (inclusion !== null) return inclusion;
  throw new WriterIssues(
    `the proof ledger has the batch ${root}, but its node has no event of it. Set PROOF_LEDGER_RPC_URL to a node that keeps old logs`,
    'one',
  );
}

async function sendBatch(
  { contract, view, events, sender }: WriterPorts,
  root: Bytes32,
  size: number,
): Promise<Inclusion | null> {
  const call = recordBatchCall(contract, root, size);
  const refusal = await view.findRefusal(call);
  // The batch was recorded since the last check: the next round finds it.
  if (refusal?.error === 'AlreadyRecorded') return null;
  if (refusal !== null) throw new WriterIssues(refusal.sentence);
  const mined = await sender.send(call);
  if (mined === null || events.namesIn('BatchRecorded', mined).includes(root)) return mined;
  if ((await view.batchRecordedAt(root)) !== null) return null;
  throw new WriterIssues(`the transaction ${mined.txHash} was mined but recorded nothing`, 'one');
}
