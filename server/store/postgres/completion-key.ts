import type { ClientBase } from 'pg';
import { type CompletionCipher, wrongCompletionKey } from '../completion-cipher.ts';
import { findLost, unsettledCompletions } from '../lost-key.ts';
import { forgotten } from '../rows.ts';
import { storeTransitions } from '../transitions.ts';
import { versioned } from './functions.ts';

export type KeyPorts = {
  readonly cipher: CompletionCipher;
  /** The time of the server, in Unix seconds. */
  readonly stamp: number;
  /** Without a chain the start fails, so a store whose key was lost stays as it is. */
  readonly hasChain: boolean;
  readonly onFault: (fault: string) => void;
};

/** For the reading of the completions of all unsettled payments, and for transactions that end first. */
const timeoutMs = 60_000;

const otherGateways =
  'its key of the completions was removed, and a gateway still uses the store. Stop every gateway of the store, and ' +
  'wait until the last lease ends';

/**
 * Compares the key with the mark of the store, and returns the mark. A store without a mark is new, or its key
 * was lost: it gets the mark of this key, and its unreadable completions are dropped (D-236). Call it in a
 * transaction.
 */
export async function openCompletionKey(client: ClientBase, ports: KeyPorts): Promise<Uint8Array> {
  // When two gateways start on an empty store, one writes the mark and the other reads it.
  await client.query('LOCK TABLE paid_inference.completion_key IN SHARE ROW EXCLUSIVE MODE');
  const { rows } = await client.query('SELECT mark FROM paid_inference.completion_key');
  if (rows[0] === undefined) return writeMark(client, ports);
  if (!ports.cipher.knows(rows[0].mark)) throw new Error(wrongCompletionKey);
  return rows[0].mark;
}

async function writeMark(
  client: ClientBase,
  { cipher, stamp, hasChain, onFault }: KeyPorts,
): Promise<Uint8Array> {
  const mark = cipher.mark();
  await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
  // A gateway that is paused now finds another mark when it writes a completion, and another state when it sends.
  await client.query(
    'LOCK TABLE paid_inference.payment, paid_inference.payment_transaction IN SHARE ROW EXCLUSIVE MODE',
  );
  const leases = 'SELECT 1 FROM paid_inference.relayer_lease WHERE owner IS NOT NULL AND lease_until > $1';
  if ((await client.query(leases, [stamp])).rows.length > 0) throw new Error(otherGateways);
  await client.query('SET LOCAL search_path = paid_inference, pg_temp');
  const { ids, unsent, faults } = findLost((await client.query(unsettledCompletions)).rows, cipher);
  if (ids.length > 0 && !hasChain) return mark;
  await client.query('INSERT INTO completion_key (mark) VALUES ($1)', [mark]);
  // No purchase joins a completion that the key does not decrypt.
  await client.query('DELETE FROM purchase');
  const { from } = storeTransitions.releaseLost;
  await client.query(`UPDATE payment SET ${forgotten} WHERE id = ANY ($1)`, [ids]);
  await client.query(`SELECT ${versioned('release')}($1, $2, NULL, $3)`, [unsent, from, stamp]);
  await client.query('UPDATE payment SET relayer = NULL, retries = 0 WHERE id = ANY ($1)', [unsent]);
  await client.query(`SELECT ${versioned('drop_unpaid')}($1)`, [unsent]);
  faults.forEach(onFault);
  return mark;
}
