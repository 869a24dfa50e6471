import type { Address, Bytes32 } from '../../types/units.ts';
import { groupByNonce, notHandedOver, unfinishedNonce } from '../lease-rules.ts';
import { handedOver, toSentRecord, toTransaction } from '../rows.ts';
import type { JournaledTransaction } from '../store.ts';
import { refusal, storeTransitions } from '../transitions.ts';
import type { ReadPayment, SyncStore, SyncStorePorts } from './operations.ts';
import { requireLease } from './require-lease.ts';

type HolderOperation = 'leaseRelayer' | 'endLease';
type ClaimOperation = 'claimExecuted' | 'submit' | 'requeue';
type JournalOperation =
  | 'closeNonce'
  | 'abandonNonce'
  | 'openNonces'
  | 'submittedRelayers'
  | 'nextRelayerNonce'
  | 'pruneJournal'
  | 'recordHandover'
  | 'recordSent'
  | 'findSent';

const validAfterDigits = 78;

/**
 * The relayer leases. The end of a lease raises the fence and frees the payments that were claimed under it, in
 * one transaction. A payment that has a relayer and is not submitted is therefore claimed under the current
 * fence.
 */
export function leaseOperations(
  ports: SyncStorePorts,
  read: ReadPayment,
): Pick<SyncStore, HolderOperation | ClaimOperation | JournalOperation> {
  return { ...holderOperations(ports), ...claimOperations(ports, read), ...journalOperations(ports, read) };
}

/** The lease of a relayer, and the process that holds it. */
function holderOperations(ports: SyncStorePorts): Pick<SyncStore, HolderOperation> {
  const { run, one } = ports.statements;
  return {
    leaseRelayer(relayer, owner, until, now) {
      const held = one('SELECT owner, fence, lease_until FROM relayer_lease WHERE relayer = ?', relayer);
      if (held === undefined) {
        run(
          'INSERT INTO relayer_lease (relayer, owner, fence, lease_until) VALUES (?, ?, 1, ?)',
          relayer,
          owner,
          until,
        );
        return { relayer, fence: 1 };
      }
      if (held['owner'] !== owner) {
        if (held['owner'] !== null && Number(held['lease_until']) > now) return null;
        end(ports, relayer);
      }
      const row = one(
        'UPDATE relayer_lease SET owner = ?, lease_until = ? WHERE relayer = ? RETURNING fence',
        owner,
        until,
        relayer,
      );
      return { relayer, fence: Number(row?.['fence']) };
    },

    endLease({ relayer, fence }) {
      if (one('SELECT 1 FROM relayer_lease WHERE relayer = ? AND fence = ?', relayer, fence) !== undefined)
        end(ports, relayer);
    },
  };
}

function claimOperations(ports: SyncStorePorts, read: ReadPayment): Pick<SyncStore, ClaimOperation> {
  const { statements, health, stamp } = ports;
  const { run, one, all } = statements;
  return {
    claimExecuted(lease, max, now, except = []) {
      health.assertLinked();
      requireLease(statements, lease);
      const expired = all(
        'SELECT relayer FROM relayer_lease WHERE owner IS NOT NULL AND lease_until <= ? AND relayer <> ?',
        stamp(),
        lease.relayer,
      );
      for (const { relayer } of expired) end(ports, relayer as Address);
      return all(
        `SELECT id FROM payment WHERE state = 'executed' AND relayer IS NULL AND valid_after < ?
           AND pay_to NOT IN (SELECT value FROM json_each(?))
         ORDER BY valid_before, id LIMIT ?`,
        String(now).padStart(validAfterDigits, '0'),
        JSON.stringify(except),
        max,
      ).map(({ id }) => {
        const row = one(
          'UPDATE payment SET relayer = ?, updated_at = ? WHERE id = ? RETURNING *',
          lease.relayer,
          stamp(),
          id as bigint,
        );
        if (row === undefined) throw new Error(`payment ${id} disappeared inside a transaction`);
        return read(row);
      });
    },

    submit(lease, ids, { hash, raw, relayer, relayerNonce }) {
      health.assertLinked();
      requireLease(statements, lease);
      if (relayer !== lease.relayer)
        throw new Error(
          `transaction ${hash} belongs to another relayer (${relayer}) than the lease (${lease.relayer})`,
        );
      for (const id of ids) {
        const changes = run(
          `UPDATE payment SET state = 'submitted', tx_hash = ?1, relayer = ?2, relayer_nonce = ?3, updated_at = ?4
           WHERE id = ?5 AND (state = 'executed' AND coalesce(relayer, ?2) = ?2 OR state = 'submitted' AND relayer = ?2)`,
          hash,
          relayer,
          relayerNonce,
          stamp(),
          id,
        );
        if (changes !== 1) throw new Error(refusal([id], storeTransitions.submit));
        recordSent(ports, id, hash);
      }
      writeTransaction(ports, { hash, raw, relayer, relayerNonce });
    },

    requeue(lease, ids) {
      requireLease(statements, lease);
      for (const id of ids) {
        const changes = run(
          `UPDATE payment SET state = 'executed', tx_hash = NULL, relayer = NULL, relayer_nonce = NULL, updated_at = ?
           WHERE id = ? AND relayer = ? AND state IN ('submitted', 'executed')`,
          stamp(),
          id,
          lease.relayer,
        );
        if (changes !== 1) throw new Error(refusal([id], storeTransitions.requeue));
      }
    },
  };
}

