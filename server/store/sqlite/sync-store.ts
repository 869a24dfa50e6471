import { type SealedPart, unreadableCompletion } from '../completion-cipher.ts';
import { type Row, toPayment } from '../rows.ts';
import type { PaymentRecord } from '../store.ts';
import { completionOperations } from './completions.ts';
import { correctionOperations } from './correct-times.ts';
import type { SyncStore, SyncStorePorts } from './operations.ts';

import { outcomeOperations } from './outcomes.ts';
import { owedOperations } from './owed.ts';
import { proofOperations } from './proofs.ts';
import { purchaseOperations } from './purchases.ts';
import { leaseOperations } from './relayer-leases.ts';
import { reservationOperations } from './reservations.ts';

export function createSyncStore(ports: SyncStorePorts): SyncStore {
  const { cipher, onFault } = ports;
  return {
    ...reservationOperations(ports, read),
    ...purchaseOperations(ports),
    ...owedOperations(ports, read),
    ...leaseOperations(ports, read),
    ...outcomeOperations(ports, read),
    ...completionOperations(ports),
    ...proofOperations(ports),
    ...correctionOperations(ports),
    healthIssue: ports.health.issue,
  };

  function read(row: Row): PaymentRecord {
    return toPayment(row, opened(row, 'completion'), opened(row, 'proof'));
  }

  function opened(row: Row, part: SealedPart): string | null {
    const sealed = row[part] as Uint8Array | null;
    if (sealed === null) return null;
    const id = Number(row['id']);
    const text = cipher.open(id, sealed, part);
    if (text === null) onFault(unreadableCompletion(id));
    return text;
  }
}
