import type { WaitingElsewhere } from '../../store/proof-store.ts';
import { unixSeconds } from '../../types/units.ts';
import type { BatchLimits } from './record-batches.ts';
import type { RecorderLimits } from './record-individual.ts';
import type { WriterPorts } from './writer-ports.ts';

/** Proofs for other proof ledgers are counted up to this number. */
const countedMax = 1_000;

/**
 * Counts the proofs in the store that this writer cannot record, because their keys sign for another proof ledger
 * (D-238). The gateway of that proof ledger has the time of a batch to record them first.
 */
export function createOtherLedgersWatch({
  store,
  ledger,
  clock,
  limits,
}: Pick<WriterPorts, 'store' | 'ledger' | 'clock'> & { readonly limits: BatchLimits & RecorderLimits }): {
  look(): Promise<void>;
  /** Why proofs wait, as a sentence for the operator; null when none waits. */
  healthIssue(): string | null;
} {
  let waiting: WaitingElsewhere = { proofs: 0, ledger: null };
  return {
    async look() {
      const patienceSeconds = limits.batchAgeSeconds + Math.ceil(limits.retryMsMax / 1_000);
      const dueBefore = unixSeconds(Math.max(0, clock.steadySeconds() - patienceSeconds));
      waiting = await store.waitingElsewhere(ledger, dueBefore, countedMax);
    },
    healthIssue: () => describe(waiting),
  };
}

function describe({ proofs, ledger }: WaitingElsewhere): string | null {
  if (proofs === 0) return null;
  const many = proofs < countedMax ? `${proofs}` : `${countedMax} or more`;
  return `${many} proofs wait for another proof ledger: ${ledger ?? 'unknown'}. Start a gateway with that PROOF_LEDGER_CONTRACT on this store to record them`;
}