/** The transactions of each relayer, and their payments. */
function journalOperations(ports: SyncStorePorts, read: ReadPayment): Pick<SyncStore, JournalOperation> {
  const { statements, stamp } = ports;
  const { run, one, all } = statements;
  return {
    closeNonce(lease, relayerNonce) {
      requireLease(statements, lease);
      const left = one(
        "SELECT id FROM payment WHERE state = 'submitted' AND relayer = ? AND relayer_nonce = ?",
        lease.relayer,
        relayerNonce,
      );
      if (left !== undefined) throw new Error(unfinishedNonce(relayerNonce, Number(left['id'])));
      run(
        'UPDATE chain_tx SET is_open = 0 WHERE relayer = ? AND relayer_nonce = ?',
        lease.relayer,
        relayerNonce,
      );
    },

    abandonNonce(lease, relayerNonce) {
      requireLease(statements, lease);
      run(
        `UPDATE payment SET state = 'executed', tx_hash = NULL, relayer = NULL, relayer_nonce = NULL, updated_at = ?
         WHERE state = 'submitted' AND relayer = ? AND relayer_nonce = ?`,
        stamp(),
        lease.relayer,
        relayerNonce,
      );
      run('DELETE FROM chain_tx WHERE relayer = ? AND relayer_nonce = ?', lease.relayer, relayerNonce);
    },

    openNonces(relayer) {
      const transactions = all(
        'SELECT * FROM chain_tx WHERE relayer = ? AND is_open = 1 ORDER BY relayer_nonce, id DESC',
        relayer,
      ).map(toTransaction);
      const payments = all(
        "SELECT * FROM payment WHERE state = 'submitted' AND relayer = ? ORDER BY id",
        relayer,
      );
      return groupByNonce(
        transactions,
        payments.map((row) => ({ relayerNonce: Number(row['relayer_nonce']), payment: read(row) })),
      );
    },

    submittedRelayers: () =>
      all("SELECT DISTINCT relayer FROM payment INDEXED BY payment_submitted WHERE state = 'submitted'").map(
        ({ relayer }) => relayer as Address,
      ),

    nextRelayerNonce(relayer) {
      const row = one(
        'SELECT coalesce(max(relayer_nonce) + 1, 0) AS next FROM chain_tx WHERE relayer = ?',
        relayer,
      );
      return Number(row?.['next']);
    },

    pruneJournal: (max) =>
      run(
        `DELETE FROM chain_tx WHERE id IN (
           SELECT t.id FROM chain_tx t INDEXED BY chain_tx_closed
           WHERE t.is_open = 0
             AND t.relayer_nonce < (SELECT max(n.relayer_nonce) FROM chain_tx n WHERE n.relayer = t.relayer)
             AND NOT EXISTS (SELECT 1 FROM chain_tx s JOIN payment p ON p.tx_hash = s.hash AND p.state = 'settled'
               WHERE s.is_open = 0 AND s.relayer = t.relayer AND s.relayer_nonce = t.relayer_nonce)
           ORDER BY t.relayer, t.relayer_nonce LIMIT ?)`,
        max,
      ),

    recordHandover: (id, senders) => recordHandover(ports, id, senders),
    recordSent: (id, txHash) => recordSent(ports, id, txHash),
    findSent: (id) =>
      toSentRecord(
        all('SELECT tx_hash FROM payment_transaction WHERE payment_id = ?', id),
        all('SELECT address FROM facilitator_sender'),
        one('SELECT settled_at FROM payment WHERE id = ?', id),
      ),
  };
}

function writeTransaction(
  { statements: { run, one }, stamp }: SyncStorePorts,
  { hash, raw, relayer, relayerNonce }: JournaledTransaction,
): void {
  const kept = one('SELECT raw, relayer, relayer_nonce FROM chain_tx WHERE hash = ?', hash);
  if (kept === undefined) {
    run(
      'INSERT INTO chain_tx (hash, raw, relayer, relayer_nonce, created_at) VALUES (?, ?, ?, ?, ?)',
      hash,
      raw,
      relayer,
      relayerNonce,
      stamp(),
    );
  } else if (
    kept['raw'] !== raw ||
    kept['relayer'] !== relayer ||
    Number(kept['relayer_nonce']) !== relayerNonce
  ) {
    throw new Error(`transaction ${hash} is in the journal with other content`);
  }
}

function recordHandover(ports: SyncStorePorts, id: number, senders: readonly Address[]): void {
  const { run, one } = ports.statements;
  if (one("SELECT 1 FROM payment WHERE id = ? AND state = 'executed'", id) === undefined)
    throw new Error(notHandedOver(id));
  recordSent(ports, id, handedOver);
  for (const address of senders)
    run('INSERT INTO facilitator_sender (address) VALUES (?) ON CONFLICT DO NOTHING', address);
}

function recordSent(
  { statements: { run } }: SyncStorePorts,
  id: number,
  txHash: Bytes32 | typeof handedOver,
): void {
  run(
    'INSERT INTO payment_transaction (payment_id, tx_hash) VALUES (?, ?) ON CONFLICT DO NOTHING',
    id,
    txHash,
  );
}

function end({ statements: { run }, stamp }: SyncStorePorts, relayer: Address): void {
  run('UPDATE relayer_lease SET owner = NULL, fence = fence + 1 WHERE relayer = ?', relayer);
  run(
    "UPDATE payment SET relayer = NULL, updated_at = ? WHERE state = 'executed' AND relayer = ?",
    stamp(),
    relayer,
  );
}
