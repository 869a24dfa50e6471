import type { ClientBase } from 'pg';
import type { Clock } from '../../types/clock.ts';
import type { AllowanceStore } from '../allowances.ts';
import { createCompletionCipher, type SealedPart, unreadableCompletion } from '../completion-cipher.ts';
import { isSameChain, wrongChain } from '../migration.ts';
import { type Row, toPayment, toStoreChain } from '../rows.ts';
import { type OpenStore, type StoreChain, StoreUnavailable } from '../store.ts';
import { allowanceOperations } from './allowances.ts';
import { openCompletionKey } from './completion-key.ts';
import { type ConnectionLimits, openConnections } from './connections.ts';
import { asynchronousCommit } from './durability.ts';
import { versioned } from './functions.ts';
import { findHealthIssue, healthCheck } from './health-check.ts';
import { migrate } from './migrate.ts';
import { outcomeOperations } from './outcomes.ts';
import { owedOperations } from './owed.ts';
import type { PostgresPorts } from './ports.ts';
import { proofOperations } from './proofs.ts';
import { purchaseOperations } from './purchases.ts';
import { leaseOperations } from './relayer-leases.ts';
import { reservationOperations } from './reservations.ts';
import { openServerTime, type ServerTime } from './server-time.ts';

export type PostgresStoreOptions = Partial<ConnectionLimits> & {
  /** `postgresql://…`: never logged, never part of an error. */
  readonly url: string;
  readonly clock: Clock;
  /** Replaces the server's clock in tests: Unix seconds. */
  readonly readServerSeconds?: () => Promise<number>;
  /** The chain and token of the store; the first opening writes them into a new store. */
  readonly chain?: StoreChain;
  /** An older reading of a balance decides nothing. */
  readonly balanceAgeMaxSeconds: number;
  /** 32 bytes that encrypt the completions at rest; the same for every gateway on this store. */
  readonly completionKey: Uint8Array;
  /** Gets faults of the store that stop no operation. */
  readonly onFault?: (fault: string) => void;
};

const postgresDefaults = {
  connectionsMax: 10,
  waitingMax: 4_096,
  connectTimeoutMs: 3_000,
  operationTimeoutMs: 5_000,
  idleTimeoutMs: 60_000,
  onFault: () => undefined,
} as const;

/**
 * Opens the store that many gateways share, in a schema of its own. Supports every server with the PostgreSQL
 * protocol, version 13 or newer. Rejects with a sentence for the operator when the store cannot be opened.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<OpenStore & AllowanceStore> {
  const {
    url,
    clock,
    chain: _,
    readServerSeconds: __,
    balanceAgeMaxSeconds,
    onFault,
    ...limits
  } = { ...postgresDefaults, ...options };
  if (!URL.canParse(url)) throw new Error('the URL of the store is invalid');
  const cipher = createCompletionCipher(options.completionKey);
  const connections = openConnections(url, limits);
  let time: ServerTime;
  let keyMark: Uint8Array;
  try {
    time = await openServerTime(clock, connections, options.readServerSeconds);
    const key = { cipher, stamp: time.stamp(), hasChain: options.chain !== undefined, onFault };
    keyMark = await connections.alone(async (client) => {
      await migrate(client, clock.nowSeconds());
      await client.query('BEGIN');
      const mark = await openCompletionKey(client, key);
      if (options.chain) await checkChain(client, options.chain);
      await client.query('COMMIT');
      const durable = await client.query("SELECT current_setting('synchronous_commit') AS setting");
      if (durable.rows[0].setting === 'off') onFault(asynchronousCommit);
      return mark;
    });
  } catch (cause) {
    await connections.close();
    throw cause;
  }
  const ports: PostgresPorts = {
    connections,
    cipher,
    keyMark,
    time,
    balanceAgeMaxSeconds,
    read,
  };
  return {
    ...reservationOperations(ports),
    ...purchaseOperations(ports),
    ...owedOperations(ports),
    ...leaseOperations(ports),
    ...outcomeOperations(ports),
    ...proofOperations(ports),
    ...allowanceOperations(ports),
    healthIssue,
    close: () => connections.close(),
  };

  function read(row: Row): ReturnType<typeof toPayment> {
    const payment = toPayment(row, opened(row, 'completion'), opened(row, 'proof'));
    const { createdAt, leaseUntil } = payment;
    return { ...payment, createdAt: time.fromServer(createdAt), leaseUntil: time.fromServer(leaseUntil) };
  }

  function opened(row: Row, part: SealedPart): string | null {
    const sealed = row[part] as Uint8Array | null;
    if (sealed === null) return null;
    const id = Number(row['id']);
    const text = cipher.open(id, sealed, part);
    if (text === null) onFault(unreadableCompletion(id));
    return text;
  }

  async function healthIssue(): Promise<string | null> {
    try {
      const { rows } = await connections.run(healthCheck, keyMark, versioned('reserve'));
      const issue = findHealthIssue(rows[0]);
      if (issue === null) await connections.proveSpace();
      return issue;
    } catch (cause) {
      if (!(cause instanceof StoreUnavailable)) return 'the store returned an unexpected error';
      return cause.message.includes(readOnlyState) ? 'the store is read-only' : cause.message;
    }
  }
}

/** The SQLSTATE of a standby and of a read-only database. */
const readOnlyState = 'SQLSTATE 25006';

/** Writes the chain into a new store, or compares it with the chain of the store. Throws when they differ. */
async function checkChain(client: ClientBase, chain: StoreChain): Promise<void> {
  const { rows } = await client.query('SELECT chain_id, asset FROM paid_inference.store_chain');
  const kept = rows[0] && toStoreChain(rows[0]);
  if (kept === undefined) {
    const sql = 'INSERT INTO paid_inference.store_chain (chain_id, asset) VALUES ($1, $2)';
    await client.query(sql, [chain.chainId, chain.asset]);
  } else if (!isSameChain(kept, chain)) throw wrongChain(kept, chain);
}
